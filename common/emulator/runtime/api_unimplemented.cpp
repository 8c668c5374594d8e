// API functions that the emulator does not implement. With a GPU they work; without one they print their name and fail.
//
// Their prototypes aren't needed and differ between versions of the runtime. A function passes on the machine words
// that it received in registers and on the stack. None of these functions takes a floating-point argument.

#include <cuda.h>  // only for CUDA_VERSION

#include <cstdint>

namespace emulator::runtime {

// As in router.hpp, which cannot be included because it would bring in the prototypes.
[[nodiscard]] bool on_gpu();
int not_implemented_by_name(const char* name, const void* return_address);
void* real_function_by_name(const char* name);

namespace {

/// A function with the longest argument list, as 22 machine words: six in registers, and the rest on the stack, which
/// is enough for four structures of 32 bytes.
using word = std::uint64_t;
using passed_on = word (*)(word, word, word, word, word, word, word, word, word, word, word, word, word, word, word,
                           word, word, word, word, word, word, word);

passed_on find(const char* name, void*& cached) {
  if (!on_gpu()) return nullptr;
  if (cached == nullptr) cached = real_function_by_name(name);
  return reinterpret_cast<passed_on>(cached);
}

}  // namespace
}  // namespace emulator::runtime

#define EMULATOR_UNIMPLEMENTED(name)                                                                                   \
  extern "C" std::uint64_t name(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d, std::uint64_t e,   \
                                std::uint64_t f, std::uint64_t g, std::uint64_t h, std::uint64_t i, std::uint64_t j,   \
                                std::uint64_t k, std::uint64_t l, std::uint64_t m, std::uint64_t n, std::uint64_t o,   \
                                std::uint64_t p, std::uint64_t q, std::uint64_t r, std::uint64_t s, std::uint64_t t,   \
                                std::uint64_t u, std::uint64_t v) {                                                    \
    static void* cached = nullptr;                                                                                     \
    const auto real = emulator::runtime::find(#name, cached);                                                          \
    if (real != nullptr) return real(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v);                \
    return static_cast<std::uint64_t>(emulator::runtime::not_implemented_by_name(#name, __builtin_return_address(0))); \
  }
// A function with a second name for per-thread default streams.
#define EMULATOR_UNIMPLEMENTED_STREAM(name, suffix) \
  EMULATOR_UNIMPLEMENTED(name)                      \
  EMULATOR_UNIMPLEMENTED(name##suffix)
#include "emulator/runtime/unimplemented_functions.inc"
// For the other major version of CUDA, these are implemented: in api_capture.cpp, api_graph_node.cpp and
// api_stream_attributes.cpp.
#if CUDA_VERSION >= 13000
EMULATOR_UNIMPLEMENTED_STREAM(cudaStreamGetCaptureInfo_v2, _ptsz)
#else
EMULATOR_UNIMPLEMENTED(cudaGraphAddNode)
EMULATOR_UNIMPLEMENTED(cudaGraphConditionalHandleCreate)
EMULATOR_UNIMPLEMENTED_STREAM(cudaStreamBeginCaptureToGraph, _ptsz)
EMULATOR_UNIMPLEMENTED_STREAM(cudaStreamUpdateCaptureDependencies, _ptsz)
EMULATOR_UNIMPLEMENTED_STREAM(cudaStreamGetDevice, _ptsz)
EMULATOR_UNIMPLEMENTED_STREAM(cudaStreamGetCaptureInfo, _ptsz)
#endif
#undef EMULATOR_UNIMPLEMENTED_STREAM
#undef EMULATOR_UNIMPLEMENTED
