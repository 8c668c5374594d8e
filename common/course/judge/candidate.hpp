#pragma once
/// \file
/// The judge's view of the exercise: device code, which the judge itself runs on the emulator, and a separate host
/// process, which determines how the kernels are launched. The judge's program contains no code of the student.

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include <vector_types.h>

#include "workbook/element.hpp"
#include "workbook/kernel_table.hpp"

namespace judge {

/// The environment variable that names the file with the device code, in the format of `nvcc --fatbin`.
inline constexpr const char* device_code_variable = "WORKBOOK_JUDGE_DEVICE_CODE";

/// Returns the table of the exercise's passes, for a chapter of the ladder.
[[nodiscard]] workbook::kernel_table candidate_table();

/// Returns the exercise's kernels, one per element type, for a chapter that compares kernels; null for each type that
/// has none.
/// \param parameter_bytes  the size of each parameter. A kernel with different parameters is refused, because the judge
///                         would pass it memory next to its arguments
[[nodiscard]] std::array<const void*, 5> candidate_kernels(const std::vector<std::uint32_t>& parameter_bytes);
/// Returns one of these kernels by its number, or one of the chapter's other kernels if the number is 5 or more.
[[nodiscard]] const void* candidate_kernel(unsigned number, const std::vector<std::uint32_t>& parameter_bytes);
/// Returns the bytes of dynamic shared memory that the exercise's host code requests.
/// \throws std::runtime_error  if that code fails
[[nodiscard]] std::size_t candidate_shared_bytes(workbook::element_type type, dim3 block);

/// Calls the chapter's own function for an element type, with the arguments that `judged.cu.in` in the chapter's folder
/// defines. \throws std::runtime_error  if the function does not return
void run_candidate(workbook::element_type type, std::initializer_list<std::uint64_t> arguments);

}  // namespace judge
