#pragma once
/// \file
/// The order of work in streams, events and the host. The emulator executes work immediately, so a missing order does
/// no harm here, although it would on a GPU. If nothing orders two pieces of work on the same bytes, that is a finding.

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/memory/touched_bytes.hpp"
#include "emulator/runtime/call_stack.hpp"
#include "emulator/runtime/timeline.hpp"
#include "emulator/singleton.hpp"

namespace emulator::runtime {

/// A vector clock: for each stream, the number of the last piece of work that has ended. All host threads count as one,
/// so everything that one of them has waited for is known to all.
class work_clock {
 public:
  /// Returns the number for a stream; 0: none yet.
  std::uint64_t& operator[](unsigned long long stream);
  void join(const work_clock& other);
  [[nodiscard]] bool reaches(unsigned long long stream, std::uint64_t number) const;

 private:
  using entry = std::pair<unsigned long long, std::uint64_t>;
  std::vector<entry> entries_;  ///< Sorted by stream, because clocks are joined far more often than streams are added.
};

/// Used under the device's mutex. It does nothing if racecheck is off, or until the program makes its first stream or
/// graph, or memory that the host can access directly.
class stream_order {
  struct piece_of_work;

 public:
  /// Work that has paused; null if the order isn't watched.
  using under_way = piece_of_work*;

  static stream_order& instance() { return singleton<stream_order>(); }

  void stream_made() { watches_ = any_stream_ = true; }
  void graph_made() { watches_ = true; }
  /// The program has allocated memory that the host can access directly.
  void shared_memory_made() { watches_ = true; }
  /// Returns true if the program has ever made a stream.
  [[nodiscard]] bool any_stream() const { return any_stream_; }
  [[nodiscard]] bool watches() const;

  /// Runs work of a stream, and looks for conflicts with earlier work.
  /// \param host_waits  true if the call does not return before the work has ended
  cudaError_t run(const stream_record& stream, bool host_waits, const std::function<cudaError_t()>& work);
  /// Returns where to note the accesses by the work in progress; null if they aren't needed.
  [[nodiscard]] memory::touched_bytes* touched() { return current_ == nullptr ? nullptr : &current_->touched; }
  /// Sets the description of the work in progress: "kernel add(int*)".
  void name(std::string what) {
    if (current_ != nullptr) current_->what = std::move(what);
  }
  /// The call for the work in progress returns only when it has ended, as with pageable host memory.
  void host_waits() {
    if (current_ != nullptr) current_->host_waits = true;
  }

  /// A node of a graph. It is ordered by the graph's edges and by whatever precedes the graph.
  struct node {
    unsigned long long place = 0;  ///< Its own number, like that of a stream.
    int device = 0;
    std::string what;
    call_stack where;
  };
  [[nodiscard]] work_clock begin_graph(const stream_record& stream);
  /// \param clock  the time before the node; receives the time after the node
  cudaError_t run_node(const node& which, work_clock& clock, const std::function<cudaError_t()>& work);
  void end_graph(const stream_record& stream, const work_clock& end);

  /// The work in progress pauses. It is compared with other work when it ends.
  [[nodiscard]] under_way pause();
  /// Runs a part of work that has paused, or of the work in progress if `which` is null.
  void resume(under_way which, const std::function<void()>& part);
  void end(under_way which);

  // Accesses that the host makes itself, between calls, to memory of work that it has not waited for (host_watch.hpp).

  /// Returns a number that changes whenever such work begins or ends.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  [[nodiscard]] std::vector<memory::touched_bytes::host_page> pages_of_host();
  struct host_meeting {
    const void* work = nullptr;  ///< Null: no conflict.
    bool learns = false;         ///< The host polls what the work changes, so the host is ordered after the work.
  };
  /// Returns the conflict of such an access, if there is one. Does not allocate memory, because a signal handler calls
  /// it.
  [[nodiscard]] host_meeting host_meets(std::uintptr_t address, bool writes);
  void host_has_seen(const void* work);
  void tell_of_host(const void* work, std::uintptr_t address, bool writes, call_stack where);
  /// A host function that is ordered after `clock` has run.
  void host_waited_for(const work_clock& clock) { host_.join(clock); }

  void record(const event_record& event, const stream_record& stream);
  void wait(const stream_record& stream, const event_record& event);
  /// The host has waited for all work of the stream, for an event, or for everything.
  void host_waited_for(const stream_record& stream);
  void host_waited_for(const event_record& event);
  void host_waited_for_all();
  /// The same for all streams of one device.
  void host_waited_for_device(int number);
  void clear();

 private:
  struct piece_of_work {
    unsigned long long stream = 0;
    std::uint64_t number = 0;
    work_clock after;  ///< Everything that precedes this work, including the work itself.
    memory::touched_bytes touched;
    call_stack where;
    std::string what;
    bool host_waits = false;
    bool under_way = false;
    bool in_graph = false;
    std::optional<std::vector<memory::touched_bytes::host_page>> pages = {};
    bool host_is_told = false;  ///< There is a finding about a conflicting access by the host already.
  };
  struct stream_state {
    work_clock end;
    std::uint64_t count = 0;
    int device = 0;
    bool blocking = true;  ///< It and the legacy default stream wait for each other.
  };
  [[nodiscard]] work_clock begin_of(const stream_record& stream);
  stream_state& state_of(const stream_record& stream);
  cudaError_t carry_out(piece_of_work& now, const std::function<cudaError_t()>& work);
  void keep(std::unique_ptr<piece_of_work> work);
  void forget_reached();
  void compare_with_all(piece_of_work& now);
  static void tell(const piece_of_work& now, const piece_of_work& before, const memory::touched_bytes::conflict& met);

  bool watches_ = false;
  bool any_stream_ = false;
  piece_of_work* current_ = nullptr;
  work_clock host_;
  std::map<unsigned long long, stream_state> streams_;
  std::map<const event_record*, work_clock> events_;
  std::list<std::unique_ptr<piece_of_work>> pending_;
  std::uint64_t version_ = 0;
};

}  // namespace emulator::runtime
