// exercise_host LIBRARY runs the host code of an exercise. exercise_host --confinement prints the restrictions that
// this system supports, and exercise_host --version the version. The process has no device and gives no verdict. Its
// CUDA calls become packets to the judge (runtime.cpp), and it drops its rights before it runs the student's code.

#include <dlfcn.h>
#include <unistd.h>
#include <cstdio>
#include <cstring>
#include <string>

#include "course/judge/exercise_host/parts.hpp"
#include "course/judge/protocol.hpp"
#include "host/version.hpp"

namespace {

using namespace judge;

/// The types of the functions that the exercise's library exports (exercise_entry.cuh).
using reduce_entry = std::uint64_t(unsigned type, std::uint64_t in, std::uint64_t partials, std::uint64_t n,
                                   unsigned block_size);
using shared_bytes_entry = std::uint64_t(unsigned type, unsigned x, unsigned y, unsigned z);
using kernel_entry = const void*(unsigned type);
using run_entry = void(unsigned type, const std::uint64_t* arguments);

packet heard, said;

/// Returns the exercise's function with this name if `what` is the request for it; null if it isn't, or if the exercise
/// has no such function.
template <typename Entry>
Entry* entry_for(verb what, void* library, const char* name) {
  return heard.what == what ? reinterpret_cast<Entry*>(dlsym(library, name)) : nullptr;
}

void answer(verb what, const std::string& text = {}) {
  said.what = what;
  said.text_bytes = static_cast<std::uint32_t>(text.copy(said.text, max_text));
  if (!send_packet(channel, said)) _exit(1);
}

void call(void* library) {
  const std::uint64_t* v = heard.values;
  const auto type = static_cast<unsigned>(v[0]);
  if (auto* reduce = entry_for<reduce_entry>(verb::reduce, library, "workbook_exercise_reduce")) {
    said.values[0] = reduce(type, v[1], v[2], v[3], static_cast<unsigned>(v[4]));
    return answer(verb::returned);
  }
  if (auto* bytes = entry_for<shared_bytes_entry>(verb::shared_bytes, library, "workbook_exercise_shared_bytes")) {
    said.values[0] = bytes(type, static_cast<unsigned>(v[1]), static_cast<unsigned>(v[2]), static_cast<unsigned>(v[3]));
    return answer(verb::returned);
  }
  if (auto* kernel = entry_for<kernel_entry>(verb::kernel, library, "workbook_exercise_kernel"))
    return answer(verb::returned, name_of_kernel(kernel(type)));
  if (auto* run = entry_for<run_entry>(verb::run, library, "workbook_exercise_run")) {
    run(type, v + 1);
    return answer(verb::returned);
  }
  answer(verb::refused, "it has no such function");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: exercise_host LIBRARY, or exercise_host --confinement, or exercise_host --version\n", stderr);
    return 2;
  }
  if (std::strcmp(argv[1], "--version") == 0) {
    std::puts(host::version_text("exercise_host").c_str());
    return 0;
  }
  if (std::strcmp(argv[1], "--confinement") == 0) {
    const std::uint64_t had = confine();
    const std::string words =
        std::string((had & limits_set) != 0 ? "limits " : "") + ((had & calls_filtered) != 0 ? "filter" : "");
    return write(STDOUT_FILENO, words.data(), words.size()) < 0 ? 1 : 0;
  }
  constexpr int one_hour = 3600;
  // The judge sends this request after it has protected its own memory from other processes.
  if (!receive_packet(channel, heard, one_hour) || heard.what != verb::load) return 1;
  std::string why_not;
  void* library = open_without_constructors(argv[1], why_not);
  said.values[0] = confine();
  if (library == nullptr) {
    answer(verb::refused, why_not);
    return 1;
  }
  answer(verb::returned);
  run_constructors(library);
  while (receive_packet(channel, heard, one_hour)) call(library);
  // _exit, because the student's destructors must not run.
  _exit(0);
}
