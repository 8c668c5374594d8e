#include "emulator/rewritten.hpp"

#include <cuda_runtime_api.h>

#include <map>
#include <mutex>
#include <stdexcept>
#include <tuple>

#include "emulator/fat_binary/fat_binary.hpp"
#include "emulator/ptx/module.hpp"
#include "emulator/runtime/device.hpp"
#include "emulator/runtime/launcher.hpp"
#include "emulator/runtime/process_memory.hpp"
#include "emulator/runtime/router.hpp"

// Types that CUDA 12.8 added for loading PTX. The function itself is looked up by name, and may be missing.
#if CUDART_VERSION < 12080
using cudaLibrary_t = void*;
using cudaLibraryOption = int;
enum cudaJitOption { cudaJitErrorLogBuffer = 5, cudaJitErrorLogBufferSizeBytes = 6 };
#endif

namespace emulator {
/// A kernel compiled from edited text, for the emulator or for a GPU.
struct remade_kernel {
  runtime::module_record module;
  runtime::function_record function;
  cudaLibrary_t library = nullptr;  ///< On a GPU.
};

namespace {

/// Compiles `text` with the driver. \throws std::runtime_error
void compile_for_gpu(remade_kernel& made, const std::string& text) {
  const auto load =
      runtime::real_function<cudaError_t (*)(cudaLibrary_t*, const void*, cudaJitOption*, void**, unsigned,
                                             cudaLibraryOption*, void**, unsigned)>("cudaLibraryLoadData");
  const auto find =
      runtime::real_function<cudaError_t (*)(cudaKernel_t*, cudaLibrary_t, const char*)>("cudaLibraryGetKernel");
  if (load == nullptr || find == nullptr)
    throw std::runtime_error("this CUDA runtime cannot load PTX: kernels are rewritten with CUDA 12.8 and later");
  char log[2048] = "";
  cudaJitOption names[] = {cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  const cudaError_t loaded = load(&made.library, text.c_str(), names, values, 2, nullptr, nullptr, 0);
  if (loaded == cudaErrorUnsupportedPtxVersion)
    throw std::runtime_error(runtime::why_ptx_is_too_new(runtime::installed_versions()));
  if (loaded != cudaSuccess) throw std::runtime_error(std::string("the driver refuses the edited PTX: ") + log);
  cudaKernel_t kernel = nullptr;
  if (find(&kernel, made.library, made.function.device_name) != cudaSuccess)
    throw std::runtime_error(std::string("the edited PTX has no kernel ") + made.function.device_name);
  made.function.real_kernel = kernel;
  // All calls other than launches identify the kernel by this pointer.
  made.function.host_function = kernel;
}

void load_on_emulator(remade_kernel& made, const std::string& text) {
  made.module.loaded.here() = simt::module::load(text, runtime::process_memory());
  made.function.kernel.here() = made.module.loaded.here()->find_kernel(made.function.device_name);
  if (made.function.kernel.here() == nullptr)
    throw std::runtime_error(std::string("the edited PTX has no kernel ") + made.function.device_name);
}

/// Returns the compute capability whose PTX is edited.
unsigned capability() {
  if (!runtime::on_gpu()) return static_cast<unsigned>(runtime::device::instance().facts().capability());
  int major = 0, minor = 0;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
  cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
  return static_cast<unsigned>(10 * major + minor);
}

/// Returns the minimum number of bytes beyond `dynamic_bytes` that halves the number of resident blocks.
std::size_t bytes_that_halve(const void* kernel, unsigned threads, std::size_t dynamic_bytes) {
  const auto occupancy = runtime::real_function<cudaError_t (*)(int*, const void*, int, std::size_t)>(
      "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  const auto resident = [&](std::size_t bytes) {
    int blocks = 0;
    return occupancy(&blocks, kernel, static_cast<int>(threads), bytes) == cudaSuccess ? blocks : 0;
  };
  const int all = resident(dynamic_bytes);
  int most = 0;
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  cudaFuncAttributes facts{};
  const auto attributes =
      runtime::real_function<cudaError_t (*)(cudaFuncAttributes*, const void*)>("cudaFuncGetAttributes");
  const auto set = runtime::real_function<cudaError_t (*)(const void*, cudaFuncAttribute, int)>("cudaFuncSetAttribute");
  if (all < 2 || attributes(&facts, kernel) != cudaSuccess) return 0;
  const int dynamic_most = most - static_cast<int>(facts.sharedSizeBytes);
  if (set(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic_most) != cudaSuccess) return 0;
  std::size_t too_few = 0, enough = static_cast<std::size_t>(dynamic_most) - dynamic_bytes;
  while (enough - too_few > 1) {
    const std::size_t middle = too_few + (enough - too_few) / 2;
    (resident(dynamic_bytes + middle) <= all / 2 ? enough : too_few) = middle;
  }
  return enough;
}

std::recursive_mutex in_force_mutex;

}  // namespace

struct rewritten_kernels::state {
  editor edit;
  int variant = 0;
  bool half_resident = false;
  std::map<std::tuple<const void*, unsigned, std::size_t>, std::size_t>
      extra_bytes;  ///< Indexed by kernel, threads, bytes.
  std::map<std::pair<const runtime::function_record*, int>, std::unique_ptr<remade_kernel>> made;
  std::map<int, std::string> failures;
};

/// The `rewritten_kernels` object that exists at present.
struct rewriting {
  static rewritten_kernels*& in_force() {
    static rewritten_kernels* one = nullptr;
    return one;
  }
  static std::size_t extra_bytes(const runtime::function_record& kernel, unsigned threads, std::size_t dynamic_bytes) {
    rewritten_kernels::state& s = *in_force()->state_;
    if (!s.half_resident || kernel.real_kernel == nullptr) return 0;
    const auto [known, is_new] = s.extra_bytes.try_emplace({kernel.real_kernel, threads, dynamic_bytes}, 0);
    if (is_new) known->second = bytes_that_halve(kernel.real_kernel, threads, dynamic_bytes);
    return known->second;
  }
  /// Returns the replacement of `original`. If it cannot be made, stores the reason and returns null.
  static runtime::function_record* replacement(runtime::function_record& original) {
    rewritten_kernels::state& s = *in_force()->state_;
    if (const auto known = s.made.find({&original, s.variant}); known != s.made.end()) {
      return known->second != nullptr ? &known->second->function : nullptr;
    }
    auto& place = s.made[{&original, s.variant}];
    auto made = std::make_unique<remade_kernel>();
    made->module.complete = true;
    made->function.module = &made->module;
    made->function.device_name = original.device_name;
    made->function.dynamic_shared_limit = original.dynamic_shared_limit;
    try {
      const fat_binary::registered_code code = fat_binary::read_registered(original.module->wrapper);
      if (code.files.size() != 1)
        throw std::runtime_error("kernels of a program that was linked from several device codes cannot be rewritten");
      const fat_binary::entry& ptx = fat_binary::select_ptx(code.files.front(), capability());
      made->module.ptx_architecture = ptx.architecture;
      const std::string text = s.edit(ptx::only_kernel(fat_binary::ptx_text(ptx), original.device_name), s.variant);
      if (runtime::on_gpu()) {
        compile_for_gpu(*made, text);
      } else {
        load_on_emulator(*made, text);
      }
    } catch (const std::exception& failed) {
      s.failures[s.variant] = failed.what();
      return nullptr;
    }
    place = std::move(made);
    return &place->function;
  }
};

rewritten_kernels::rewritten_kernels(editor edit) : state_(std::make_unique<state>()) {
  state_->edit = std::move(edit);
  const std::lock_guard lock(in_force_mutex);
  if (rewriting::in_force() != nullptr) throw std::logic_error("kernels are being rewritten already");
  rewriting::in_force() = this;
}

rewritten_kernels::~rewritten_kernels() {
  cudaDeviceSynchronize();
  const std::lock_guard lock(in_force_mutex);
  rewriting::in_force() = nullptr;
  for (const auto& [original, made] : state_->made) {
    if (made == nullptr || made->library == nullptr) continue;
    runtime::real_function<cudaError_t (*)(cudaLibrary_t)>("cudaLibraryUnload")(made->library);
  }
}

void rewritten_kernels::use(int variant) {
  state_->variant = variant;
}

const std::string& rewritten_kernels::failure() const {
  return state_->failures[state_->variant];
}

void rewritten_kernels::halve_resident_blocks(bool wanted) {
  state_->half_resident = wanted;
}

namespace runtime {

function_record* kernel_to_run(const void* host_function_or_handle) {
  function_record* const found = registry::instance().find_function(host_function_or_handle);
  const std::lock_guard lock(in_force_mutex);
  return found == nullptr || rewriting::in_force() == nullptr ? found : rewriting::replacement(*found);
}

std::size_t extra_shared_bytes(const function_record& kernel, unsigned threads_per_block,
                               std::size_t dynamic_shared_bytes) {
  const std::lock_guard lock(in_force_mutex);
  return rewriting::in_force() == nullptr ? 0 : rewriting::extra_bytes(kernel, threads_per_block, dynamic_shared_bytes);
}

}  // namespace runtime
}  // namespace emulator
