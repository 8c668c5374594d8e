#pragma once
/// \file
/// What orders the work of streams, events and the host: the emulator does work when it is asked for, so that nothing
/// goes wrong here where it would on a GPU. Two pieces of work that nothing orders, on the same bytes, are a finding.

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
#include "emulator/only_one.hpp"
#include "emulator/runtime/call_stack.hpp"
#include "emulator/runtime/timeline.hpp"

namespace emulator::runtime {

/// By stream, of its pieces of work the number of the last that has ended: a vector clock. All threads of the host
/// count as one, so that what one of them waited for all know of.
class work_clock {
 public:
  /// The number for a stream; 0: none yet.
  std::uint64_t& operator[](unsigned long long stream);
  void join(const work_clock& other);
  [[nodiscard]] bool reaches(unsigned long long stream, std::uint64_t number) const;

 private:
  using entry = std::pair<unsigned long long, std::uint64_t>;
  std::vector<entry> entries_;  ///< By rising stream: clocks are joined far more often than streams come.
};

/// Used under the device's mutex. It begins with the first stream or graph that the program makes; without one it does
/// nothing.
class stream_order {
  struct piece_of_work;

 public:
  /// Work that has paused; null where nobody watches.
  using under_way = piece_of_work*;

  static stream_order& instance() { return only_one<stream_order>(); }

  void stream_made() { watches_ = any_stream_ = true; }
  void graph_made() { watches_ = true; }
  /// Memory that the host may touch by itself.
  void shared_memory_made() { watches_ = true; }
  /// Says whether the program has ever made a stream.
  [[nodiscard]] bool any_stream() const { return any_stream_; }
  [[nodiscard]] bool watches() const;

  /// Runs work of a stream, and looks for earlier work that it may meet.
  /// \param host_waits  the call does not return before the work has ended
  cudaError_t run(const stream_record& stream, bool host_waits, const std::function<cudaError_t()>& work);
  /// What the work in progress touches; null where nobody wants to know.
  [[nodiscard]] memory::touched_bytes* touched() { return current_ == nullptr ? nullptr : &current_->touched; }
  /// Says what the work in progress is: "kernel add(int*)".
  void name(std::string what) {
    if (current_ != nullptr) current_->what = std::move(what);
  }
  /// The call for the work in progress returns only when it has ended, as with memory of the host that is not pinned.
  void host_waits() {
    if (current_ != nullptr) current_->host_waits = true;
  }

  /// A node of a graph, which is ordered by the graph's edges and by what the graph comes behind.
  struct node {
    unsigned long long place = 0;  ///< A number of its own among the streams'.
    int device = 0;
    std::string what;
    call_stack where;
  };
  [[nodiscard]] work_clock begin_graph(const stream_record& stream);
  /// \param clock  what the node comes after; receives what comes after the node
  cudaError_t run_node(const node& which, work_clock& clock, const std::function<cudaError_t()>& work);
  void end_graph(const stream_record& stream, const work_clock& end);

  /// The work in progress pauses: it is compared with other work when it ends.
  [[nodiscard]] under_way pause();
  /// Runs a part of work that has paused; where there is none, a part of the work in progress.
  void go_on(under_way which, const std::function<void()>& part);
  void end(under_way which);

  // What the host does by itself (host_watch.hpp), between calls, to what work touches for which it has not waited.

  /// Another number where such work has come or gone.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  [[nodiscard]] std::vector<memory::touched_bytes::host_page> pages_of_host();
  struct host_meeting {
    const void* work = nullptr;  ///< Null: none.
    bool learns = false;         ///< The host looks at what the work tells it, and so comes behind it.
  };
  /// Allocates nothing.
  [[nodiscard]] host_meeting host_meets(std::uintptr_t address, bool writes);
  void host_has_seen(const void* work);
  void tell_of_host(const void* work, std::uintptr_t address, bool writes, call_stack where);
  /// A host function has run that comes behind this.
  void host_waited_for(const work_clock& clock) { host_.join(clock); }

  void record(const event_record& event, const stream_record& stream);
  void wait(const stream_record& stream, const event_record& event);
  /// The host has waited for all that the stream was asked for, for what an event stands for, for everything.
  void host_waited_for(const stream_record& stream);
  void host_waited_for(const event_record& event);
  void host_waited_for_all();
  /// For all streams of one device.
  void host_waited_for_device(int number);
  void clear();

 private:
  struct piece_of_work {
    unsigned long long stream = 0;
    std::uint64_t number = 0;
    work_clock after;  ///< What it comes after, itself included.
    memory::touched_bytes touched;
    call_stack where;
    std::string what;
    bool host_waits = false;
    bool under_way = false;
    bool in_graph = false;
    std::optional<std::vector<memory::touched_bytes::host_page>> pages = {};
    bool host_is_told = false;  ///< An access by the host that meets it is a finding already.
  };
  struct stream_state {
    work_clock end;
    std::uint64_t count = 0;
    int device = 0;
    bool blocking = true;  ///< Waits for the legacy default stream, and it for the stream.
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
