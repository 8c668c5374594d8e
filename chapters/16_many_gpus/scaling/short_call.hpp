#pragma once
/// \file
/// The base class of all methods to call an all-reduce of short vectors.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "16_many_gpus/experiments.hpp"
#include "16_many_gpus/scaling/host_threads.hpp"
#include "reductions/buffer.hpp"
#include "workbook/dependent_launch.hpp"

namespace chapter16 {

/// How a call is sent to the GPUs.
struct manner {
  enum class by { one_thread, thread_each, graph, one_kernel } how = by::one_thread;
  bool dependent =
      false;  ///< Uses programmatic dependent launch: a kernel may begin before the previous one has ended.
};

[[nodiscard]] std::string words_of(const manner& m);

/// The number of calls in a graph.
inline constexpr unsigned calls_per_graph = 16;

/// Executable graphs, each with a different number of calls.
class graphs {
 public:
  graphs() = default;
  ~graphs() { clear(); }
  graphs(const graphs&) = delete;
  graphs& operator=(const graphs&) = delete;

  /// Captures what `enqueue` puts into the streams of all members.
  void capture(unsigned calls, gpu_group& group, const std::function<void()>& enqueue) {
    const cudaStream_t origin = group.stream(0);
    group.select(0);
    workbook::check(cudaStreamBeginCapture(origin, cudaStreamCaptureModeThreadLocal));
    cudaGraph_t graph = nullptr;
    try {
      group.record(0);
      for (unsigned m = 1; m < group.size(); ++m) group.wait(m, 0);
      for (unsigned k = 0; k < calls; ++k) enqueue();
      for (unsigned m = 1; m < group.size(); ++m) {
        group.record(m);
        group.wait(0, m);
      }
    } catch (...) {
      group.select(0);
      cudaStreamEndCapture(origin, &graph);
      if (graph != nullptr) cudaGraphDestroy(graph);
      throw;
    }
    group.select(0);
    workbook::check(cudaStreamEndCapture(origin, &graph));
    cudaGraphExec_t executable = nullptr;
    const cudaError_t made = cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphDestroy(graph);
    workbook::check(made);
    all_.emplace(calls, executable);
  }
  void clear() {
    for (const auto& [calls, one] : all_) cudaGraphExecDestroy(one);
    all_.clear();
  }
  void launch(unsigned calls, cudaStream_t stream) const { workbook::check(cudaGraphLaunch(all_.at(calls), stream)); }

 private:
  std::map<unsigned, cudaGraphExec_t> all_;
};

/// A method to call an all-reduce in a given manner.
class short_call : public all_reduce_experiment<float> {
 public:
  /// \param kernel  the kernel that is launched; null if a library launches its own
  short_call(const workbook::problem& p, reach each_other, const manner& m, const void* kernel)
      : all_reduce_experiment(p, each_other), manner_(m), kernel_(kernel) {
    if (m.dependent && (kernel == nullptr || !workbook::can_begin_early(kernel)))
      throw std::runtime_error("its kernel is not made for dependent launches: these need compute capability 9.0");
    if (m.how == manner::by::thread_each) threads_ = std::make_unique<host_threads>(size());
  }
  /// Returns the microseconds of one call, from idle GPUs until the host knows that all of them have ended.
  [[nodiscard]] double alone_us() {
    wait_for_all_streams();
    if (threads_ != nullptr) {
      return threads_->run([this](unsigned m) {
        group_.select(m);
        enqueue_of(m, 1);
        workbook::check(cudaStreamSynchronize(group_.stream(m)));
      });
    }
    const auto begin = std::chrono::steady_clock::now();
    enqueue(1);
    wait_for_all_streams();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  }

 protected:
  /// Queues one member's part of the calls in its stream. The member's GPU is the current one.
  virtual void enqueue_of(unsigned member, unsigned calls) = 0;
  /// Queues one call in all streams.
  virtual void enqueue_one() {
    for (unsigned m = 0; m < size(); ++m) {
      group_.select(m);
      enqueue_of(m, 1);
    }
  }
  /// Must be called at the end of the derived class's constructor, when the method is ready for calls.
  void capture_graphs() {
    if (manner_.how != manner::by::graph) return;
    try {
      for (const unsigned calls : {1u, calls_per_graph}) graphs_.capture(calls, group_, [this] { enqueue_one(); });
    } catch (...) {
      drop_graphs();
      throw;
    }
    group_.select(0);
  }
  void drop_graphs() { graphs_.clear(); }
  [[nodiscard]] const manner& called() const { return manner_; }
  /// Launches the kernel on the current GPU, which is that of `m`, with a thread for each element.
  void launch_on(unsigned m, void** arguments) {
    workbook::launch_kernel(kernel_, grid_for(count_), dim3(block_size_), arguments, group_.stream(m),
                            manner_.dependent);
  }
  void wait_for_all_streams() {
    for (unsigned m = 0; m < size(); ++m) workbook::check(cudaStreamSynchronize(group_.stream(m)));
    group_.select(0);
  }

 private:
  void run() override { run_calls(1); }
  void run_calls(unsigned calls) override {
    enqueue(calls);
    for (unsigned m = 0; m < size(); ++m) group_.record(m);
    group_.select(0);
  }
  void enqueue(unsigned calls) {
    switch (manner_.how) {
      case manner::by::one_thread:
        for (unsigned k = 0; k < calls; ++k) enqueue_one();
        break;
      case manner::by::thread_each:
        threads_->run([&](unsigned m) {
          group_.select(m);
          enqueue_of(m, calls);
        });
        break;
      case manner::by::graph:
        group_.select(0);
        for (unsigned k = 0; k < calls / calls_per_graph; ++k) graphs_.launch(calls_per_graph, group_.stream(0));
        for (unsigned k = 0; k < calls % calls_per_graph; ++k) graphs_.launch(1, group_.stream(0));
        break;
      case manner::by::one_kernel:
        for (unsigned m = 0; m < size(); ++m) {
          group_.select(m);
          enqueue_of(m, calls);
        }
        break;
    }
  }

  manner manner_;
  const void* kernel_;
  graphs graphs_;
  std::unique_ptr<host_threads> threads_;
};

// Defined in short_kernels.cu.

/// A kernel (members<float> all, mailboxes boxes, unsigned* called, unsigned me, unsigned count, unsigned rounds): does
/// `rounds` exchanges by mailboxes, one after the other, as in mailbox_exchange.cuh. The number of the call isn't a
/// parameter: each thread counts its calls in `called`, so a graph can pass the same parameters every time. In a
/// dependent launch, it lets the next kernel in its stream begin early. \param gives_up  true to stop waiting for a
/// letter after some seconds, with a wrong sum
const void* counting_mailbox_kernel(bool gives_up);

/// A kernel (members<float> all, unsigned count) that one GPU runs for all GPUs: it loads from all vectors, and stores
/// the sums in all of them.
const void* serving_kernel();

struct short_way {
  std::string name;
  manner called;
  std::function<std::unique_ptr<short_call>(const workbook::problem&, const manner&)> make;
};

/// Returns the methods: mailboxes, one GPU for all, and NCCL; and kernels that do nothing.
[[nodiscard]] std::vector<short_way> ways_to_call();

}  // namespace chapter16
