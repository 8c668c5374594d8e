// Measures the cost of one launch, and of each launch in a chain.

#include <memory>
#include <type_traits>

#include "timing/machine/kernels/empty.hpp"
#include "timing/machine/parts.hpp"
#include "workbook/dependent_launch.hpp"

namespace workbook::machine {
namespace {

void launch_empty(cudaStream_t stream = nullptr) {
  void* none[] = {nullptr};
  launch_kernel(empty_kernel, dim3(1), dim3(32), none, stream, /*early=*/false);
}

/// Launches a kernel that may begin before the previous one has ended.
void launch_dependent() {
  void* none[] = {nullptr};
  launch_kernel(handing_over_kernel, dim3(1), dim3(32), none, nullptr, /*early=*/true);
}

using graph = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, cudaError_t (*)(cudaGraphExec_t)>;

/// Returns a chain of empty launches as a graph.
graph graph_of_launches(int launches) {
  cudaStream_t handle = nullptr;
  // Only a stream that does not synchronise with the default stream can be captured.
  check(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking));
  const std::unique_ptr<std::remove_pointer_t<cudaStream_t>, cudaError_t (*)(cudaStream_t)> stream(handle,
                                                                                                   &cudaStreamDestroy);
  cudaGraph_t captured = nullptr;
  check(cudaStreamBeginCapture(handle, cudaStreamCaptureModeThreadLocal));
  for (int k = 0; k < launches; ++k) launch_empty(handle);
  check(cudaStreamEndCapture(handle, &captured));
  cudaGraphExec_t executable = nullptr;
  const cudaError_t made = cudaGraphInstantiate(&executable, captured, 0);
  cudaGraphDestroy(captured);
  check(made);
  return {executable, &cudaGraphExecDestroy};
}

constexpr int long_chain = 40, short_chain = 20;
constexpr int repetitions = 21;

/// Returns the time that each launch adds to a chain. `chain(k)` returns a function that runs a chain of `k` launches.
template <typename Chain>
double microseconds_per_launch(bench& b, Chain chain) {
  const double longer = b.microseconds(chain(long_chain), start::warm, repetitions);
  const double shorter = b.microseconds(chain(short_chain), start::warm, repetitions);
  return (longer - shorter) / (long_chain - short_chain);
}

/// Returns a function that calls `one()` `count` times.
auto repeated(void (*one)(), int count) {
  return [one, count] {
    for (int k = 0; k < count; ++k) one();
  };
}

}  // namespace

nlohmann::json measure_launches(bench& b) {
  b.heading("launches: of a kernel that does nothing, in microseconds");
  const auto one = [] { launch_empty(); };
  nlohmann::json j;
  const auto say = [&](const char* key, const char* words, double us) {
    b.say("  {:<58} {:>8.2f}\n", words, us);
    j[key] = us;
  };
  say("idle_us", "one, on an idle GPU", b.microseconds(one, start::idle, repetitions));
  say("queued_us", "one, queued after other work", b.microseconds(one, start::warm, repetitions));
  say("stream_us_per_launch", "each further one in a stream",
      microseconds_per_launch(b, [&](int count) { return repeated(+one, count); }));
  const graph longer = graph_of_launches(long_chain), shorter = graph_of_launches(short_chain);
  say("graph_us_per_launch", "each further one in a graph", microseconds_per_launch(b, [&](int count) {
        return [&chain = count == long_chain ? longer : shorter] { check(cudaGraphLaunch(chain.get(), nullptr)); };
      }));
  j["dependent_us_per_launch"] = nullptr;
  if (!can_begin_early(handing_over_kernel)) {
    b.tell("  Programmatic dependent launch needs compute capability 9.0.\n");
    return j;
  }
  say("dependent_us_per_launch", "each further one with programmatic dependent launch",
      microseconds_per_launch(b, [&](int count) { return repeated(&launch_dependent, count); }));
  return j;
}

}  // namespace workbook::machine
