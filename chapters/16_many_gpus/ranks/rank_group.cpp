#include "16_many_gpus/ranks/rank_group.hpp"

#include <array>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <mpi.h>

#include "16_many_gpus/launched.hpp"

namespace chapter16 {

void check_mpi(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> words{};
  int length = 0;
  MPI_Error_string(code, words.data(), &length);
  throw mpi_error(
      fmt::format("MPI failed ({}): {}", what, std::string(words.data(), static_cast<std::size_t>(length))));
}

rank_group::rank_group(std::string program, std::chrono::seconds limit)
    : program_(std::move(program)), watchdog_(program_, limit) {
  const auto watched = watchdog_.watch("all start");
  // The threads of lanes and devices don't call MPI.
  int provided = 0;
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  check_mpi(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  int rank = 0, size = 1;
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
  rank_ = static_cast<unsigned>(rank);
  size_ = static_cast<unsigned>(size);
  std::array<char, MPI_MAX_PROCESSOR_NAME> host{};
  int length = 0;
  check_mpi(MPI_Get_processor_name(host.data(), &length), "MPI_Get_processor_name");
  host_.assign(host.data(), static_cast<std::size_t>(length));
  watchdog_.rename(name());

  if (const unsigned wanted = processes_launched().value_or(1); wanted > 1 && size_ == 1) {
    MPI_Finalize();
    throw mpi_error(
        fmt::format("the launcher started {} processes, and each of them finds itself alone: this is not the mpirun of "
                    "the MPI that ranks16 was built with. `make ranks` takes the right one",
                    wanted));
  }

  MPI_Comm neighbours{};
  check_mpi(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &neighbours),
            "the ranks of this host");
  check_mpi(MPI_Comm_rank(neighbours, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(neighbours, &size), "MPI_Comm_size");
  check_mpi(MPI_Comm_free(&neighbours), "MPI_Comm_free");
  local_rank_ = static_cast<unsigned>(rank);
  local_size_ = static_cast<unsigned>(size);
}

rank_group::~rank_group() {
  const auto watched = watchdog_.watch("all end");
  MPI_Finalize();
}

std::string rank_group::name() const {
  return size_ == 1 ? program_ : fmt::format("{}: rank {} on {}", program_, rank_, host_);
}

void rank_group::gather(const void* own, void* all, std::size_t bytes, const char* what) {
  const auto watched = watchdog_.watch(what);
  const int size = static_cast<int>(bytes);
  check_mpi(MPI_Allgather(own, size, MPI_BYTE, all, size, MPI_BYTE, MPI_COMM_WORLD), what);
}

void rank_group::all_have_spoken() {
  {
    const auto watched = watchdog_.watch("all have finished");
    check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  }
  watchdog_.be_quiet();
}

void rank_group::abort(int status) {
  watchdog_.be_quiet();
  const auto watched = watchdog_.watch("the launcher ends all");
  MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

}  // namespace chapter16
