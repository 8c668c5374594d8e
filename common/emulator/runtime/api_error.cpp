// Errors: the last one, and the name and text of each.

#include <algorithm>
#include <array>

#include "emulator/runtime/router.hpp"

using namespace emulator::runtime;

namespace {

struct error_text {
  int code;
  const char* name;
  const char* words;
};

// Sorted by code. The texts are those of the real runtime, because programs and their tests know them.
constexpr std::array error_texts = {
    error_text{0, "cudaSuccess", "no error"},
    error_text{1, "cudaErrorInvalidValue", "invalid argument"},
    error_text{2, "cudaErrorMemoryAllocation", "out of memory"},
    error_text{3, "cudaErrorInitializationError", "initialization error"},
    error_text{4, "cudaErrorCudartUnloading", "driver shutting down"},
    error_text{9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    error_text{12, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    error_text{13, "cudaErrorInvalidSymbol", "invalid device symbol"},
    error_text{16, "cudaErrorInvalidHostPointer", "invalid host pointer"},
    error_text{17, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    error_text{21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    error_text{34, "cudaErrorStubLibrary", "CUDA driver is a stub library"},
    error_text{35, "cudaErrorInsufficientDriver", "CUDA driver version is insufficient for CUDA runtime version"},
    error_text{46, "cudaErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable"},
    error_text{52, "cudaErrorMissingConfiguration", "__global__ function call is not configured"},
    error_text{98, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    error_text{100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    error_text{101, "cudaErrorInvalidDevice", "invalid device ordinal"},
    error_text{200, "cudaErrorInvalidKernelImage", "device kernel image is invalid"},
    error_text{201, "cudaErrorDeviceUninitialized", "invalid device context"},
    error_text{209, "cudaErrorNoKernelImageForDevice", "no kernel image is available for execution on the device"},
    error_text{214, "cudaErrorECCUncorrectable", "uncorrectable ECC error encountered"},
    error_text{215, "cudaErrorUnsupportedLimit", "limit is not supported on this architecture"},
    error_text{217, "cudaErrorPeerAccessUnsupported", "peer access is not supported between these two devices"},
    error_text{218, "cudaErrorInvalidPtx", "a PTX JIT compilation failed"},
    error_text{221, "cudaErrorJitCompilerNotFound", "PTX JIT compiler library not found"},
    error_text{222, "cudaErrorUnsupportedPtxVersion", "the provided PTX was compiled with an unsupported toolchain."},
    error_text{301, "cudaErrorFileNotFound", "file not found"},
    error_text{304, "cudaErrorOperatingSystem", "OS call failed or operation not supported on this OS"},
    error_text{400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    error_text{401, "cudaErrorIllegalState", "the operation cannot be performed in the present state"},
    error_text{500, "cudaErrorSymbolNotFound", "named symbol not found"},
    error_text{600, "cudaErrorNotReady", "device not ready"},
    error_text{700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    error_text{701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    error_text{702, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    error_text{704, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    error_text{705, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    error_text{708, "cudaErrorSetOnActiveProcess", "cannot set while device is active in this process"},
    error_text{709, "cudaErrorContextIsDestroyed", "context is destroyed"},
    error_text{710, "cudaErrorAssert", "device-side assert triggered"},
    error_text{711, "cudaErrorTooManyPeers", "peer mapping resources exhausted"},
    error_text{712, "cudaErrorHostMemoryAlreadyRegistered",
               "part or all of the requested memory range is already mapped"},
    error_text{713, "cudaErrorHostMemoryNotRegistered", "pointer does not correspond to a registered memory region"},
    error_text{714, "cudaErrorHardwareStackError", "hardware stack error"},
    error_text{715, "cudaErrorIllegalInstruction", "an illegal instruction was encountered"},
    error_text{716, "cudaErrorMisalignedAddress", "misaligned address"},
    error_text{717, "cudaErrorInvalidAddressSpace", "operation not supported on global/shared address space"},
    error_text{718, "cudaErrorInvalidPc", "invalid program counter"},
    error_text{719, "cudaErrorLaunchFailure", "unspecified launch failure"},
    error_text{720, "cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
    error_text{800, "cudaErrorNotPermitted", "operation not permitted"},
    error_text{801, "cudaErrorNotSupported", "operation not supported"},
    error_text{802, "cudaErrorSystemNotReady", "system not yet initialized"},
    error_text{900, "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
    error_text{912, "cudaErrorInvalidClusterSize",
               "a kernel launch error has occurred due to cluster misconfiguration"},
    error_text{999, "cudaErrorUnknown", "unknown error"},
};

constexpr const char* unrecognized = "unrecognized error code";

const error_text* find_text(cudaError_t error) {
  const auto* found = std::ranges::lower_bound(error_texts, static_cast<int>(error), {}, &error_text::code);
  return found != error_texts.end() && found->code == static_cast<int>(error) ? &*found : nullptr;
}

/// Asks the real runtime, if it is installed, about a code that the table lacks.
const char* ask_real_runtime(const char* function, cudaError_t error) {
  const auto real = real_function<const char* (*)(cudaError_t)>(function);
  return real != nullptr ? real(error) : unrecognized;
}

}  // namespace

extern "C" const char* CUDARTAPI cudaGetErrorName(cudaError_t error) {
  const error_text* known = find_text(error);
  return known != nullptr ? known->name : ask_real_runtime("cudaGetErrorName", error);
}

extern "C" const char* CUDARTAPI cudaGetErrorString(cudaError_t error) {
  const error_text* known = find_text(error);
  return known != nullptr ? known->words : ask_real_runtime("cudaGetErrorString", error);
}

extern "C" cudaError_t CUDARTAPI cudaGetLastError() {
  if (on_gpu()) return forward_by_name("cudaGetLastError");
  device& here = device::instance();
  const std::lock_guard lock(here.mutex());
  errors_asked_for(__builtin_return_address(0));
  const cudaError_t error = here.last_error();
  here.forget_last_error();
  return error;
}

extern "C" cudaError_t CUDARTAPI cudaPeekAtLastError() {
  if (on_gpu()) return forward_by_name("cudaPeekAtLastError");
  device& here = device::instance();
  const std::lock_guard lock(here.mutex());
  errors_asked_for(__builtin_return_address(0));
  return here.last_error();
}
