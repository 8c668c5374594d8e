#pragma once
/// \file
/// Small kernels for the tests of the runtime, launched from host code that nvcc compiled.

#include <cuda_runtime_api.h>

#include <cstddef>

namespace runtime_test {

/// values[i] += 1 for the first n values.
void launch_add_one(int* values, int n, dim3 grid, dim3 block, std::size_t dynamic_shared_bytes = 0,
                    cudaStream_t stream = nullptr);
/// The same, by a kernel that allows at most 128 threads per block.
void launch_bounded(int* values, int n, dim3 block);
/// One thread sets *address = value.
void launch_store(int* address, int value);
/// One block of `block` threads sets byte i of its dynamic shared memory to i, and then copies the bytes to `values` in
/// reverse order.
void launch_shared(unsigned char* values, unsigned block, std::size_t dynamic_shared_bytes);
void launch_trap();
void launch_assertion();
void launch_endless(int* flag);
/// Sets out[0] = scale (a constant), out[1] = counter (a variable, which is incremented), out[2] = shared_value
/// (managed).
void launch_variables(int* out);
/// Sets total[0] to the sum of what each block wrote before the grid-wide barrier. \return the launch's error
cudaError_t launch_cooperative(int* total, unsigned grid, unsigned block);

[[nodiscard]] const void* add_one_kernel();
[[nodiscard]] const void* bounded_kernel();
[[nodiscard]] const void* shared_kernel();
/// These kernels have private arrays of 8 ints, which ptxas keeps in registers although the index is unknown, and of 40
/// ints.
[[nodiscard]] const void* short_array_kernel();
[[nodiscard]] const void* long_array_kernel();
/// Has a private array of 64 KiB, so a block of 1024 threads needs 64 MiB of local memory.
[[nodiscard]] const void* large_frame_kernel();
[[nodiscard]] const void* scale_symbol();
[[nodiscard]] const void* counter_symbol();
[[nodiscard]] int& managed_value();

}  // namespace runtime_test
