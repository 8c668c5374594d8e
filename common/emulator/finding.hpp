#pragma once
/// \file
/// The findings of the checks. A finding is data: code that depends on a finding uses its `kind`, because the text is
/// for people. Reports and suppressions use the name of the kind.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace emulator {

/// The check that reports a finding.
enum class check_kind : std::uint8_t {
  memcheck,
  initcheck,
  racecheck,
  synccheck,
  limit,     ///< The kernel does not end.
  emulator,  ///< The program uses something that the emulator doesn't support, but may be correct.
  index,     ///< Found in the kernel's code before it runs. This check reports only notes.
};

/// The kinds of findings, in the order of `finding_kinds`.
enum class finding_kind : std::uint8_t {
  out_of_bounds_read,
  out_of_bounds_write,
  out_of_bounds_atomic,
  out_of_bounds_surface_read,
  out_of_bounds_surface_write,
  out_of_bounds_surface_atomic,
  misaligned_read,
  misaligned_write,
  use_after_free,
  host_pointer,
  no_peer_access,
  null_pointer,
  wrong_memory,
  write_to_read_only,
  trap,
  failed_assertion,
  invalid_free,
  double_free,
  shared_memory_of_no_block,
  wrong_bulk_copy,
  invalid_texture,
  invalid_condition,
  invalid_matrix,
  registered_memory_freed,
  leak,
  refused_launch,
  failed_call,
  uninitialized_shared,
  uninitialized_global,
  uninitialized_variable,
  uninitialized_copy,
  condition_without_value,
  read_after_write_race,
  write_after_read_race,
  write_after_write_race,
  global_read_write_race,
  global_write_write_race,
  stream_race,
  host_race,
  block_not_begun,
  block_leaves,
  result_depends_on_order,
  rounding_depends_on_order,
  divergent_barrier,
  different_barriers,
  cluster_barrier_out_of_turn,
  bad_member_mask,
  shuffle_from_nowhere,
  incomplete_warp,
  deadlock,       ///< Threads of a block wait forever.
  grid_deadlock,  ///< Blocks of a grid wait forever.
  instruction_limit,
  endless_while_node,
  unsupported,
  unsupported_call,
  unsupported_launch,
  narrow_index,
};

/// The check of a kind, and its name in reports. Names are short and never change, because suppressions contain them.
struct finding_kind_facts {
  finding_kind kind;
  check_kind check;
  std::string_view name;
};

inline constexpr finding_kind_facts finding_kinds[] = {
    {finding_kind::out_of_bounds_read, check_kind::memcheck, "out-of-bounds read"},
    {finding_kind::out_of_bounds_write, check_kind::memcheck, "out-of-bounds write"},
    {finding_kind::out_of_bounds_atomic, check_kind::memcheck, "out-of-bounds atomic"},
    {finding_kind::out_of_bounds_surface_read, check_kind::memcheck, "out-of-bounds surface read"},
    {finding_kind::out_of_bounds_surface_write, check_kind::memcheck, "out-of-bounds surface write"},
    {finding_kind::out_of_bounds_surface_atomic, check_kind::memcheck, "out-of-bounds surface atomic"},
    {finding_kind::misaligned_read, check_kind::memcheck, "misaligned read"},
    {finding_kind::misaligned_write, check_kind::memcheck, "misaligned write"},
    {finding_kind::use_after_free, check_kind::memcheck, "use after free"},
    {finding_kind::host_pointer, check_kind::memcheck, "host pointer"},
    {finding_kind::no_peer_access, check_kind::memcheck, "no peer access"},
    {finding_kind::null_pointer, check_kind::memcheck, "null pointer"},
    {finding_kind::wrong_memory, check_kind::memcheck, "wrong memory"},
    {finding_kind::write_to_read_only, check_kind::memcheck, "write to read-only memory"},
    {finding_kind::trap, check_kind::memcheck, "trap"},
    {finding_kind::failed_assertion, check_kind::memcheck, "failed assertion"},
    {finding_kind::invalid_free, check_kind::memcheck, "invalid free"},
    {finding_kind::double_free, check_kind::memcheck, "double free"},
    {finding_kind::shared_memory_of_no_block, check_kind::memcheck, "shared memory of no block"},
    {finding_kind::wrong_bulk_copy, check_kind::memcheck, "wrong bulk copy"},
    {finding_kind::invalid_texture, check_kind::memcheck, "invalid texture or surface"},
    {finding_kind::invalid_condition, check_kind::memcheck, "invalid conditional handle"},
    {finding_kind::invalid_matrix, check_kind::memcheck, "invalid matrix"},
    {finding_kind::registered_memory_freed, check_kind::memcheck, "registered memory freed"},
    {finding_kind::leak, check_kind::memcheck, "leak"},
    {finding_kind::refused_launch, check_kind::memcheck, "refused launch"},
    {finding_kind::failed_call, check_kind::memcheck, "failed call"},
    {finding_kind::uninitialized_shared, check_kind::initcheck, "uninitialised shared memory"},
    {finding_kind::uninitialized_global, check_kind::initcheck, "uninitialised global memory"},
    {finding_kind::uninitialized_variable, check_kind::initcheck, "uninitialised variable"},
    {finding_kind::uninitialized_copy, check_kind::initcheck, "uninitialised copy"},
    {finding_kind::condition_without_value, check_kind::initcheck, "condition without a value"},
    {finding_kind::read_after_write_race, check_kind::racecheck, "read-after-write race"},
    {finding_kind::write_after_read_race, check_kind::racecheck, "write-after-read race"},
    {finding_kind::write_after_write_race, check_kind::racecheck, "write-after-write race"},
    {finding_kind::global_read_write_race, check_kind::racecheck, "read and write race"},
    {finding_kind::global_write_write_race, check_kind::racecheck, "write and write race"},
    {finding_kind::stream_race, check_kind::racecheck, "stream race"},
    {finding_kind::host_race, check_kind::racecheck, "host race"},
    {finding_kind::block_not_begun, check_kind::racecheck, "block that may not have begun"},
    {finding_kind::block_leaves, check_kind::racecheck, "block that may leave"},
    {finding_kind::result_depends_on_order, check_kind::racecheck, "result depends on the order"},
    {finding_kind::rounding_depends_on_order, check_kind::racecheck, "rounding depends on the order"},
    {finding_kind::divergent_barrier, check_kind::synccheck, "divergent barrier"},
    {finding_kind::different_barriers, check_kind::synccheck, "different barriers"},
    {finding_kind::cluster_barrier_out_of_turn, check_kind::synccheck, "cluster barrier out of turn"},
    {finding_kind::bad_member_mask, check_kind::synccheck, "bad member mask"},
    {finding_kind::shuffle_from_nowhere, check_kind::synccheck, "shuffle from a lane that takes no part"},
    {finding_kind::incomplete_warp, check_kind::synccheck, "incomplete warp"},
    {finding_kind::deadlock, check_kind::synccheck, "deadlock"},
    {finding_kind::grid_deadlock, check_kind::synccheck, "grid deadlock"},
    {finding_kind::instruction_limit, check_kind::limit, "instruction limit"},
    {finding_kind::endless_while_node, check_kind::limit, "endless while node"},
    {finding_kind::unsupported, check_kind::emulator, "unsupported"},
    {finding_kind::unsupported_call, check_kind::emulator, "unsupported call"},
    {finding_kind::unsupported_launch, check_kind::emulator, "refused launch"},
    {finding_kind::narrow_index, check_kind::index, "index of 32 bits"},
};

/// Returns the facts of a kind.
[[nodiscard]] constexpr const finding_kind_facts& facts_of(finding_kind kind) {
  return finding_kinds[static_cast<std::size_t>(kind)];
}

[[nodiscard]] constexpr bool finding_kinds_are_in_order() {
  std::size_t row = 0;
  for (const finding_kind_facts& one : finding_kinds)
    if (static_cast<std::size_t>(one.kind) != row++) return false;
  return row == static_cast<std::size_t>(finding_kind::narrow_index) + 1;
}
static_assert(finding_kinds_are_in_order());

/// Returns the check that reports findings of a kind.
[[nodiscard]] constexpr check_kind check_of(finding_kind kind) {
  return facts_of(kind).check;
}

/// Returns the name of a kind, such as "out-of-bounds read".
[[nodiscard]] constexpr std::string_view name_of(finding_kind kind) {
  return facts_of(kind).name;
}

/// Returns the name of a check, such as "memcheck".
[[nodiscard]] constexpr std::string_view name_of(check_kind check) {
  // In the order of `check_kind`.
  constexpr std::string_view names[] = {"memcheck", "initcheck", "racecheck", "synccheck",
                                        "limit",    "emulator",  "index"};
  static_assert(sizeof names / sizeof *names == static_cast<std::size_t>(check_kind::index) + 1);
  return names[static_cast<std::size_t>(check)];
}

/// A part of a source line, with tabs replaced by blanks.
struct source_part {
  std::uint32_t column = 0;  ///< Counted from 1; 0: unknown.
  std::uint32_t width = 0;
};

/// The message of a finding in parts, for the report at the end of `emulate`: it shows the source lines, so these parts
/// name no places. They have no capital letter and no full stop. Any of them may be empty.
struct message_parts {
  std::string headline = {};     ///< What is wrong; if it is empty, the whole message is shown instead.
  std::string reason = {};       ///< Why that is so.
  std::string help = {};         ///< How to fix it, as full sentences, if the message says so and `cure` is empty.
  std::string label = {};        ///< What happens in the line.
  std::string other_label = {};  ///< What happens in the other line.
  std::string block = {};        ///< "block 3".
  source_part here = {};         ///< The expression in the line that does it.
  source_part there = {};        ///< The same in the other line.
};

/// One fault that a check found. Repeated findings at the same lines are merged into one, with a `count`.
struct finding {
  finding_kind kind = finding_kind::unsupported;
  std::string kernel = {};  ///< Demangled.
  std::string file = {};    ///< As the compiler saw it.
  std::uint32_t line = 0;
  std::string other_file = {};  ///< File of the second access of a race; else empty.
  std::uint32_t other_line = 0;
  std::string message = {};  ///< Full sentences: what is wrong, where, and in which threads.
  std::string cure = {};     ///< Full sentences: how to fix it; may be empty.
  std::string detail = {};   ///< The details of a deadlock, or the call stack of a runtime call; may be empty.
  std::string object = {};   ///< The array or variable that is affected, as the source names it; may be empty.
  std::uint64_t count = 1;
  message_parts parts = {};

  /// Returns the check that reports it.
  [[nodiscard]] check_kind check() const { return check_of(kind); }
};

/// Returns true if two findings have the same cause: the same kind, kernel and source lines. Without a line, their
/// messages are compared.
[[nodiscard]] inline bool same_cause(const finding& a, const finding& b) {
  return a.line == b.line && a.other_line == b.other_line && a.kind == b.kind && a.file == b.file &&
         a.other_file == b.other_file && a.kernel == b.kernel && (a.line != 0 || a.message == b.message);
}

}  // namespace emulator
