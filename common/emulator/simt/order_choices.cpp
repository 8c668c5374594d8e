// Derives other execution orders for a launch from the usual one, simplifies them, and describes them.

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/explain/finding_text.hpp"
#include "emulator/simt/other_order.hpp"

namespace emulator::simt {
namespace {

/// A sequence of pseudo-random numbers that is the same on every machine (splitmix64).
class dice {
 public:
  explicit dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t roll() {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
  }
  std::uint64_t below(std::uint64_t n) { return n < 2 ? 0 : roll() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

held_back random_hold(dice& d, const orders_plan& plan, std::uint32_t pc) {
  static constexpr std::uint32_t parts[] = {0xaaaaaaaau, 0x0000ffffu, 0xffff0000u,
                                            0x00000001u, 0xfffffffeu, 0xccccccccu};
  held_back hold;
  hold.pc = pc;
  if (plan.lanes_part && d.one_in(2)) hold.lanes = parts[d.below(std::size(parts))];
  hold.of_grid = plan.blocks > 1 && d.one_in(3);
  const bool one_warp = hold.lanes == all_lanes && !hold.of_grid;
  if (one_warp || d.one_in(2)) {
    hold.every = 2 + static_cast<std::uint32_t>(d.below(3));
    hold.rest = static_cast<std::uint32_t>(d.below(hold.every));
  }
  hold.each_time = d.one_in(2);
  return hold;
}

std::string listed(const char* what, const auto& numbers) {
  if (numbers.size() == 1) return fmt::format("{} {} runs before the others", what, numbers[0]);
  return fmt::format("{}s {} run before the others, in this order", what, fmt::join(numbers, ", "));
}

std::string words_of(const held_back& hold, const observers::kernel_facts& facts) {
  const bool all = hold.lanes == all_lanes;
  std::string who = all ? "" : explain::lane_list(hold.lanes);
  std::string warps =
      hold.every == 1 ? "all warps" : fmt::format("every warp with number % {} == {}", hold.every, hold.rest);
  return fmt::format("{}{}{} wait after {} {}until others of {} have continued", who, all ? "" : " of ", warps,
                     explain::place(facts, hold.pc), hold.each_time ? "each time " : "",
                     hold.of_grid ? "the grid" : "the block");
}

}  // namespace

order_choices choices_of(unsigned k, const orders_plan& plan, const std::vector<std::uint32_t>& accesses) {
  dice d(plan.seed * 0x10001 + k);
  order_choices c;
  c.blocks_fall = k == 1 || k == 5;
  c.warps_fall = k == 2 || k == 5;
  c.jumpers_first = k == 3 || k == 5;
  c.lanes_fall = k == 4 || k == 5;
  if (k < 6) return c;
  c.blocks_fall = d.one_in(6);
  c.warps_fall = d.one_in(6);
  c.jumpers_first = d.one_in(4);
  c.lanes_fall = d.one_in(4);
  if (d.one_in(3)) {
    for (auto left = 1 + d.below(3); left > 0; --left)
      c.blocks_first.push_back(d.below(std::min(plan.blocks, plan.room)));
  }
  if (d.one_in(3)) {
    for (auto left = 1 + d.below(2); left > 0; --left)
      c.warps_first.push_back(static_cast<std::uint32_t>(d.below(plan.warps)));
  }
  const auto drop_repeated = [](auto& list) {
    for (std::size_t at = 0; at < list.size(); ++at)
      list.erase(std::remove(list.begin() + static_cast<std::ptrdiff_t>(at) + 1, list.end(), list[at]), list.end());
  };
  drop_repeated(c.blocks_first);
  drop_repeated(c.warps_first);
  if (accesses.empty()) return c;
  // The first hold is after a different access in each order; others may follow random accesses.
  c.holds.push_back(random_hold(d, plan, accesses[(k - 6) % accesses.size()]));
  while (c.holds.size() < 3 && d.one_in(2)) c.holds.push_back(random_hold(d, plan, accesses[d.below(accesses.size())]));
  return c;
}

std::vector<order_choices> simpler(const order_choices& c) {
  std::vector<order_choices> all;
  const auto with = [&](auto change) {
    all.push_back(c);
    change(all.back());
  };
  const auto without_part = [&](auto member) {
    const auto& list = c.*member;
    if (list.size() > 1) {
      with([&](order_choices& s) { (s.*member).clear(); });
    }
    for (std::size_t k = 0; k < list.size(); ++k)
      with([&](order_choices& s) { (s.*member).erase((s.*member).begin() + static_cast<std::ptrdiff_t>(k)); });
  };
  without_part(&order_choices::holds);
  without_part(&order_choices::blocks_first);
  without_part(&order_choices::warps_first);
  for (bool order_choices::*flag : {&order_choices::blocks_fall, &order_choices::warps_fall,
                                    &order_choices::jumpers_first, &order_choices::lanes_fall}) {
    if (c.*flag) with([&](order_choices& s) { s.*flag = false; });
  }
  for (std::size_t k = 0; k < c.holds.size(); ++k) {
    if (c.holds[k].of_grid) with([&](order_choices& s) { s.holds[k].of_grid = false; });
    if (c.holds[k].each_time) with([&](order_choices& s) { s.holds[k].each_time = false; });
    if (c.holds[k].lanes != all_lanes && c.holds[k].every > 1)
      with([&](order_choices& s) { s.holds[k].lanes = all_lanes; });
  }
  return all;
}

std::string words_of(const order_choices& c, const observers::kernel_facts& facts) {
  std::vector<std::string> all;
  if (!c.blocks_first.empty()) all.push_back(listed("block", c.blocks_first));
  if (c.blocks_fall) all.push_back("blocks start from the last to the first");
  if (!c.warps_first.empty()) all.push_back(listed("warp", c.warps_first));
  if (c.warps_fall) all.push_back("the warps of a block take turns from the last to the first");
  if (c.jumpers_first) all.push_back("lanes that jump at a branch run before those that do not");
  if (c.lanes_fall) all.push_back("the lanes of a warp store from the last to the first");
  for (const held_back& hold : c.holds) all.push_back(words_of(hold, facts));
  return fmt::format("{}", fmt::join(all, ", and "));
}

}  // namespace emulator::simt
