#pragma once
/// \file
/// The exercise that is judged, as the judge sees it: device code that the judge itself runs on the emulator, and a
/// host process, elsewhere, that says how it is to be launched. The judge's program holds no line of the student's.

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include <vector_types.h>

#include "workbook/element.hpp"
#include "workbook/kernel_table.hpp"

namespace judge {

/// The environment variable that names the file with the device code, as `nvcc --fatbin` writes it.
inline constexpr const char* device_code_variable = "WORKBOOK_JUDGE_DEVICE_CODE";

/// The exercise's passes, of a chapter of the ladder.
[[nodiscard]] workbook::kernel_table candidate_table();

/// The exercise's kernels for the element types, of a chapter that sets kernels side by side; null where it has none.
/// \param parameter_bytes  of each of their parameters: a kernel with others is none, for the judge would pass it what
///                         lies beside its arguments
[[nodiscard]] std::array<const void*, 5> candidate_kernels(const std::vector<std::uint32_t>& parameter_bytes);
/// One of these, by its number, or, from number 5 on, what the chapter has beside them.
[[nodiscard]] const void* candidate_kernel(unsigned number, const std::vector<std::uint32_t>& parameter_bytes);
/// Returns the dynamic shared memory that its host code asks for. \throws std::runtime_error  where that has failed
[[nodiscard]] std::size_t candidate_shared_bytes(workbook::element_type type, dim3 block);

/// Has the chapter's own function run for an element type: its arguments as `judged.cu.in` in the chapter's folder
/// takes them. \throws std::runtime_error  where it does not come back
void run_candidate(workbook::element_type type, std::initializer_list<std::uint64_t> arguments);

}  // namespace judge
