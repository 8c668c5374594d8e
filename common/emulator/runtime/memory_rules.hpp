#pragma once
/// \file
/// Copies and fills on the emulated device, with the checks of the real runtime. The host waits for some of them.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <initializer_list>

namespace emulator::runtime {

/// Executes a copy or fill that the host waits for. Asynchronous ones use `in_stream` instead.
[[nodiscard]] cudaError_t at_once(const char* call, const std::function<cudaError_t()>& work);

/// Makes the host wait for the stream if a copy involves pageable host memory, because the runtime uses a staging
/// buffer for it.
void wait_for_staging(cudaStream_t stream, std::initializer_list<const void*> ends);

/// Copies `size_bytes`. Returns cudaErrorInvalidValue if a side that should be device memory isn't, or is too small, or
/// if the direction is wrong; cudaErrorInvalidMemcpyDirection if the direction does not exist.
[[nodiscard]] cudaError_t copy(const char* call, void* destination, const void* source, std::size_t size_bytes,
                               cudaMemcpyKind kind);

/// Copies `height` rows of `width_bytes`, whose starts are `…_pitch` bytes apart.
[[nodiscard]] cudaError_t copy_rows(const char* call, void* destination, std::size_t destination_pitch,
                                    const void* source, std::size_t source_pitch, std::size_t width_bytes,
                                    std::size_t height, cudaMemcpyKind kind);

/// Copies a box between pitched memory or arrays. If there is an array, widths are in its elements.
[[nodiscard]] cudaError_t copy_box(const char* call, const cudaMemcpy3DParms& box);

/// Sets `size_bytes` of device memory to a byte.
[[nodiscard]] cudaError_t fill(const char* call, void* destination, int value, std::size_t size_bytes);

/// Sets rows of elements of 1, 2 or 4 bytes. The pitch is ignored if there is only one row.
[[nodiscard]] cudaError_t fill_elements(const char* call, const cudaMemsetParams& wanted);

}  // namespace emulator::runtime
