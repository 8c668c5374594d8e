// What a launch costs, alone and in a chain.

#include "tools/machine/kernels/empty.hpp"
#include "tools/machine/parts.hpp"
#include "workbook/dependent_launch.hpp"

namespace workbook::machine {
namespace {

void launch_empty(cudaStream_t stream = nullptr) {
  void* none[] = {nullptr};
  launch_kernel(empty_kernel, dim3(1), dim3(32), none, stream, /*early=*/false);
}

/// A launch that may begin before the one in front of it is done.
void launch_dependent() {
  void* none[] = {nullptr};
  launch_kernel(handing_over_kernel, dim3(1), dim3(32), none, nullptr, /*early=*/true);
}

/// A stream that does not wait for the default stream: only such a one may be captured.
class own_stream {
 public:
  own_stream() { check(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking)); }
  ~own_stream() { cudaStreamDestroy(handle_); }
  own_stream(const own_stream&) = delete;
  own_stream& operator=(const own_stream&) = delete;
  [[nodiscard]] cudaStream_t handle() const { return handle_; }

 private:
  cudaStream_t handle_ = nullptr;
};

/// A chain of empty launches as a graph.
class graph_of_launches {
 public:
  explicit graph_of_launches(int launches) {
    const own_stream stream;
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream.handle(), cudaStreamCaptureModeThreadLocal));
    for (int k = 0; k < launches; ++k) launch_empty(stream.handle());
    check(cudaStreamEndCapture(stream.handle(), &graph));
    const cudaError_t made = cudaGraphInstantiate(&executable_, graph, 0);
    cudaGraphDestroy(graph);
    check(made);
  }
  ~graph_of_launches() { cudaGraphExecDestroy(executable_); }
  graph_of_launches(const graph_of_launches&) = delete;
  graph_of_launches& operator=(const graph_of_launches&) = delete;
  void launch() const { check(cudaGraphLaunch(executable_, nullptr)); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

constexpr int long_chain = 40, short_chain = 20;
constexpr int repetitions = 21;

/// Returns what a launch adds to a chain; `chain(k)` returns what runs a chain of `k`.
template <typename Chain>
double microseconds_per_launch(bench& b, Chain chain) {
  const double longer = b.microseconds(chain(long_chain), start::warm, repetitions);
  const double shorter = b.microseconds(chain(short_chain), start::warm, repetitions);
  return (longer - shorter) / (long_chain - short_chain);
}

/// Returns what runs `one` `count` times.
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
  say("queued_us", "one, queued behind work", b.microseconds(one, start::warm, repetitions));
  say("stream_us_per_launch", "each further one in a stream",
      microseconds_per_launch(b, [&](int count) { return repeated(+one, count); }));
  const graph_of_launches longer(long_chain), shorter(short_chain);
  say("graph_us_per_launch", "each further one in a graph", microseconds_per_launch(b, [&](int count) {
        return [&graph = count == long_chain ? longer : shorter] { graph.launch(); };
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
