// What two GPUs cost each other: bytes over the link, and steps in which they wait for each other. And the link to the
// host.

#include <algorithm>
#include <array>

#include "tools/machine/kernels/empty.hpp"
#include "tools/machine/kernels/links.hpp"
#include "tools/machine/parts.hpp"
#include "workbook/dependent_launch.hpp"

namespace workbook::machine {
namespace {

constexpr int repetitions = 31;
constexpr unsigned block_size = 256;

/// GPUs 0 and 1 with a stream each, which begin behind GPU 0's default stream and end in front of what follows there.
class two_gpus {
 public:
  two_gpus() {
    for (int gpu : {0, 1}) {
      int reaches = 0;
      check(cudaDeviceCanAccessPeer(&reaches, gpu, 1 - gpu));
      peers_ = peers_ && reaches != 0;
    }
    for (int gpu : {1, 0}) {  // GPU 0 stays the current one
      check(cudaSetDevice(gpu));
      if (peers_) check(cudaDeviceEnablePeerAccess(1 - gpu, 0));
      check(cudaStreamCreateWithFlags(&streams_.at(gpu), cudaStreamNonBlocking));
      check(cudaEventCreateWithFlags(&done_.at(gpu), cudaEventDisableTiming));
    }
    check(cudaEventCreateWithFlags(&begun_, cudaEventDisableTiming));
  }
  ~two_gpus() {
    for (int gpu : {1, 0}) {
      cudaSetDevice(gpu);
      cudaStreamSynchronize(streams_.at(gpu));
      cudaStreamDestroy(streams_.at(gpu));
      cudaEventDestroy(done_.at(gpu));
      if (peers_) cudaDeviceDisablePeerAccess(1 - gpu);
    }
    cudaEventDestroy(begun_);
  }
  two_gpus(const two_gpus&) = delete;
  two_gpus& operator=(const two_gpus&) = delete;

  [[nodiscard]] bool peers() const { return peers_; }
  [[nodiscard]] cudaStream_t stream(int gpu) const { return streams_.at(gpu); }
  void select(int gpu) const { check(cudaSetDevice(gpu)); }
  void begin() {
    check(cudaEventRecord(begun_, nullptr));
    for (const cudaStream_t one : streams_) check(cudaStreamWaitEvent(one, begun_, 0));
  }
  /// Each waits for what the other has been given so far.
  void meet() {
    record();
    for (int gpu : {0, 1}) check(cudaStreamWaitEvent(streams_.at(gpu), done_.at(1 - gpu), 0));
  }
  /// The other one waits for what `gpu` has been given so far.
  void tell_the_other(int gpu) {
    record(gpu);
    check(cudaStreamWaitEvent(streams_.at(1 - gpu), done_.at(gpu), 0));
  }
  void end() {
    record();
    for (const cudaEvent_t one : done_) check(cudaStreamWaitEvent(nullptr, one, 0));
  }

 private:
  void record() {
    for (int gpu : {1, 0}) record(gpu);
  }
  void record(int gpu) {
    select(gpu);
    check(cudaEventRecord(done_.at(gpu), streams_.at(gpu)));
  }

  bool peers_ = true;
  std::array<cudaStream_t, 2> streams_{};
  std::array<cudaEvent_t, 2> done_{};
  cudaEvent_t begun_ = nullptr;
};

class link_bench {
 public:
  explicit link_bench(bench& b) : b_(b), bytes_(b.size(std::size_t{256} << 20, std::size_t{64} << 10)) {
    for (int gpu : {0, 1}) {
      gpus_.select(gpu);
      for (device_bytes& one : arrays_.at(gpu)) {
        one = device_bytes(bytes_);
        check(cudaMemset(one.data(), 1, bytes_));
      }
      check(cudaDeviceSynchronize());
    }
    gpus_.select(0);
  }

  nlohmann::json measure() {
    nlohmann::json j = {{"bytes", bytes_}, {"peers", gpus_.peers()}};
    b_.say("  {} MiB of which each GPU sends as much as it gets, GB/s of one direction\n", bytes_ >> 20);
    rate(j, "copy_one_way", "copies, one way", 1, [&](int gpu) { copy(gpu, bytes_); });
    rate(j, "copy_both_ways", "copies, both ways at once", 2, [&](int gpu) { copy(gpu, bytes_); });
    if (gpus_.peers()) by_kernels(j);
    b_.say("  Steps in which both do something small and wait for each other by events, microseconds\n");
    j["group_us"] = say("neither does anything, as a whole", microseconds([] {}));
    steps(j, "wait_step_us", "nothing but the waiting", [](int) {});
    say_each(j, "copy_relay_us", "in turns: one copies 4 bytes from the other, which waits", [&](int k) {
      copy(k % 2, sizeof(unsigned));
      gpus_.meet();
    });
    steps(j, "copy_step_us", "each copies 4 bytes from the other", [&](int gpu) { copy(gpu, sizeof(unsigned)); });
    steps(j, "kernel_step_us", "each launches a kernel", [&](int gpu) { launch_empty(gpu); });
    // A round of a tree: the other GPU, whose data the kernel read, waits for its end, and answers by an event that it
    // has; for which the next kernel waits.
    say_each(j, "kernel_answer_us", "one launches a kernel, and the other answers", [&](int) {
      launch_empty(0);
      for (int gpu : {0, 1}) gpus_.tell_the_other(gpu);
    });
    launches(j);
    steps(j, "copy_kernel_step_us", "each copies 4 bytes and launches a kernel", [&](int gpu) {
      copy(gpu, sizeof(unsigned));
      launch_empty(gpu);
    });
    const auto vectors = static_cast<unsigned>(bytes_ / 16);
    rate(
        j, "memory", "a copy inside one GPU, read and written, GB/s", 1,
        [&](int gpu) { move(gpu, vector_moving_kernel, mine(gpu), sent(gpu), vectors, true); }, 2);
    return j;
  }

 private:
  using work = std::function<void(int gpu)>;

  double say(const char* what, double value) {
    b_.say("  {:<58} {:>8.2f}\n", what, value);
    return value;
  }
  [[nodiscard]] std::byte* mine(int gpu) const { return arrays_.at(gpu)[0].data(); }
  [[nodiscard]] std::byte* sent(int gpu) const { return arrays_.at(gpu)[1].data(); }

  void copy(int gpu, std::size_t bytes) {
    check(cudaMemcpyPeerAsync(mine(gpu), gpu, sent(1 - gpu), 1 - gpu, bytes, gpus_.stream(gpu)));
  }
  void launch_on(int gpu, const void* kernel, unsigned grid_size, unsigned threads, void** arguments,
                 bool early = false) {
    gpus_.select(gpu);
    launch_kernel(kernel, dim3(grid_size), dim3(threads), arguments, gpus_.stream(gpu), early);
  }
  void launch_empty(int gpu) {
    void* none[] = {nullptr};
    launch_on(gpu, empty_kernel, 1, 32, none);
  }
  /// Moves `count` units from one array to another: by a thread each, or by as many threads as run at once.
  void move(int gpu, const void* kernel, std::byte* to, const std::byte* from, unsigned count, bool resident) {
    const unsigned each = (count + block_size - 1) / block_size;
    const unsigned grid_size = resident ? std::min(each, resident_blocks(kernel)) : each;
    void* arguments[] = {&to, &from, &count};
    launch_on(gpu, kernel, grid_size, block_size, arguments);
  }
  static unsigned resident_blocks(const void* kernel) {
    return blocks_that_fit(kernel, block_size) *
           static_cast<unsigned>(device_attribute(cudaDevAttrMultiProcessorCount));
  }

  /// What it takes both to do what `queue` gives them.
  double microseconds(const std::function<void()>& queue) {
    return b_.microseconds(
        [&] {
          gpus_.begin();
          queue();
          gpus_.end();
        },
        start::warm, repetitions);
  }
  /// What one more takes of something that is done again and again; `queue` is called with how often it was.
  void say_each(nlohmann::json& j, const char* key, const char* what, const std::function<void(int k)>& queue) {
    constexpr int many = 40, few = 8;
    const auto time = [&](int count) {
      return microseconds([&] {
        for (int k = 0; k < count; ++k) queue(k);
      });
    };
    j[key] = say(what, (time(many) - time(few)) / (many - few));
  }
  void steps(nlohmann::json& j, const char* key, const char* what, const work& step) {
    say_each(j, key, what, [&](int) {
      for (int gpu : {0, 1}) step(gpu);
      gpus_.meet();
    });
  }
  /// Both launch kernels, and nobody waits: plainly, and dependently where the GPUs know that.
  void launches(nlohmann::json& j) {
    say_each(j, "launch_us", "each launches a kernel, and nobody waits", [&](int) {
      for (int gpu : {0, 1}) launch_empty(gpu);
    });
    const bool early = can_begin_early(handing_over_kernel);
    say_each(j, "dependent_launch_us",
             early ? "  the same, dependent launches" : "  the same, for want of dependent ones", [&](int) {
               void* none[] = {nullptr};
               for (int gpu : {0, 1}) launch_on(gpu, handing_over_kernel, 1, 32, none, early);
             });
  }
  /// GB/s of one direction, where as many GPUs as `directions` says are given `each`.
  void rate(nlohmann::json& j, const char* key, const char* what, int directions, const work& each, double times = 1) {
    const double us = b_.least_microseconds(
        [&] {
          gpus_.begin();
          for (int gpu = 0; gpu < directions; ++gpu) each(gpu);
          gpus_.end();
        },
        start::warm);
    j[key + std::string("_gb_per_s")] = say(what, times * static_cast<double>(bytes_) / us / 1e3);
  }

  void by_kernels(nlohmann::json& j) {
    const auto words = static_cast<unsigned>(bytes_ / sizeof(unsigned)), vectors = static_cast<unsigned>(bytes_ / 16);
    const auto loading = [&](const void* kernel, unsigned count, bool resident) -> work {
      return [=, this](int gpu) { move(gpu, kernel, mine(gpu), sent(1 - gpu), count, resident); };
    };
    const auto storing = [&](const void* kernel, unsigned count, bool resident) -> work {
      return [=, this](int gpu) { move(gpu, kernel, mine(1 - gpu), sent(gpu), count, resident); };
    };
    rate(j, "load_one_way", "loads of 16 bytes, one way", 1, loading(vector_moving_kernel, vectors, true));
    rate(j, "load_both_ways", "loads of 16 bytes, both ways at once", 2, loading(vector_moving_kernel, vectors, true));
    rate(j, "load_vectors_each", "  the same, a thread for each", 2, loading(vector_moving_kernel, vectors, false));
    rate(j, "load_words", "loads of 4 bytes, both ways at once", 2, loading(word_moving_kernel, words, true));
    rate(j, "load_words_each", "  the same, a thread for each", 2, loading(word_moving_kernel, words, false));
    rate(j, "store_both_ways", "stores of 16 bytes, both ways at once", 2,
         storing(vector_moving_kernel, vectors, true));
    rate(j, "store_words", "stores of 4 bytes, both ways at once", 2, storing(word_moving_kernel, words, true));
    // Each shares out one half: half of the bytes come in by its loads and as many by the other's stores, and so go
    // out.
    rate(j, "share_both_ways", "loads and stores of 16 bytes, both ways at once", 2, [&](int gpu) {
      std::byte* const own = mine(gpu) + static_cast<std::size_t>(gpu) * bytes_ / 2;
      std::byte* const other = mine(1 - gpu) + static_cast<std::size_t>(gpu) * bytes_ / 2;
      unsigned count = vectors / 2;
      void* arguments[] = {const_cast<std::byte**>(&own), const_cast<std::byte**>(&other), &count};
      launch_on(gpu, sharing_kernel, std::min((count + block_size - 1) / block_size, resident_blocks(sharing_kernel)),
                block_size, arguments);
    });
    j["word_us"] = say("a word to the other GPU and seen there, microseconds", word_time());
  }

  /// One way of a word that a kernel on each GPU sends back and forth.
  double word_time() {
    const unsigned many = b_.size(2000u, 20u), few = many / 2;
    const auto time = [&](unsigned answers) {
      return microseconds([&, answers] {
        for (int gpu : {0, 1}) check(cudaMemsetAsync(mine(gpu), 0, sizeof(unsigned), gpus_.stream(gpu)));
        gpus_.meet();
        for (int gpu : {0, 1}) {
          std::byte* own = mine(gpu);
          std::byte* other = mine(1 - gpu);
          unsigned first = static_cast<unsigned>(gpu), last = answers - 2 + first;
          void* arguments[] = {&own, &other, &first, &last};
          launch_on(gpu, answering_kernel, 1, 1, arguments);
        }
      });
    };
    const double us = (time(many) - time(few)) / (many - few);
    unsigned last = 0;
    check(cudaMemcpy(&last, mine(0), sizeof last, cudaMemcpyDefault));
    b_.expect(last == few, fmt::format("the last word sent should be {} and is {}", few, last));
    return us;
  }

  bench& b_;
  std::size_t bytes_;
  two_gpus gpus_;
  std::array<std::array<device_bytes, 2>, 2> arrays_;
};

nlohmann::json host_link(bench& b) {
  const std::size_t bytes = b.size(std::size_t{256} << 20, std::size_t{64} << 10);
  const device_bytes on_gpu(bytes);
  check(cudaMemset(on_gpu.data(), 1, bytes));
  nlohmann::json j = {{"bytes", bytes}};
  b.say("  {} MiB between the host's memory and GPU 0, GB/s\n", bytes >> 20);
  for (const bool locked : {true, false}) {
    std::vector<std::byte> ordinary(locked ? 0 : bytes, std::byte{1});
    void* on_host = ordinary.data();
    if (locked) check(cudaMallocHost(&on_host, bytes));
    const std::unique_ptr<void, cudaError_t (*)(void*)> owned(locked ? on_host : nullptr, &cudaFreeHost);
    for (const bool to_gpu : {true, false}) {
      const auto run = [&] {
        check(to_gpu ? cudaMemcpyAsync(on_gpu.data(), on_host, bytes, cudaMemcpyHostToDevice, nullptr)
                     : cudaMemcpyAsync(on_host, on_gpu.data(), bytes, cudaMemcpyDeviceToHost, nullptr));
      };
      const double rate = static_cast<double>(bytes) / b.least_microseconds(run, start::idle) / 1e3;
      b.say("  {:<58} {:>8.2f}\n",
            fmt::format("{}, {} the GPU", locked ? "page-locked" : "ordinary memory", to_gpu ? "to" : "from"), rate);
      j[fmt::format("{}_{}_gpu_gb_per_s", locked ? "locked" : "ordinary", to_gpu ? "to" : "from")] = rate;
    }
  }
  return j;
}

}  // namespace

nlohmann::json measure_links(bench& b) {
  b.heading("links");
  nlohmann::json j = {{"host", host_link(b)}, {"pair", nullptr}};
  int devices = 1;
  check(cudaGetDeviceCount(&devices));
  j["gpus"] = devices;
  if (devices < 2) {
    b.tell("  There is one GPU, so no link between two.\n");
    return j;
  }
  j["pair"] = link_bench(b).measure();
  return j;
}

}  // namespace workbook::machine
