#include "emulator/ptx/operands.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace emulator::ptx {
namespace {

/// `call (r), f, ({…})` has depth three. The text is damaged if an operand is much deeper.
constexpr unsigned deepest_operand = 8;

/// PTX ISA, "Special Registers". Those whose names end with a number are listed without it.
constexpr std::array<std::string_view, 39> special_registers = {"tid",
                                                                "ntid",
                                                                "laneid",
                                                                "warpid",
                                                                "nwarpid",
                                                                "ctaid",
                                                                "nctaid",
                                                                "smid",
                                                                "nsmid",
                                                                "gridid",
                                                                "is_explicit_cluster",
                                                                "clusterid",
                                                                "nclusterid",
                                                                "cluster_ctaid",
                                                                "cluster_nctaid",
                                                                "cluster_ctarank",
                                                                "cluster_nctarank",
                                                                "lanemask_eq",
                                                                "lanemask_le",
                                                                "lanemask_lt",
                                                                "lanemask_ge",
                                                                "lanemask_gt",
                                                                "clock",
                                                                "clock_hi",
                                                                "clock64",
                                                                "pm",
                                                                "pm_64",
                                                                "envreg",
                                                                "globaltimer",
                                                                "globaltimer_lo",
                                                                "globaltimer_hi",
                                                                "reserved_smem_offset_",
                                                                "reserved_smem_offset_begin",
                                                                "reserved_smem_offset_end",
                                                                "reserved_smem_offset_cap",
                                                                "total_smem_size",
                                                                "aggr_smem_size",
                                                                "dynamic_smem_size",
                                                                "current_graph_exec"};

bool is_special_register(std::string_view name) {
  name.remove_prefix(1);
  const auto known = [](std::string_view word) {
    return std::find(special_registers.begin(), special_registers.end(), word) != special_registers.end();
  };
  if (known(name)) return true;
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  return name == "envreg" || name == "pm" || name == "reserved_smem_offset_";
}

/// Returns the index of the element `.x`, `.g` …, or 4 if there is no such element.
unsigned component_number(std::string_view word) {
  if (word.size() != 1) return 4;
  const std::size_t coordinate = std::string_view("xyzw").find(word[0]);
  const std::size_t color = std::string_view("rgba").find(word[0]);
  return static_cast<unsigned>(std::min({coordinate, color, std::size_t{4}}));
}

/// Returns true if this may follow an operand of a video instruction: `b0`, `h10`, `b7531`.
bool is_part_selector(std::string_view word) {
  if (word.size() < 2 || word.size() > 5 || (word[0] != 'b' && word[0] != 'h')) return false;
  word.remove_prefix(1);
  return std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '7'; });
}

operand make_register(std::uint32_t index) {
  return {.what = operand::kind::reg, .index = index};
}

}  // namespace

operand operand_reader::read(unsigned depth) {
  operand first = read_single(depth);
  if (!text_.take('|')) return first;
  operand result{.what = operand::kind::pair};
  result.elements.reserve(2);
  result.elements.push_back(std::move(first));
  result.elements.push_back(read_single(depth));
  return result;
}

operand operand_reader::read_single(unsigned depth) {
  if (depth > deepest_operand) text_.fail("operands are nested too deeply");
  if (text_.at_identifier()) return read_name(text_.identifier());
  if (text_.at_number()) {
    const literal value = text_.number();
    return {.what = value.what, .bits = value.bits};
  }
  if (text_.take('[')) return read_address(depth);
  if (text_.take('{')) return read_elements(operand::kind::vector, '}', depth);
  if (text_.take('(')) return read_elements(operand::kind::list, ')', depth);
  text_.expect('!', "or an operand");
  operand result = read_name(text_.identifier());
  if (result.what != operand::kind::reg) text_.fail("'!' before an operand that is not a predicate");
  result.negated = true;
  return result;
}

operand operand_reader::read_name(std::string_view name) {
  if (const auto place = registers_.find(name)) return read_register(name, *place);
  if (name[0] == '%') return read_special(name);
  if (name == "_") return {.what = operand::kind::sink};
  if (name == "WARP_SZ") return {.what = operand::kind::integer, .bits = 32};
  const auto* renamed = variables_.find(name);
  return {.what = operand::kind::symbol, .offset = read_offset(), .name = renamed ? renamed->value : std::string(name)};
}

operand operand_reader::read_register(std::string_view name, register_place place) {
  const bool component = text_.here() == '.';
  if (!component && place.width == 1) return make_register(place.index);
  if (component) {
    text_.step();
    const std::string_view word = text_.modifier();
    if (place.width == 1 && is_part_selector(word)) {
      operand part = make_register(place.index);
      part.name = word;
      return part;
    }
    const unsigned number = component_number(word);
    if (place.width == 1 || number >= place.width) text_.fail(quote(name) + " has no such element");
    return make_register(place.index + number);
  }
  operand result{.what = operand::kind::vector};
  for (unsigned i = 0; i < place.width; ++i) result.elements.push_back(make_register(place.index + i));
  return result;
}

operand operand_reader::read_special(std::string_view name) {
  if (!is_special_register(name)) text_.fail("register '" + std::string(name) + "' is not declared");
  operand result{.what = operand::kind::special, .name = std::string(name)};
  if (text_.here() == '.') {
    text_.step();
    const std::string_view component = text_.modifier();
    if (component_number(component) > 3) text_.fail(quote(result.name) + " has no element " + quote(component));
    result.name += '.';
    result.name += component;
  }
  return result;
}

std::int64_t operand_reader::read_offset() {
  std::int64_t result = 0;
  while (text_.peek() == '-' || text_.take('+')) {
    const literal value = text_.number();
    if (value.what != operand::kind::integer) text_.fail("an offset is not an integer");
    result = static_cast<std::int64_t>(static_cast<std::uint64_t>(result) + value.bits);
  }
  return result;
}

operand operand_reader::read_address(unsigned depth) {
  operand result{.what = operand::kind::address};
  operand base = read_single(depth + 1);
  switch (base.what) {
    case operand::kind::reg:
    case operand::kind::integer:
      result.offset = read_offset();
      break;
    case operand::kind::symbol:
      result.offset = std::exchange(base.offset, 0);
      break;
    default:
      text_.fail("an address must begin with a register, a name or a number");
  }
  result.elements.push_back(std::move(base));
  while (text_.take(',')) result.elements.push_back(read_single(depth + 1));
  text_.expect(']', "after an address");
  return result;
}

operand operand_reader::read_elements(operand::kind what, char closing, unsigned depth) {
  operand result{.what = what};
  if (text_.take(closing)) return result;
  do {
    result.elements.push_back(read(depth + 1));
  } while (text_.take(','));
  text_.expect(closing, what == operand::kind::vector ? "after a vector" : "after a list");
  return result;
}

}  // namespace emulator::ptx
