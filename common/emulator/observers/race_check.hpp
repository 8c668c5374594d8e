#pragma once
/// \file
/// racecheck: two threads of a block access the same byte of shared memory, one of them writes, and nothing orders
/// them.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/observers/access_shape.hpp"
#include "emulator/observers/event.hpp"
#include "emulator/observers/incident.hpp"
#include "emulator/observers/race_notes.hpp"
#include "emulator/observers/shadow.hpp"
#include "emulator/observers/thread_order.hpp"

namespace emulator::observers {

struct row_at_hand;

/// Accesses are ordered by block barriers and `__syncwarp()` (for the threads that take part), and by fences together
/// with a flag in shared memory that is written and read by atomics, strong or volatile accesses. They are not ordered
/// by shuffles, votes, `volatile` alone, or the fact that the lanes of a warp happen to execute the same instruction.
///
/// Two accesses are not a race if both are atomic or strong, or if one is and the other is volatile (a lock, a flag),
/// or if lanes write the same value to the same word in one instruction.
///
/// For each word of shared memory, the shadow stores the last plain write (with all lanes that made it together) and,
/// since then, up to two groups of readers and up to two groups of threads that executed atomics. A group consists of
/// threads of one warp with the same stamp. Two groups of different warps are enough to find every race as long as each
/// barrier includes the whole block, or only threads of one warp. If a barrier includes only some of the block's warps,
/// a race with a third group may not be found. Words that are accessed in parts have a separate shadow for each byte.
class race_check {
 public:
  /// \param facts       must outlive this object, and so must `found` and `order`, which receives barriers from its
  /// owner
  /// \param has_fences  true if the kernel has fences, or accesses that acquire or release
  /// \param shortcuts   `options::shortcuts`
  race_check(const kernel_facts& facts, bool has_fences, bool shortcuts, thread_order& order, incident_table& found);

  /// \param restarted  true if the stamps of `order` started again from the beginning
  void begin_block(const block_identity& block, bool restarted);
  /// A load, store or atomic on shared memory, within its bounds.
  /// \param shape  of the event's addresses
  void access(std::uint32_t warp, const memory_event& event, const access_shape& shape) {
    if (!shortcuts_ || !access_quickly(warp, event, shape)) access_thoroughly(warp, event, shape);
  }
  /// A `cp.async` begins. It may write at any time until its thread has waited for it, so accesses by other threads to
  /// these words are a race until then, even if there is a barrier.
  /// \param event  the copy's store or, for a bulk copy to global memory, its load, which may read until then
  void begin_copy(std::uint32_t warp, const memory_event& event);
  /// A `cp.async` whose event was `memory_event::still_in_flight` has finished.
  void land_copy(std::uint32_t warp, const memory_event& event);

 private:
  /// An access while it is checked.
  struct request {
    const memory_event* event = nullptr;
    std::uint32_t pc = 0;
    std::uint32_t warp = 0;
    std::uint32_t block_floor = 0;
    std::uint32_t warp_floor = 0;
    access_level level = access_level::ordinary;
    bool reads = false;        ///< A plain, volatile or strong load.
    bool plain_write = false;  ///< A plain or volatile store. If both are false, an atomic or strong store.
    const std::uint32_t* stamps = nullptr;

    /// Returns false if accesses by warp `who_warp` with `stamp` are certainly ordered before those by this warp's
    /// lanes.
    [[nodiscard]] bool late(std::uint32_t stamp, std::uint32_t who_warp) const {
      return stamp >= (who_warp == warp ? warp_floor : block_floor);
    }
  };

  /// For each lane, the cell of its first word.
  struct word_cells {
    std::uint32_t of_lane[warp_size];
    std::uint32_t low;
    std::uint32_t high;
  };

  /// A word that is in use by a copy that has not been waited for.
  struct copy_in_flight {
    std::uint32_t thread = nobody;
    std::uint32_t pc = 0;
    std::uint32_t stamp = 0;  ///< Stamp of the copy's thread when the copy began.
    bool reads = false;       ///< The copy reads the word, because it is a bulk copy to global memory.
    static constexpr std::uint32_t nobody = 0xffffffffu;
  };
  [[nodiscard]] request request_of(std::uint32_t warp, const memory_event& event) const;
  void check_copies(const request& r);
  void end_copy(const request& r);

  // Fast paths for ordinary loads and stores without a race (race_shortcuts.cpp). Each returns false if there may be a
  // race or if it cannot handle the access. In both cases it has noted nothing about the access.
  [[nodiscard]] bool access_quickly(std::uint32_t warp, const memory_event& event, const access_shape& shape);
  template <unsigned Shift>
  [[nodiscard]] bool access_row_quickly(const row_at_hand& here, const memory_event& event, const access_shape& shape,
                                        std::uint32_t stamp);
  [[nodiscard]] bool note_row_of_words(const row_at_hand& here, const memory_event& event, const access_shape& shape,
                                       std::uint32_t stamp);
  [[nodiscard]] bool load_window(const row_at_hand& here, const memory_event& event, const access_shape& shape,
                                 std::uint32_t stamp);
  [[nodiscard]] bool load_one_word_quickly(const row_at_hand& here, const memory_event& event, std::uint64_t address,
                                           std::uint32_t stamp);

  void access_thoroughly(std::uint32_t warp, const memory_event& event, const access_shape& shape);
  // Functions for whole words that are accessed by ordinary loads and stores or by atomics. They are fast unless a race
  // is possible.
  void access_words(const request& r, const access_shape& shape);
  template <unsigned Shift>
  void access_row(const request& r, std::uint64_t base, std::uint32_t stamp);
  /// Writes notes into the shadow: those of one row, or all of them.
  void settle_row(row_summary& row);
  void settle_notes();
  /// The same for deferred accesses.
  void settle_deferred() {
    if (noted_.deferred_count != 0) join_deferred();
  }
  void join_deferred();
  template <unsigned Shift>
  void read_row(const row_at_hand& here, std::uint32_t pc, std::size_t cell, std::uint32_t stamp, bool others_read);
  void make_room_to_defer();
  void defer(const deferred_access& one);
  void defer(const deferred_access& one, const word_cells& cells);
  [[nodiscard]] bool defer_scattered(const request& r, const access_shape& shape);
  template <unsigned Shift>
  void join_row(const row_at_hand& here, std::uint32_t pc, std::size_t cell, std::uint32_t stamp);
  void access_one_word(const request& r, std::uint64_t address, std::uint32_t stamp);
  void access_one_atomic(const request& r, std::uint64_t address, std::uint32_t stamp);
  void access_scattered(const request& r);
  static void find_cells(const memory_event& event, word_cells& cells);
  [[nodiscard]] bool suspicious_cells(const request& r, const word_cells& cells, unsigned words) const;
  void join_cells(const request& r, const word_cells& cells, unsigned k, shadow_groups& groups);
  void write_cells(const request& r, const word_cells& cells, unsigned k);

  // Functions for any access.
  void access_by_lane(const request& r);
  void check_lanes(const request& r);
  void write_lanes(const request& r);
  bool check_cell(const request& r, const shadow& s, std::size_t cell, unsigned lane, std::uint64_t address);
  bool check_write(const request& r, const shadow& s, std::size_t cell, unsigned lane, std::uint64_t address,
                   incident_kind kind);
  bool check_groups(const request& r, const shadow_groups& g, std::size_t cell, unsigned lane, std::uint64_t address,
                    incident_kind kind);
  bool check_same_instruction(const request& r, const shadow& s, std::size_t cell, unsigned lane, std::uint64_t address,
                              unsigned bytes);
  void record(const request& r, shadow& s, std::size_t cell, unsigned lane, bool together);
  void add_to_groups(const request& r, shadow_groups& g, std::size_t cell, std::uint32_t stamp, std::uint32_t lanes);
  template <typename Visit>
  void visit_cells(std::uint64_t address, unsigned bytes, Visit visit);
  void split(std::size_t word);
  void synchronise(const request& r);
  void report(const request& r, incident_kind kind, unsigned lane, std::uint64_t address, std::uint32_t other_thread,
              access_info other);

  /// The number of cells before and after the words, so that the words of a row's inactive lanes may be outside the
  /// memory.
  static constexpr std::size_t padding = 128;

  const kernel_facts& facts_;
  thread_order& order_;
  incident_table& found_;
  block_identity block_;
  shadow words_;                   ///< The cell of word w is w + padding.
  std::vector<row_summary> rows_;  ///< Indexed by the index of the cell in `words_`, divided by 32.
  std::vector<std::uint32_t> noted_list_;
  noted_rows noted_;
  std::vector<deferred_access> deferred_;
  /// Indexed by the number of the deferred access; used only for those that aren't in a row.
  std::vector<word_cells> deferred_cells_;
  shadow bytes_;                         ///< Empty until a narrower access than a word occurs.
  std::vector<std::uint32_t> split_at_;  ///< For each word: number of the block in which `bytes_` holds its shadow.
  std::uint32_t block_serial_ = 0;
  std::uint32_t event_serial_ = 0;
  std::vector<copy_in_flight> copies_;  ///< Indexed by word; empty until the first copy.
  std::size_t words_in_flight_ = 0;
  bool any_split_ = false;  ///< In this block.
  bool has_fences_ = false;
  bool shortcuts_ = true;
};

}  // namespace emulator::observers
