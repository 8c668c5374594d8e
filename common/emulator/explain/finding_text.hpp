#pragma once
/// \file
/// The text of findings: what is wrong, where, which threads do it, and how to fix it.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/emulator.hpp"
#include "emulator/explain/naming.hpp"
#include "emulator/observers/event.hpp"
#include "emulator/observers/incident.hpp"

namespace emulator::observers {
class launch_observation;
}

namespace emulator::explain {

using namespace observers;  // findings describe their types

/// Returns the finding for what a check found, except races. `count` of the result is 1.
[[nodiscard]] finding describe(const naming& names, const incident& what);

/// Returns notes on suspicious code of the kernel, one per line: variables that may be read before they are set, and
/// indices that do not fit in 32 bits for large inputs.
[[nodiscard]] std::vector<finding> suspicions(const naming& names);

/// Returns the findings for races, one per pair of lines, in the order of `races`.
/// \param races  incidents that are races, by line
/// \param seen   the observation of the launch with these races
[[nodiscard]] std::vector<finding> describe_races(const naming& names, std::span<const folded_incident> races,
                                                  const launch_observation& seen);

/// Returns the finding of a fault that stopped a kernel.
[[nodiscard]] finding describe(const naming& names, const fault& what);

// Parts of findings.

/// Returns "reduce.cuh:14", or the line of the PTX if the compiler gave no line.
[[nodiscard]] std::string place(const kernel_facts& facts, std::uint32_t pc);
/// The same for use after `before` has been mentioned: "line 14" if it is in the same file.
[[nodiscard]] std::string place_after(const kernel_facts& facts, std::uint32_t pc, std::uint32_t before);
/// Returns true if two instructions are in the same line.
[[nodiscard]] bool same_line(const kernel_facts& facts, std::uint32_t one, std::uint32_t other);
/// Return the file of an instruction as the compiler saw it, and its line; empty and 0 if they are unknown.
[[nodiscard]] std::string file_of(const kernel_facts& facts, std::uint32_t pc);
[[nodiscard]] std::uint32_t line_of(const kernel_facts& facts, std::uint32_t pc);
/// Returns the name of a thread of `block`, given its number: "5", or "(1,2,0)" in a block with several dimensions.
[[nodiscard]] std::string thread_name(const block_identity& block, std::uint32_t linear);
/// Returns the name of a state space, for example "shared" as in "shared memory"; "global" for generic and unknown
/// ones.
[[nodiscard]] std::string_view space_name(ptx::state_space space);
/// Returns "block 3" or "block (1,2,0)".
[[nodiscard]] std::string block_name(const block_identity& block);
/// Returns " (block 3 of reduce_strided)".
[[nodiscard]] std::string where(const kernel_facts& facts, const block_identity& block);
/// Returns "1 byte" or "4 bytes".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view what);
/// Returns "lane 3" or "lanes 0-15, 31".
[[nodiscard]] std::string lane_list(std::uint32_t mask);
/// Returns a name without the function that it is in: `tile` for "reduce(int*)::tile".
[[nodiscard]] std::string plain_name(const std::string& name);
/// Returns a finding without text, at the instruction's line.
[[nodiscard]] finding finding_at(const kernel_facts& facts, std::uint32_t pc, finding_kind kind);
/// Returns a finding with its text. Adds the capital letter, the block, the kernel and the full stop to `message`, and
/// the block to `parts`.
[[nodiscard]] finding finding_with_text(const kernel_facts& facts, std::uint32_t pc, const block_identity& block,
                                        finding_kind kind, const std::string& message, std::string cure,
                                        message_parts parts = {});

/// Returns the place of the expression in the source that accesses an element; its column is 0 if the line has several.
[[nodiscard]] source_part expression_of(const kernel_facts& facts, std::uint32_t pc, const naming::element& e,
                                        bool is_store, std::uint32_t thread, const block_identity& block);

/// Returns ", which stands in the condition "tid < 32"" for a barrier; empty if the source shows no condition.
[[nodiscard]] std::string condition_around(const kernel_facts& facts, std::uint32_t pc);
/// Returns the same as a sentence of its own: "the barrier is inside the condition "tid < 32"".
[[nodiscard]] std::string reason_of_barrier(const kernel_facts& facts, std::uint32_t pc);

}  // namespace emulator::explain
