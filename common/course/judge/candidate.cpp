#include "course/judge/candidate.hpp"

#include <sys/prctl.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "course/judge/protocol.hpp"
#include "course/judge/served_calls.hpp"
#include "emulator/device_code.hpp"
#include "emulator/emulator.hpp"
#include "host/files.hpp"

namespace judge {
namespace {

/// The timeout of a call. An exercise's host code only launches a few kernels, so if it sends nothing for this long, it
/// will not return.
constexpr int patience_seconds = 10;
/// Maximum number of CUDA calls in one call of the exercise.
constexpr int max_calls = 10'000;

/// The exercise of this process (a singleton).
class candidate {
 public:
  static candidate& instance() {
    static candidate only;
    return only;
  }

  /// Requests a call of the exercise from the host process, and executes the CUDA calls that arrive until it ends.
  /// Returns the answer. \throws std::runtime_error  if there is no answer, or if it is invalid
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
    // Other processes of the same user must not read the seed, or data derived from it, in this process's memory.
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
      if (calls == max_calls) give_up("the exercise's host code makes CUDA calls without end");
      if (!served_->answer(heard_)) give_up("the exercise's host code sent an invalid CUDA call");
      if (!send_packet(channel, heard_)) break;
    }
    give_up(fmt::format(
        "the exercise's host code did not return: it exited or crashed its process, or ran for more than {} seconds",
        patience_seconds));
  }

  [[noreturn]] void give_up(const std::string& why) {
    gone_ = why;
    close(channel);
    throw std::runtime_error(gone_);
  }

  /// Makes the text of a packet printable, because the host process may send any bytes.
  static std::string printable(std::string text) {
    for (char& c : text) {
      if (c < ' ' || c > '~') c = ' ';
    }
    return text.substr(0, 400);
  }

  std::unique_ptr<emulator::device_code> code_;
  std::unique_ptr<served_calls> served_;
  packet heard_;
  std::string gone_;  ///< Why no further requests are possible.
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
  // Tables are made before anything runs, so a missing kernel must become a failed launch later, not an error here.
  try {
    const packet& told = candidate::instance().ask(verb::kernel, {number});
    emulator::device_code& code = candidate::instance().code();
    const void* kernel = code.kernel(std::string(told.text, told.text_bytes));
    if (kernel != nullptr && code.parameter_sizes(kernel) != parameter_bytes)
      throw std::runtime_error("the exercise's kernel has different parameters than the chapter's");
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
