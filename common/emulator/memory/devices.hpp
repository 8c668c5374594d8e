#pragma once
/// \file
/// Several devices of one machine: which one a thread of the host talks to, who may use whose memory, and what went
/// over the links between them.

#include <array>
#include <atomic>
#include <cstdint>

namespace emulator::memory {

inline constexpr int most_devices = 16;
/// Stands for the host among the ends of links.
inline constexpr int host_end = most_devices;

/// What went over a link in one direction. Bytes of kernels are those that their lanes ask for.
struct link_counters {
  std::atomic<std::uint64_t> copies{0}, copied_bytes{0};
  std::atomic<std::uint64_t> load_requests{0}, load_bytes{0};
  std::atomic<std::uint64_t> store_requests{0}, store_bytes{0};
  std::atomic<std::uint64_t> atomic_requests{0}, atomic_bytes{0};
};

/// The devices of one machine. All members are safe to call from several host threads.
class device_table {
 public:
  /// Sets how many there are, and whether they can reach each other's memory. No device may have been used.
  void set(int count, bool peers) {
    count_ = count;
    peers_ = peers;
  }
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] bool has(int number) const { return number >= 0 && number < count_; }
  [[nodiscard]] bool peers_possible() const { return peers_; }

  /// Whose kernel runs: launches are carried out one at a time.
  [[nodiscard]] int running() const { return running_.load(std::memory_order_relaxed); }
  void run_on(int number) { running_.store(number, std::memory_order_relaxed); }

  /// Says whether kernels of `user` may use the memory of `owner`.
  [[nodiscard]] bool may_access(int user, int owner) const {
    return user == owner || access_[user][owner].load(std::memory_order_relaxed);
  }
  void set_access(int user, int owner, bool allowed) { access_[user][owner] = allowed; }
  /// Takes back every access that a device was given, or gave.
  void forget_access(int number) {
    for (int other = 0; other < most_devices; ++other) access_[number][other] = access_[other][number] = false;
  }

  [[nodiscard]] link_counters& link(int from, int to) { return links_[from][to]; }

 private:
  std::atomic<int> count_{1};
  std::atomic<bool> peers_{true};
  std::atomic<int> running_{0};
  std::array<std::array<std::atomic<bool>, most_devices>, most_devices> access_{};
  std::array<std::array<link_counters, most_devices + 1>, most_devices + 1> links_;
};

/// Returns the device that this thread of the host has chosen; 0 until it chooses one.
[[nodiscard]] int current_device();
void choose_device(int number);

/// Chooses a device for as long as it lives.
class on_device {
 public:
  explicit on_device(int number) : before_(current_device()) { choose_device(number); }
  ~on_device() { choose_device(before_); }
  on_device(const on_device&) = delete;
  on_device& operator=(const on_device&) = delete;

 private:
  int before_;
};

}  // namespace emulator::memory
