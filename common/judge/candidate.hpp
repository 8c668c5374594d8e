#pragma once
/// \file
/// The exercise that is judged, as the judge sees it: device code that the judge itself runs on the emulator, and a
/// host process, elsewhere, that says how it is to be launched. The judge's program holds no line of the student's.

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

/// The exercise's kernel for an element type, of a chapter that sets kernels side by side; null where it has none.
/// \param parameter_bytes  of each of its parameters: a kernel with others is none, for the judge would pass it what
/// lies
///                         beside its arguments
[[nodiscard]] const void* candidate_kernel(workbook::element_type type,
                                           const std::vector<std::uint32_t>& parameter_bytes);
/// What the chapter has beside these: the kernels from number 5 on.
[[nodiscard]] const void* candidate_kernel(unsigned number, const std::vector<std::uint32_t>& parameter_bytes);
/// Returns the dynamic shared memory that its host code asks for. \throws std::runtime_error  where that has failed
[[nodiscard]] std::size_t candidate_shared_bytes(workbook::element_type type, dim3 block);

/// Has the chapter's own function run for an element type: its arguments as `judged.cu.in` in the chapter's folder
/// takes them. \throws std::runtime_error  where it does not come back
void run_candidate(workbook::element_type type, std::initializer_list<std::uint64_t> arguments);

}  // namespace judge
