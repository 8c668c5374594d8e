#include "machine_code/sass/flow.hpp"

#include <algorithm>
#include <map>

namespace sass {
namespace {

constexpr std::uint64_t bytes_of_instruction = 16;

using graph = std::vector<std::vector<std::size_t>>;

/// Returns the back edges: edges to an instruction that is already on the current path of the depth-first search.
std::vector<std::pair<std::size_t, std::size_t>> back_edges(const graph& next) {
  enum class state : std::uint8_t { unseen, on_the_way, done };
  std::vector<state> seen(next.size(), state::unseen);
  std::vector<std::pair<std::size_t, std::size_t>> found;
  std::vector<std::pair<std::size_t, std::size_t>> way;  // An instruction, and the number of its visited successors.
  for (std::size_t root = 0; root < next.size(); ++root) {
    if (seen[root] != state::unseen) continue;
    way.emplace_back(root, 0);
    seen[root] = state::on_the_way;
    while (!way.empty()) {
      const std::size_t at = way.back().first;
      if (way.back().second == next[at].size()) {
        seen[at] = state::done;
        way.pop_back();
        continue;
      }
      const std::size_t to = next[at][way.back().second++];
      if (seen[to] == state::on_the_way) found.emplace_back(at, to);
      if (seen[to] != state::unseen) continue;
      seen[to] = state::on_the_way;
      way.emplace_back(to, 0);
    }
  }
  return found;
}

/// Adds to the loop the instructions from which control can reach `from` without passing the loop's head.
void add_body(loop& into, std::size_t from, const graph& previous) {
  std::vector<std::size_t> open = {from};
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (into.contains[at]) continue;
    into.contains[at] = true;
    open.insert(open.end(), previous[at].begin(), previous[at].end());
  }
}

}  // namespace

std::vector<std::vector<std::size_t>> successors(const function& of, calls how) {
  const std::size_t size = of.size();
  graph next(size);
  std::vector<std::size_t> behind_calls;
  for (std::size_t i = 0; i + 1 < size; ++i) {
    if (of.code[i].base() == "CALL") behind_calls.push_back(i + 1);
  }
  for (std::size_t i = 0; i < size; ++i) {
    const instruction& own = of.code[i];
    const bool is_call = own.base() == "CALL", enters = how == calls::entered;
    const bool falls = !own.never_falls_through() && !(is_call && enters && own.target && own.guard.empty());
    if (falls && i + 1 < size) next[i].push_back(i + 1);
    if (own.target && (enters || !is_call) && own.base() != "BSSY" && own.base() != "RET") {
      const auto to = static_cast<std::size_t>(*own.target / bytes_of_instruction);
      if (to < size) next[i].push_back(to);
    }
    if (own.base() == "RET" && enters) next[i].insert(next[i].end(), behind_calls.begin(), behind_calls.end());
  }
  return next;
}

std::size_t loop::last() const {
  const auto found = std::find(contains.rbegin(), contains.rend(), true);
  return contains.size() - 1 - static_cast<std::size_t>(found - contains.rbegin());
}

std::size_t loop::size() const {
  return static_cast<std::size_t>(std::count(contains.begin(), contains.end(), true));
}

std::vector<loop> find_loops(const function& of) {
  const graph next = successors(of, calls::stepped_over);
  graph previous(next.size());
  for (std::size_t i = 0; i < next.size(); ++i) {
    for (const std::size_t to : next[i]) previous[to].push_back(i);
  }
  std::map<std::size_t, loop> by_head;
  for (const auto& [from, head] : back_edges(next)) {
    loop& into = by_head[head];
    if (into.contains.empty()) {
      into.head = head;
      into.contains.resize(next.size());
      into.contains[head] = true;
    }
    add_body(into, from, previous);
  }
  std::vector<loop> loops;
  for (auto& [head, found] : by_head) loops.push_back(std::move(found));
  for (loop& one : loops) {
    one.depth = static_cast<unsigned>(
        std::count_if(loops.begin(), loops.end(), [&](const loop& other) { return other.contains[one.head]; }));
  }
  return loops;
}

std::vector<std::size_t> innermost_loops(const function& of, const std::vector<loop>& loops) {
  std::vector<std::size_t> numbers(of.size(), 0);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    unsigned depth = 0;
    for (std::size_t k = 0; k < loops.size(); ++k) {
      if (loops[k].contains[i] && loops[k].depth > depth) {
        depth = loops[k].depth;
        numbers[i] = k + 1;
      }
    }
  }
  return numbers;
}

std::size_t prologue_size(const function& of) {
  const std::vector<loop> loops = find_loops(of);
  std::size_t end = 0;
  for (; end < of.size(); ++end) {
    const bool heads_a_loop = std::any_of(loops.begin(), loops.end(), [&](const loop& l) { return l.head == end; });
    const kind what = of.code[end].what;
    const bool prepares = what == kind::integer || what == kind::move || what == kind::constant_load ||
                          what == kind::floating_point || what == kind::conversion || what == kind::no_operation;
    if (heads_a_loop || !prepares) break;
  }
  return end;
}

}  // namespace sass
