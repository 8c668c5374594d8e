#pragma once
/// \file
/// The devices of one machine: the current device of each host thread, peer access, and the traffic on the links
/// between devices.

#include <array>
#include <atomic>
#include <cstdint>

namespace emulator::memory {

inline constexpr int max_devices = 16;
/// The number that represents the host as the end of a link.
inline constexpr int host_end = max_devices;

/// The traffic on a link in one direction. For kernels, the bytes that the lanes request are counted.
struct link_counters {
  std::atomic<std::uint64_t> copies{0}, copied_bytes{0};
  std::atomic<std::uint64_t> load_requests{0}, load_bytes{0};
  std::atomic<std::uint64_t> store_requests{0}, store_bytes{0};
  std::atomic<std::uint64_t> atomic_requests{0}, atomic_bytes{0};
};

/// The devices of one machine. All members are safe to call from several host threads.
class device_table {
 public:
  /// Sets the number of devices, and whether they can access each other's memory. Must be called before any device is
  /// used.
  void set(int count, bool peers) {
    count_ = count;
    peers_ = peers;
  }
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] bool has(int number) const { return number >= 0 && number < count_; }
  [[nodiscard]] bool peers_possible() const { return peers_; }

  /// Returns the device that runs the current kernel. Launches are executed one at a time.
  [[nodiscard]] int running() const { return running_.load(std::memory_order_relaxed); }
  void run_on(int number) { running_.store(number, std::memory_order_relaxed); }

  /// Returns true if kernels of `user` may use the memory of `owner`.
  [[nodiscard]] bool may_access(int user, int owner) const {
    return user == owner || access_[user][owner].load(std::memory_order_relaxed);
  }
  void set_access(int user, int owner, bool allowed) { access_[user][owner] = allowed; }
  /// Removes all access rights that a device has or has granted.
  void forget_access(int number) {
    for (int other = 0; other < max_devices; ++other) access_[number][other] = access_[other][number] = false;
  }

  [[nodiscard]] link_counters& link(int from, int to) { return links_[from][to]; }

 private:
  std::atomic<int> count_{1};
  std::atomic<bool> peers_{true};
  std::atomic<int> running_{0};
  std::array<std::array<std::atomic<bool>, max_devices>, max_devices> access_{};
  std::array<std::array<link_counters, max_devices + 1>, max_devices + 1> links_;
};

/// Returns the device that this host thread has selected; 0 until it selects one.
[[nodiscard]] int current_device();
void choose_device(int number);

/// Selects a device for the lifetime of the object.
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
