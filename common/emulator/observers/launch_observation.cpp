#include "emulator/observers/launch_observation.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "emulator/observers/launch_parts.hpp"

namespace emulator::observers {
namespace {

constexpr std::uint32_t memory_classes = class_load | class_store | class_atomic | class_reduction;

/// Returns true if the instruction acquires or releases by itself, without a fence.
bool passes_on(const instruction_facts& i) {
  return (i.ordering & (ordering_acquire | ordering_release)) != 0;
}

/// Returns true if the instruction can tell a thread what another block has done, or publish what the thread itself
/// did.
bool tells_of_others(const instruction_facts& i) {
  if ((i.ordering & ordering_block_only) != 0) return false;
  if (passes_on(i) || (i.classes & class_atomic) != 0) return true;
  return (i.classes & class_load) != 0 && (i.ordering & ordering_relaxed) != 0;
}

}  // namespace

launch_observation::launch_observation(const kernel_facts& facts, const options& watched, memory::global_memory& memory)
    : facts_(facts), watched_(watched), memory_(memory), found_(line_of_) {
  access_slots_.assign(facts.instructions.size(), no_access);
  for (std::size_t pc = 0; pc < facts.instructions.size(); ++pc) {
    const instruction_facts& i = facts.instructions[pc];
    if ((i.classes & memory_classes) != 0) access_slots_[pc] = access_count_++;
    has_fences_ |= (i.classes & class_fence) != 0;
    has_fences_ |= (i.classes & memory_classes) != 0 && passes_on(i);
    blocks_meet_ |= (i.classes & class_fence) != 0 && (i.ordering & ordering_block_only) == 0;
    blocks_meet_ |= (i.classes & (class_global | class_generic)) != 0 && tells_of_others(i);
    blocks_meet_ |= (i.classes & class_cluster_barrier) != 0;
  }
  if (watched.racecheck && blocks_meet_) order_.emplace();
  number_lines();
  parts_ = std::make_unique<parts>(*this);
}

launch_observation::~launch_observation() = default;

/// Instructions without a line, if there are any, share number 0.
void launch_observation::number_lines() {
  // Files are sorted by name; several file numbers may have the same name.
  std::vector<std::string_view> names(facts_.files.begin(), facts_.files.end());
  std::sort(names.begin(), names.end());
  std::vector<std::uint64_t> rank_of_file;
  for (const std::string& name : facts_.files)
    rank_of_file.push_back(std::lower_bound(names.begin(), names.end(), name) - names.begin() + 1u);

  const std::size_t count = facts_.instructions.size();
  std::vector<std::uint64_t> place(count, 0);
  for (std::size_t pc = 0; pc < count; ++pc) {
    const instruction_facts& i = facts_.instructions[pc];
    if (i.file >= 0 && i.line != 0) place[pc] = rank_of_file[static_cast<std::size_t>(i.file)] << 32 | i.line;
  }
  std::vector<std::uint64_t> places = place;
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  pc_of_line_.resize(places.size());
  line_of_.resize(count);
  for (std::size_t pc = count; pc-- > 0;) {
    const auto number = std::lower_bound(places.begin(), places.end(), place[pc]) - places.begin();
    line_of_[pc] = static_cast<std::uint32_t>(number);
    pc_of_line_[static_cast<std::size_t>(number)] = static_cast<std::uint32_t>(pc);
  }
}

void launch_observation::set_grid(const std::uint32_t (&grid)[3]) {
  std::copy_n(grid, 3, grid_);
  block_count_ = std::uint64_t{grid[0]} * grid[1] * grid[2];
}

void launch_observation::finish() {
  parts_->each([this](auto& part) { part.finish(found_); });
}

void launch_observation::fill(launch_report& report) const {
  report.file = facts_.file;
  parts_->each([&](auto& part) { part.fill(report); });
}

const activity& launch_observation::counted() const {
  return parts_->get<counting>().total();
}

std::span<const access_visits> launch_observation::visits() const {
  return parts_->get<shared_races>().visits;
}

std::vector<trace_event> launch_observation::take_trace() {
  return std::exchange(parts_->get<recording>().events, {});
}

std::uint64_t launch_observation::left_out_of_trace() const {
  return parts_->get<recording>().left_out;
}

}  // namespace emulator::observers
