#pragma once
/// \file
/// Errors of MPI as exceptions.

#include <array>
#include <cstddef>
#include <string>

#include <fmt/format.h>
#include <mpi.h>

#include "16_many_gpus/ranks/rank_group.hpp"

namespace chapter16 {

/// \throws mpi_error  where a call of MPI failed, with MPI's own words
inline void check_mpi(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> words{};
  int length = 0;
  MPI_Error_string(code, words.data(), &length);
  throw mpi_error(
      fmt::format("MPI failed ({}): {}", what, std::string(words.data(), static_cast<std::size_t>(length))));
}

}  // namespace chapter16
