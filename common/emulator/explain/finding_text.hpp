#pragma once
/// \file
/// The text of findings: what is wrong, where, who does it, and what would mend it.

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

using namespace observers;  // what is put into words

/// Puts what a check found, other than races, into words. `count` of the result is 1.
[[nodiscard]] finding describe(const naming& names, const incident& what);

/// Says what the text of the kernel lets suspect: variables that may be read before they are set, indices that do not
/// fit 32 bits for large inputs. Notes, one for each line.
[[nodiscard]] std::vector<finding> suspicions(const naming& names);

/// Puts races into words, one finding for each pair of lines, in the order of `races`.
/// \param races  incidents that are races, by line
/// \param seen   the launch that they are of
[[nodiscard]] std::vector<finding> describe_races(const naming& names, std::span<const folded_incident> races,
                                                  const launch_observation& seen);

/// Returns the finding of a fault that stopped a kernel.
[[nodiscard]] finding describe(const naming& names, const fault& what);

// Pieces of them.

/// "reduce.cuh:14"; where the compiler gave no line, the line of the PTX.
[[nodiscard]] std::string place(const kernel_facts& facts, std::uint32_t pc);
/// The same after a mention of `before`: "line 14" if that is in the same file.
[[nodiscard]] std::string place_after(const kernel_facts& facts, std::uint32_t pc, std::uint32_t before);
/// Says whether two instructions stand in the same line.
[[nodiscard]] bool same_line(const kernel_facts& facts, std::uint32_t one, std::uint32_t other);
/// The file of an instruction as the compiler saw it, and its line; empty and 0 where unknown.
[[nodiscard]] std::string file_of(const kernel_facts& facts, std::uint32_t pc);
[[nodiscard]] std::uint32_t line_of(const kernel_facts& facts, std::uint32_t pc);
/// "5", or "(1,2,0)" in a block of several dimensions: a thread of `block`, by its number.
[[nodiscard]] std::string thread_name(const block_identity& block, std::uint32_t linear);
/// "shared": of "shared memory"; generic and unknown ones are "global".
[[nodiscard]] std::string_view space_name(ptx::state_space space);
/// "block 3" or "block (1,2,0)".
[[nodiscard]] std::string block_name(const block_identity& block);
/// " (block 3 of reduce_strided)".
[[nodiscard]] std::string where(const kernel_facts& facts, const block_identity& block);
/// "1 byte", "4 bytes".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view what);
/// "lane 3", "lanes 0-15, 31".
[[nodiscard]] std::string lane_list(std::uint32_t mask);
/// The name without the function that it is in: "reduce(int*)::tile" is `tile`.
[[nodiscard]] std::string plain_name(const std::string& name);
/// Returns a finding without text, at the instruction's line.
[[nodiscard]] finding finding_at(const kernel_facts& facts, std::uint32_t pc, finding_kind kind);
/// Returns one with its text; `message` gets its capital, the block, the kernel and its full stop here.
[[nodiscard]] finding finding_with_text(const kernel_facts& facts, std::uint32_t pc, const block_identity& block,
                                        finding_kind kind, const std::string& message, std::string cure);

/// ", which stands in the condition "tid < 32"": of a barrier; empty if the source does not say.
[[nodiscard]] std::string condition_around(const kernel_facts& facts, std::uint32_t pc);

}  // namespace emulator::explain
