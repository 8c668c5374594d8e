// Measures each pair of GPUs: bytes over the link, and steps in which the two GPUs wait for each other. Measures the
// same in rings of more than two GPUs, and the link to the host.

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "timing/machine/kernels/empty.hpp"
#include "timing/machine/kernels/links.hpp"
#include "timing/machine/parts.hpp"
#include "timing/machine/ring_of_gpus.hpp"
#include "workbook/dependent_launch.hpp"

namespace workbook::machine {
namespace {

constexpr int repetitions = 31;
constexpr unsigned block_size = 256;

class link_bench {
 public:
  link_bench(bench& b, std::vector<int> gpus)
      : b_(b),
        bytes_(b.size(std::size_t{256} << 20, std::size_t{64} << 10)),
        gpus_(std::move(gpus)),
        arrays_(gpus_.size()) {
    for (unsigned m = 0; m < gpus_.size(); ++m) {
      gpus_.select(m);
      for (device_bytes& one : arrays_[m]) {
        one = device_bytes(bytes_);
        check(cudaMemset(one.data(), 1, bytes_));
      }
      check(cudaDeviceSynchronize());
    }
    check(cudaSetDevice(0));
  }

  /// Measures one pair of GPUs.
  nlohmann::json measure_pair() {
    nlohmann::json j = head();
    b_.say("  GPUs {} and {}: {} MiB, each sends as much as it receives, GB/s of one direction\n", gpus_.device(0),
           gpus_.device(1), bytes_ >> 20);
    rate(j, "copy_one_way", "copies, one way", 1, [&](unsigned m) { copy(m, bytes_); });
    rate(j, "copy_both_ways", "copies, both ways at once", 2, [&](unsigned m) { copy(m, bytes_); });
    if (gpus_.peers()) by_kernels(j);
    b_.say("  Steps in which both do something small and wait for each other by events, microseconds\n");
    j["group_us"] = say("neither does anything, as a whole", microseconds([] {}));
    say_each(j, "copy_relay_us", "in turns: one copies 4 bytes from the other, which waits", [&](unsigned k) {
      copy(k % 2, sizeof(unsigned));
      gpus_.meet();
    });
    // A step of a tree: GPU 0 runs a kernel, for example one that reads GPU 1's data. GPU 1 waits for the kernel's end
    // and answers by an event, and the next kernel waits for this event.
    say_each(j, "kernel_answer_us", "one launches a kernel, and the other answers", [&](unsigned) {
      launch_empty(0);
      for (const unsigned m : {0u, 1u}) gpus_.tell_the_right(m);
    });
    steps(j);
    const auto vectors = static_cast<unsigned>(bytes_ / 16);
    rate(
        j, "memory", "a copy inside one GPU, read and written, GB/s", 1,
        [&](unsigned m) { move(m, vector_moving_kernel, mine(m), sent(m), vectors, true); }, 2);
    return j;
  }

  /// Measures the same for a ring of any number of GPUs, as far as it makes sense for more than two. This shows if a
  /// step of four GPUs costs more than a step of two, without running an all-reduce.
  nlohmann::json measure_ring() {
    nlohmann::json j = head();
    const unsigned all = gpus_.size();
    b_.say("  A ring of {} GPUs: {} MiB from each to its neighbour, GB/s of one direction\n", all, bytes_ >> 20);
    rate(j, "copy_both_ways", "copies, all at once", all, [&](unsigned m) { copy(m, bytes_); });
    if (gpus_.peers()) {
      rate(j, "load_words", "loads of 4 bytes, all at once", all, loading(word_moving_kernel, words(), true));
      rate(j, "store_words", "stores of 4 bytes, all at once", all, storing(word_moving_kernel, words(), true));
    }
    b_.say("  Steps in which all do something small and wait for their neighbours by events, microseconds\n");
    steps(j);
    return j;
  }

  /// Measures the same steps with more than one word, because a short transfer does not reach the rate of a long one.
  [[nodiscard]] nlohmann::json measure_sizes() {
    nlohmann::json rows = nlohmann::json::array();
    for (const std::size_t bytes : {std::size_t{1} << 12, std::size_t{1} << 16, std::size_t{1} << 18,
                                    std::size_t{1} << 20, std::size_t{1} << 22, std::size_t{1} << 24}) {
      if (bytes > bytes_) break;
      nlohmann::json row = {{"bytes", bytes}};
      const auto what = [&](const char* text) { return fmt::format("each {} KiB {}", bytes >> 10, text); };
      step(row, "copy_step_us", what("by a copy").c_str(), [&](unsigned m) { copy(m, bytes); });
      if (gpus_.peers())
        step(row, "load_step_us", what("by loads of 4 bytes").c_str(),
             loading(word_moving_kernel, static_cast<unsigned>(bytes / sizeof(unsigned)), true));
      if (gpus_.peers() && gpus_.size() == 2)
        say_each(row, "share_us", what("by loads and stores, without waiting").c_str(), [&](unsigned) {
          for (const unsigned m : {0u, 1u}) share(m, bytes);
        });
      rows.push_back(row);
    }
    return rows;
  }

 private:
  using work = std::function<void(unsigned member)>;

  [[nodiscard]] nlohmann::json head() const {
    return {{"gpus", gpus_.gpus()}, {"bytes", bytes_}, {"peers", gpus_.peers()}};
  }
  double say(const char* what, double value) {
    b_.say("  {:<58} {:>8.2f}\n", what, value);
    return value;
  }
  [[nodiscard]] std::byte* mine(unsigned member) const { return arrays_[member][0].data(); }
  [[nodiscard]] std::byte* sent(unsigned member) const { return arrays_[member][1].data(); }
  [[nodiscard]] unsigned words() const { return static_cast<unsigned>(bytes_ / sizeof(unsigned)); }

  void copy(unsigned member, std::size_t bytes) {
    const unsigned from = gpus_.left(member);
    check(cudaMemcpyPeerAsync(mine(member), gpus_.device(member), sent(from), gpus_.device(from), bytes,
                              gpus_.stream(member)));
  }
  void launch_on(unsigned member, const void* kernel, unsigned grid_size, unsigned threads, void** arguments,
                 bool early = false) {
    gpus_.select(member);
    launch_kernel(kernel, dim3(grid_size), dim3(threads), arguments, gpus_.stream(member), early);
  }
  void launch_empty(unsigned member) {
    void* none[] = {nullptr};
    launch_on(member, empty_kernel, 1, 32, none);
  }
  /// Moves `count` units from one array to another, with one thread per unit or, if `resident`, with a resident grid.
  void move(unsigned member, const void* kernel, std::byte* to, const std::byte* from, unsigned count, bool resident) {
    const unsigned each = (count + block_size - 1) / block_size;
    const unsigned grid_size = resident ? std::min(each, resident_blocks(kernel)) : each;
    void* arguments[] = {&to, &from, &count};
    launch_on(member, kernel, grid_size, block_size, arguments);
  }
  static unsigned resident_blocks(const void* kernel) {
    return blocks_that_fit(kernel, block_size) *
           static_cast<unsigned>(device_attribute(cudaDevAttrMultiProcessorCount));
  }
  /// Returns the work in which each GPU loads the data of its left neighbour.
  work loading(const void* kernel, unsigned count, bool resident) {
    return [=, this](unsigned m) { move(m, kernel, mine(m), sent(gpus_.left(m)), count, resident); };
  }
  /// Returns the work in which each GPU stores its data in its right neighbour's memory.
  work storing(const void* kernel, unsigned count, bool resident) {
    return [=, this](unsigned m) { move(m, kernel, mine(gpus_.right(m)), sent(m), count, resident); };
  }

  /// Returns the time that all GPUs take for the work that `queue` enqueues.
  double microseconds(const std::function<void()>& queue) {
    return b_.microseconds(
        [&] {
          gpus_.begin();
          queue();
          gpus_.end();
        },
        start::warm, repetitions);
  }
  /// Measures the time that each further repetition takes. `queue` is called with the number of the repetition.
  void say_each(nlohmann::json& j, const char* key, const char* what, const std::function<void(unsigned k)>& queue) {
    constexpr unsigned many = 40, few = 8;
    const auto time = [&](unsigned count) {
      return microseconds([&] {
        for (unsigned k = 0; k < count; ++k) queue(k);
      });
    };
    j[key] = say(what, (time(many) - time(few)) / (many - few));
  }
  void step(nlohmann::json& j, const char* key, const char* what, const work& each) {
    say_each(j, key, what, [&](unsigned) {
      for (unsigned m = 0; m < gpus_.size(); ++m) each(m);
      gpus_.meet();
    });
  }
  void steps(nlohmann::json& j) {
    step(j, "wait_step_us", "nothing but the waiting", [](unsigned) {});
    step(j, "copy_step_us", "each copies 4 bytes from its neighbour", [&](unsigned m) { copy(m, sizeof(unsigned)); });
    step(j, "kernel_step_us", "each launches a kernel", [&](unsigned m) { launch_empty(m); });
    step(j, "copy_kernel_step_us", "each copies 4 bytes and launches a kernel", [&](unsigned m) {
      copy(m, sizeof(unsigned));
      launch_empty(m);
    });
    say_each(j, "launch_us", "each launches a kernel, without waiting", [&](unsigned) {
      for (unsigned m = 0; m < gpus_.size(); ++m) launch_empty(m);
    });
    const bool early = can_begin_early(handing_over_kernel);
    say_each(j, "dependent_launch_us",
             early ? "  the same, dependent launches" : "  the same, as dependent launches are not supported",
             [&](unsigned) {
               void* none[] = {nullptr};
               for (unsigned m = 0; m < gpus_.size(); ++m) launch_on(m, handing_over_kernel, 1, 32, none, early);
             });
  }
  /// Measures the GB/s of one direction while each of the first `members` GPUs of the ring does the work `each`.
  void rate(nlohmann::json& j, const char* key, const char* what, unsigned members, const work& each,
            double times = 1) {
    const double us = b_.least_microseconds(
        [&] {
          gpus_.begin();
          for (unsigned m = 0; m < members; ++m) each(m);
          gpus_.end();
        },
        start::warm);
    j[key + std::string("_gb_per_s")] = say(what, times * static_cast<double>(bytes_) / us / 1e3);
  }

  void by_kernels(nlohmann::json& j) {
    const auto vectors = static_cast<unsigned>(bytes_ / 16);
    rate(j, "load_one_way", "loads of 16 bytes, one way", 1, loading(vector_moving_kernel, vectors, true));
    rate(j, "load_both_ways", "loads of 16 bytes, both ways at once", 2, loading(vector_moving_kernel, vectors, true));
    rate(j, "load_vectors_each", "  the same, a thread for each", 2, loading(vector_moving_kernel, vectors, false));
    rate(j, "load_words", "loads of 4 bytes, both ways at once", 2, loading(word_moving_kernel, words(), true));
    rate(j, "load_words_each", "  the same, a thread for each", 2, loading(word_moving_kernel, words(), false));
    rate(j, "store_both_ways", "stores of 16 bytes, both ways at once", 2,
         storing(vector_moving_kernel, vectors, true));
    rate(j, "store_words", "stores of 4 bytes, both ways at once", 2, storing(word_moving_kernel, words(), true));
    rate(j, "share_both_ways", "loads and stores of 16 bytes, both ways at once", 2,
         [&](unsigned m) { share(m, bytes_); });
    j["word_us"] = say("a word to the other GPU and seen there, microseconds", word_time());
  }

  /// One of two GPUs handles its half of `bytes` bytes. Half of all bytes arrive at each GPU, by its own loads and by
  /// the other GPU's stores, and the same number of bytes leave it.
  void share(unsigned member, std::size_t bytes) {
    std::byte* own = mine(member) + std::size_t{member} * bytes / 2;
    std::byte* other = mine(1 - member) + std::size_t{member} * bytes / 2;
    auto count = static_cast<unsigned>(bytes / 16 / 2);
    void* arguments[] = {static_cast<void*>(&own), static_cast<void*>(&other), &count};
    launch_on(member, sharing_kernel, std::min((count + block_size - 1) / block_size, resident_blocks(sharing_kernel)),
              block_size, arguments);
  }

  /// Returns the time in which one word gets to the other GPU, if a kernel on each GPU sends it back and forth.
  double word_time() {
    const unsigned many = b_.size(2000u, 20u), few = many / 2;
    const auto time = [&](unsigned answers) {
      return microseconds([&, answers] {
        for (const unsigned m : {0u, 1u}) check(cudaMemsetAsync(mine(m), 0, sizeof(unsigned), gpus_.stream(m)));
        gpus_.meet();
        for (const unsigned m : {0u, 1u}) {
          std::byte* own = mine(m);
          std::byte* other = mine(1 - m);
          unsigned first = m, last = answers - 2 + first;
          void* arguments[] = {&own, &other, &first, &last};
          launch_on(m, answering_kernel, 1, 1, arguments);
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
  ring_of_gpus gpus_;
  std::vector<std::array<device_bytes, 2>> arrays_;
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
  nlohmann::json j = {{"host", host_link(b)},
                      {"pair", nullptr},
                      {"other_pairs", nlohmann::json::array()},
                      {"rings", nlohmann::json::array()}};
  int devices = 1;
  check(cudaGetDeviceCount(&devices));
  j["gpus"] = devices;
  if (devices < 2) {
    b.tell("  There is one GPU, so no link between two.\n");
    return j;
  }
  {
    link_bench both(b, {0, 1});
    j["pair"] = both.measure_pair();
    j["pair"]["sizes"] = both.measure_sizes();
  }
  for (int first = 0; first < devices; ++first) {
    for (int second = std::max(2, first + 1); second < devices; ++second)
      j["other_pairs"].push_back(link_bench(b, {first, second}).measure_pair());
  }
  std::vector<int> ring = {0, 1};
  for (int next = 2; next < devices; ++next) {
    ring.push_back(next);
    link_bench all(b, ring);
    j["rings"].push_back(all.measure_ring());
    j["rings"].back()["sizes"] = all.measure_sizes();
  }
  return j;
}

}  // namespace workbook::machine
