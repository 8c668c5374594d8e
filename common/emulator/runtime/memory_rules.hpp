#pragma once
/// \file
/// Copies and fills on the emulated device, with the checks that the real runtime makes, and
/// their turn where the host waits for them.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <initializer_list>

namespace emulator::runtime {

/// Copies or fills where the host waits for it; work that does not wait goes into its stream (in_stream).
[[nodiscard]] cudaError_t at_once(const char* call, const std::function<cudaError_t()>& work);

/// A copy from or to ordinary memory of the host goes through memory of the runtime's: the host waits for the stream.
void wait_for_staging(cudaStream_t stream, std::initializer_list<const void*> ends);

/// Copies `size_bytes`. cudaErrorInvalidValue where a side that should be device memory is not, or is too small, or
/// where the direction does not fit; cudaErrorInvalidMemcpyDirection for a direction that does not exist.
[[nodiscard]] cudaError_t copy(const char* call, void* destination, const void* source, std::size_t size_bytes,
                               cudaMemcpyKind kind);

/// Copies `height` rows of `width_bytes`, which begin `…_pitch` bytes apart.
[[nodiscard]] cudaError_t copy_rows(const char* call, void* destination, std::size_t destination_pitch,
                                    const void* source, std::size_t source_pitch, std::size_t width_bytes,
                                    std::size_t height, cudaMemcpyKind kind);

/// Copies a box between memory with a pitch, or arrays; where there is one, widths are counted in its elements.
[[nodiscard]] cudaError_t copy_box(const char* call, const cudaMemcpy3DParms& box);

/// Sets `size_bytes` of device memory to a byte.
[[nodiscard]] cudaError_t fill(const char* call, void* destination, int value, std::size_t size_bytes);

/// Sets rows of elements of 1, 2 or 4 bytes. A pitch counts only where there are several rows.
[[nodiscard]] cudaError_t fill_elements(const char* call, const cudaMemsetParams& wanted);

}  // namespace emulator::runtime
