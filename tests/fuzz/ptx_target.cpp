// Fuzzes all steps from PTX text to execution: parses, decodes, and runs blocks of two warps of each kernel that is
// accepted. The number of instructions is limited.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "emulator/memory/global_memory.hpp"
#include "emulator/simt/launch.hpp"
#include "fuzz/target.hpp"

using namespace emulator;

namespace {

constexpr std::uint64_t buffer_bytes = 4096;
/// The largest size that the runtime allows for a launch.
constexpr std::uint64_t max_shared_bytes = 227 * 1024;

/// Ends the process if the message is too short to be useful.
void require_words(const char* words) {
  if (std::strlen(words) >= 10) return;
  std::fprintf(stderr, "an error without a message: \"%s\"\n", words);
  std::abort();
}

/// Arguments for any kernel. Parameters of a pointer's size point to device memory, and the others are a small number.
class arguments {
 public:
  arguments(const ptx::function& f, memory::global_memory& memory) {
    for (const ptx::variable& v : f.parameters) {
      std::vector<std::byte>& bytes = values_.emplace_back(v.size_bytes(), std::byte{0});
      const std::uint64_t number = bytes.size() == 8 ? memory.allocate(buffer_bytes, memory::origin::device) : 40;
      std::memcpy(bytes.data(), &number, std::min(bytes.size(), sizeof number));
    }
    for (auto& v : values_) pointers_.push_back(v.data());
  }
  [[nodiscard]] void* const* data() const { return pointers_.data(); }

 private:
  std::vector<std::vector<std::byte>> values_;
  std::vector<void*> pointers_;
};

void run(simt::kernel& kernel, memory::global_memory& memory, bool watch) {
  simt::launch_shape shape;
  shape.grid[0] = 1 + (watch ? 1 : 0);
  shape.block[0] = 40;
  shape.dynamic_shared_bytes = 256;
  options watched;
  watched.counters = watched.memcheck = watched.initcheck = watched.racecheck = watched.synccheck = watch;
  watched.host_threads = 1;
  watched.max_instructions = 3000;
  const arguments given(kernel.declaration(), memory);
  launch_report report;
  const simt::launch_outcome outcome = simt::launch(kernel, shape, given.data(), watched, watch ? &report : nullptr);
  if (outcome.fault != observers::fault_kind::none) require_words(outcome.message.c_str());
  for (const finding& f : report.findings) require_words(f.message.c_str());
}

void run_all(const std::string& text) {
  memory::address_space space;
  space.memory.set_capacity(std::uint64_t{1} << 26);
  const std::unique_ptr<simt::module> loaded = simt::module::load(text, space);
  ptx::module declared = ptx::parse_module(text);
  for (ptx::function& f : declared.functions) {
    if (!f.is_entry || !f.has_body) continue;
    simt::kernel* kernel = loaded->find_kernel(f.name);
    if (kernel == nullptr) continue;
    try {
      if (kernel->facts().static_shared_bytes > max_shared_bytes) continue;
      run(*kernel, space.memory, text.size() % 2 == 0);
    } catch (const simt::unsupported& e) {
      require_words(e.what());
    } catch (const ptx::parse_error& e) {
      require_words(e.what());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Suppresses what kernels print.
  [[maybe_unused]] static const bool quiet = std::freopen("/dev/null", "w", stdout) != nullptr;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    run_all(text);
  } catch (const ptx::parse_error& e) {
    require_words(e.what());
  } catch (const simt::unsupported& e) {
    require_words(e.what());
  }
  return 0;
}
