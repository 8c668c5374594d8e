#include "judge/candidate.hpp"

#include <sys/prctl.h>
#include <unistd.h>
#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "emulator/device_code.hpp"
#include "emulator/emulator.hpp"
#include "host/files.hpp"
#include "judge/protocol.hpp"

namespace judge {
namespace {

/// The host code of an exercise launches a few kernels; one that is silent for so long does not come back.
constexpr int patience_seconds = 10;
/// CUDA calls that one call of the exercise may make.
constexpr int most_calls = 10'000;

/// What an exercise may allocate for itself, in all.
constexpr std::size_t most_allocated = std::size_t{256} << 20;
constexpr std::size_t longest_name = 8 * 1024;

void* pointer(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}

int number(std::uint64_t value) {
  return value > INT_MAX ? INT_MAX : static_cast<int>(value);
}

/// Says whether an address is one of the device. Everything else is this process's own.
bool on_device(std::uint64_t address) {
  cudaPointerAttributes a{};
  const bool known = cudaPointerGetAttributes(&a, pointer(address)) == cudaSuccess;
  return known && a.type == cudaMemoryTypeDevice;
}

void put(packet& to, const void* bytes, std::size_t size) {
  std::memcpy(to.text, bytes, size);
  to.text_bytes = static_cast<std::uint32_t>(size);
}

/// The CUDA calls that an exercise's host code may make, carried out on the emulated device with the kernels of `code`.
/// Memory is named by address and never read for the other side: what stands in it, the input above all, stays unknown
/// to the host process.
class served_calls {
 public:
  explicit served_calls(emulator::device_code& code) : code_(code) {}
  /// Carries out the call in `p`, and puts its answer there. \return  false where it is none
  [[nodiscard]] bool answer(packet& p) {
    const auto to = std::make_unique<packet>();
    if (!carry_out(p, *to)) return false;
    to->what = verb::answer;
    p = *to;
    return true;
  }

 private:
  [[nodiscard]] const void* kernel_named(const packet& p, std::size_t length) {
    if (length == 0 || length > longest_name || length > p.text_bytes) return nullptr;
    return code_.kernel(std::string(p.text, length));
  }

  void launch(const packet& p, packet& to) {
    const std::uint64_t* v = p.values;
    const std::size_t name_length = v[8];
    const void* kernel = kernel_named(p, name_length);
    to.values[0] = cudaErrorInvalidDeviceFunction;
    if (kernel == nullptr) return;
    to.values[0] = cudaErrorInvalidValue;
    for (int k = 0; k < 6; ++k) {
      if (v[k] > UINT_MAX) return;
    }
    // Each argument in a place of its own, as the launch wants them.
    std::vector<std::vector<char>> places;
    std::vector<void*> arguments;
    std::size_t at = name_length;
    for (const std::uint32_t size : code_.parameter_sizes(kernel)) {
      if (size > p.text_bytes - at) return;
      // Aligned for every type by the allocator, and never empty.
      places.emplace_back(std::max<std::size_t>(size, 16));
      std::memcpy(places.back().data(), p.text + at, size);
      at += size;
    }
    for (std::vector<char>& place : places) arguments.push_back(place.data());
    const dim3 grid(static_cast<unsigned>(v[0]), static_cast<unsigned>(v[1]), static_cast<unsigned>(v[2]));
    const dim3 block(static_cast<unsigned>(v[3]), static_cast<unsigned>(v[4]), static_cast<unsigned>(v[5]));
    const auto call = v[7] != 0 ? cudaLaunchCooperativeKernel : cudaLaunchKernel;
    to.values[0] = static_cast<std::uint64_t>(call(kernel, grid, block, arguments.data(), v[6], nullptr));
  }

  [[nodiscard]] bool carry_out(const packet& p, packet& to) {
    const std::uint64_t* v = p.values;
    cudaError_t error = cudaErrorInvalidValue;
    switch (p.what) {
      case verb::parameters: {
        const void* kernel = kernel_named(p, p.text_bytes);
        error = kernel != nullptr ? cudaSuccess : cudaErrorInvalidDeviceFunction;
        if (kernel == nullptr) break;
        const std::vector<std::uint32_t> sizes = code_.parameter_sizes(kernel);
        if (sizes.size() * sizeof sizes[0] > most_text) break;
        to.values[1] = sizes.size() * sizeof sizes[0];
        put(to, sizes.data(), to.values[1]);
        break;
      }
      case verb::launch:
        launch(p, to);
        return true;
      case verb::fill:
        if (v[2] == 0 || on_device(v[0])) error = cudaMemset(pointer(v[0]), number(v[1] & 0xff), v[2]);
        break;
      case verb::copy:
        if (v[2] == 0 || (on_device(v[0]) && on_device(v[1])))
          error = cudaMemcpy(pointer(v[0]), pointer(v[1]), v[2], cudaMemcpyDeviceToDevice);
        break;
      case verb::store:
        if (p.text_bytes == 0 || on_device(v[0]))
          error = cudaMemcpy(pointer(v[0]), p.text, p.text_bytes, cudaMemcpyHostToDevice);
        break;
      case verb::symbol: {
        error = cudaErrorInvalidSymbol;
        if (p.text_bytes == 0 || p.text_bytes > longest_name) break;
        const auto found = code_.variable(std::string(p.text, p.text_bytes));
        if (!found) break;
        error = cudaSuccess;
        to.values[1] = reinterpret_cast<std::uint64_t>(found->address);
        to.values[2] = found->size_bytes;
        break;
      }
      case verb::allocate: {
        void* got = nullptr;
        error = cudaErrorMemoryAllocation;
        if (v[0] > most_allocated - allocated_) break;
        error = cudaMalloc(&got, v[0]);
        if (error == cudaSuccess) allocated_ += v[0];
        to.values[1] = reinterpret_cast<std::uint64_t>(got);
        break;
      }
      case verb::release:
        error = v[0] == 0 || on_device(v[0]) ? cudaFree(pointer(v[0])) : cudaErrorInvalidValue;
        break;
      case verb::attribute: {
        int value = 0;
        error = cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(number(v[0])), 0);
        to.values[1] = static_cast<std::uint64_t>(value);
        break;
      }
      case verb::properties: {
        const auto all = std::make_unique<cudaDeviceProp>();
        error = cudaGetDeviceProperties(all.get(), 0);
        put(to, all.get(), sizeof *all);
        break;
      }
      case verb::occupancy: {
        int blocks = 0;
        error =
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel_named(p, p.text_bytes), number(v[0]), v[1]);
        to.values[1] = static_cast<std::uint64_t>(blocks);
        break;
      }
      case verb::function_facts: {
        cudaFuncAttributes facts{};
        error = cudaFuncGetAttributes(&facts, kernel_named(p, p.text_bytes));
        put(to, &facts, sizeof facts);
        break;
      }
      case verb::set_function:
        error = cudaFuncSetAttribute(kernel_named(p, p.text_bytes), static_cast<cudaFuncAttribute>(number(v[0])),
                                     number(v[1]));
        break;
      case verb::last_error:
        error = v[0] != 0 ? cudaGetLastError() : cudaPeekAtLastError();
        break;
      case verb::synchronise:
        error = cudaDeviceSynchronize();
        break;
      default:
        return false;
    }
    to.values[0] = static_cast<std::uint64_t>(error);
    return true;
  }

  emulator::device_code& code_;
  std::size_t allocated_ = 0;
};

/// The one exercise of this process.
class candidate {
 public:
  static candidate& instance() {
    static candidate only;
    return only;
  }

  /// Has the host process call the exercise; serves its CUDA calls meanwhile. Returns its answer.
  /// \throws std::runtime_error  where it gives none, or one that is no answer
  const packet& ask(verb what, const std::vector<std::uint64_t>& values) {
    load();
    return asked(what, values);
  }

  emulator::device_code& code() {
    load();
    return *code_;
  }

 private:
  candidate() {
    // No process of the same user may look into this one for the seed and what follows from it.
    prctl(PR_SET_DUMPABLE, 0);
  }

  void load() {
    if (code_ != nullptr) return;
    const char* path = std::getenv(device_code_variable);
    if (path == nullptr) throw std::runtime_error("the judge was given no device code");
    code_ = std::make_unique<emulator::device_code>(host::read_bytes(path));
    served_ = std::make_unique<served_calls>(*code_);
    (void)asked(verb::load, {});
  }

  const packet& asked(verb what, const std::vector<std::uint64_t>& values) {
    if (!gone_.empty()) throw std::runtime_error(gone_);
    packet question;
    question.what = what;
    std::copy(values.begin(), values.end(), question.values);
    if (!send_packet(channel, question)) give_up("the exercise's host code has ended its process");
    for (int calls = 0; receive_packet(channel, heard_, patience_seconds); ++calls) {
      if (heard_.what == verb::returned) return heard_;
      if (heard_.what == verb::refused)
        give_up("the exercise cannot be called: " + printable(std::string(heard_.text, heard_.text_bytes)));
      if (calls == most_calls) give_up("the exercise's host code makes one CUDA call after the other, without end");
      if (!served_->answer(heard_)) give_up("the exercise's host code sent what is no CUDA call");
      if (!send_packet(channel, heard_)) break;
    }
    give_up(fmt::format(
        "the exercise's host code did not come back: it ended or broke its process, or ran for more than {} seconds",
        patience_seconds));
  }

  [[noreturn]] void give_up(const std::string& why) {
    gone_ = why;
    close(channel);
    throw std::runtime_error(gone_);
  }

  /// The host process may send any bytes as words.
  static std::string printable(std::string text) {
    for (char& c : text) {
      if (c < ' ' || c > '~') c = ' ';
    }
    return text.substr(0, 400);
  }

  std::unique_ptr<emulator::device_code> code_;
  std::unique_ptr<served_calls> served_;
  packet heard_;
  std::string gone_;  ///< Why nothing more can be asked.
};

template <typename T>
std::uint64_t number_of() {
  const auto is_of_t = [](workbook::element_type type) {
    return workbook::with_type(type, [](auto* tag) { return std::is_same_v<decltype(tag), T*>; });
  };
  return static_cast<std::uint64_t>(*std::ranges::find_if(workbook::all_element_types, is_of_t));
}

struct asked_of_the_candidate {
  template <typename T>
  static std::size_t pass(const T* in, T* partials, std::size_t n, unsigned block_size) {
    return candidate::instance()
        .ask(verb::reduce, {number_of<T>(), reinterpret_cast<std::uint64_t>(in),
                            reinterpret_cast<std::uint64_t>(partials), n, block_size})
        .values[0];
  }
};

}  // namespace

workbook::kernel_table candidate_table() {
  return workbook::table_of<asked_of_the_candidate>();
}

std::array<const void*, 5> candidate_kernels(const std::vector<std::uint32_t>& parameter_bytes) {
  std::array<const void*, 5> kernels{};
  for (unsigned type = 0; type < kernels.size(); ++type) kernels[type] = candidate_kernel(type, parameter_bytes);
  return kernels;
}

const void* candidate_kernel(unsigned number, const std::vector<std::uint32_t>& parameter_bytes) {
  // Tables are made before anything is run: what is missing here is a failure of the launch, later.
  try {
    const packet& told = candidate::instance().ask(verb::kernel, {number});
    emulator::device_code& code = candidate::instance().code();
    const void* kernel = code.kernel(std::string(told.text, told.text_bytes));
    if (kernel != nullptr && code.parameter_sizes(kernel) != parameter_bytes)
      throw std::runtime_error("the exercise's kernel has other parameters than the chapter's");
    return kernel;
  } catch (const std::runtime_error& failed) {
    std::fprintf(stderr, "%s\n", failed.what());
    return nullptr;
  }
}

std::size_t candidate_shared_bytes(workbook::element_type type, dim3 block) {
  return candidate::instance()
      .ask(verb::shared_bytes, {static_cast<std::uint64_t>(type), block.x, block.y, block.z})
      .values[0];
}

void run_candidate(workbook::element_type type, std::initializer_list<std::uint64_t> arguments) {
  std::vector<std::uint64_t> values = {static_cast<std::uint64_t>(type)};
  values.insert(values.end(), arguments);
  (void)candidate::instance().ask(verb::run, values);
}

}  // namespace judge
