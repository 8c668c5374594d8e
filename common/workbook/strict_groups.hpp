#pragma once
/// \file
/// What the strict test tries.

#include <cstdint>
#include <string>
#include <vector>

#include "workbook/study.hpp"

namespace workbook {

/// Problems that are tried together and make one line of the verdict.
struct strict_group {
  std::string name;
  std::vector<problem> problems;
};

/// Says whether a kernel can run on a problem, as far as that is known before it is compiled.
[[nodiscard]] bool takes(const specimen& kernel, const problem& p);

/// What is tried of a chapter's table, as far as the kernel takes it, in this order. \param gpu  also what only a GPU
/// is fast enough for
[[nodiscard]] std::vector<strict_group> groups_for(const study& s, const specimen& yours, std::uint64_t seed, bool gpu);

}  // namespace workbook
