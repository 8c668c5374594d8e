#include "machine_code/sass/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "machine_code/sass/flow.hpp"

namespace sass {
namespace {

std::string at(const instruction& i, const std::string& what) {
  return fmt::format("{:#06x} {} {}: {}", i.address, i.opcode, i.operands, what);
}

/// Returns the position of the operand that receives the result: 0, or 1 if the first operand is a predicate, as it may
/// be for SHFL and atomics.
std::size_t result_position(const std::vector<std::string>& operands) {
  const bool predicate_first = !operands.empty() && !operands[0].empty() && operands[0][0] == 'P';
  return predicate_first ? 1 : 0;
}

/// Returns the operand that receives the result. Empty if there is none, for example if the first operand is a memory
/// address.
std::string result_of(const instruction& i) {
  const std::vector<std::string> operands = operands_of(i);
  const std::size_t position = result_position(operands);
  if (position >= operands.size() || operands[position].substr(0, 1) != "R") return "";
  return registers_of(operands[position], 1).empty() ? "" : operands[position];
}

/// Returns true if the compiler cannot know an instruction's latency, so that its result needs a barrier.
bool has_variable_latency(const instruction& of) {
  constexpr std::array waited_for = {kind::global_load, kind::shared_load, kind::local_load, kind::shuffle,
                                     kind::atomic};
  constexpr std::array<std::string_view, 4> others = {"S2R", "MUFU", "POPC", "F2I"};
  return std::ranges::count(waited_for, of.what) != 0 || std::ranges::count(others, of.base()) != 0;
}

/// Returns the barriers that an instruction sets, one bit each.
unsigned raised(const instruction& i) {
  const control& c = i.scheduling;
  return (c.write_barrier ? 1u << *c.write_barrier : 0u) | (c.read_barrier ? 1u << *c.read_barrier : 0u);
}

/// Returns a guard without the U of the uniform datapath.
std::string plain(std::string guard) {
  std::erase(guard, 'U');
  return guard;
}

void check_guards(const function& of, std::vector<std::string>& found) {
  for (const instruction& i : of.code) {
    const std::string decoded = decode_guard(i.encoding);
    if (decoded != plain(i.guard)) {
      found.push_back(at(i, fmt::format("its encoding says '{}' and the disassembler '{}'", decoded, i.guard)));
    }
  }
}

void check_waits(const function& of, std::vector<std::string>& found) {
  const auto next = successors(of, calls::entered);
  // For each instruction, the barriers that may have been set on some path to it. They grow until a fixed point.
  std::vector<unsigned> before(of.size(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const unsigned after = before[i] | raised(of.code[i]);
      for (const std::size_t to : next[i]) {
        if ((before[to] | after) == before[to]) continue;
        before[to] |= after;
        changed = true;
      }
    }
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    const unsigned never = of.code[i].scheduling.wait_mask & ~before[i];
    if (never != 0)
      found.push_back(at(of.code[i], fmt::format("waits for barriers {:#04x} that nothing raises", never)));
  }
}

/// Finds uses of results that are still in flight, in straight-line code.
class results_on_their_way {
 public:
  results_on_their_way(const function& of, std::vector<std::string>& found) : of_(of), found_(found) {}

  void check() {
    std::vector<bool> begins(of_.size(), false);
    for (const instruction& i : of_.code) {
      if (i.target && *i.target / 16 < of_.size()) begins[static_cast<std::size_t>(*i.target / 16)] = true;
    }
    for (std::size_t k = 0; k < of_.size(); ++k) {
      const instruction& one = of_.code[k];
      if (begins[k] || one.base() == "DEPBAR") forget();
      wait(one.scheduling.wait_mask);
      check_operands(one);
      if (one.what == kind::branch) forget();
      remember(one);
    }
    forget();
  }

 private:
  /// A load whose result is in flight.
  struct late {
    const instruction* load = nullptr;
    std::optional<unsigned> barrier;  ///< If empty, a later load of the same kind has to set one for this load.
  };

  /// Ends the straight-line code. A load that has no barrier by now will not get one.
  void forget() {
    for (const auto& [number, one] : registers_) {
      if (!one.barrier && complained_of_.insert(one.load).second) {
        found_.push_back(at(*one.load, "sets no barrier for its result, and neither does a later load"));
      }
    }
    registers_.clear();
  }

  void wait(unsigned mask) {
    std::erase_if(registers_, [mask](const auto& entry) {
      const auto& barrier = entry.second.barrier;
      return barrier && (mask >> *barrier & 1u) != 0;
    });
  }

  void check_operands(const instruction& one) {
    const std::vector<std::string> operands = operands_of(one);
    for (std::size_t p = result_of(one).empty() ? 0 : result_position(operands) + 1; p < operands.size(); ++p) {
      for (const unsigned r : registers_of(operands[p], 1)) {
        const auto found = registers_.find(r);
        if (found != registers_.end()) {
          found_.push_back(at(one, fmt::format("uses R{} without waiting for {} at {:#06x}", r,
                                               found->second.load->opcode, found->second.load->address)));
        }
      }
    }
  }

  void remember(const instruction& one) {
    const std::string result = result_of(one);
    if (result.empty()) return;
    if (has_variable_latency(one) && one.scheduling.write_barrier) {
      for (auto& [number, other] : registers_) {
        if (!other.barrier && other.load->what == one.what) other.barrier = one.scheduling.write_barrier;
      }
    }
    for (const unsigned r : registers_of(result, std::max(1u, one.width_bits() / 32))) {
      registers_.erase(r);
      if (has_variable_latency(one)) registers_[r] = {&one, one.scheduling.write_barrier};
    }
  }

  const function& of_;
  std::vector<std::string>& found_;
  std::map<unsigned, late> registers_;
  std::set<const instruction*> complained_of_;
};

}  // namespace

std::vector<std::string> check(const function& of) {
  std::vector<std::string> found;
  check_guards(of, found);
  check_waits(of, found);
  results_on_their_way(of, found).check();
  return found;
}

std::vector<std::string> operands_of(const instruction& of) {
  std::vector<std::string> result;
  std::size_t begin = 0;
  int depth = 0;
  const std::string& text = of.operands;
  for (std::size_t k = 0; k <= text.size() && !text.empty(); ++k) {
    if (k < text.size() && text[k] == '[') ++depth;
    if (k < text.size() && text[k] == ']') --depth;
    if (k < text.size() && (text[k] != ',' || depth != 0)) continue;
    const std::size_t first = std::min(text.find_first_not_of(' ', begin), k);
    result.push_back(text.substr(first, k - first));
    begin = k + 1;
  }
  return result;
}

std::vector<unsigned> registers_of(const std::string& operand, unsigned words) {
  std::vector<unsigned> result;
  for (std::size_t k = 0; k < operand.size(); ++k) {
    const bool inside_a_name =
        k > 0 && (std::isalnum(static_cast<unsigned char>(operand[k - 1])) || operand[k - 1] == '_');
    if (operand[k] != 'R' || inside_a_name || k + 1 >= operand.size() ||
        !std::isdigit(static_cast<unsigned char>(operand[k + 1]))) {
      continue;
    }
    const std::size_t end = std::min(operand.find_first_not_of("0123456789", k + 1), operand.size());
    constexpr std::size_t max_digits = 3;
    if (end - k - 1 > max_digits) continue;
    const auto first = static_cast<unsigned>(std::stoul(operand.substr(k + 1, end - k - 1)));
    const unsigned many = operand.compare(end, 3, ".64") == 0 ? std::max(2u, words) : words;
    for (unsigned w = 0; w < many; ++w) result.push_back(first + w);
  }
  return result;
}

}  // namespace sass
