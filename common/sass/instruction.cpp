#include "sass/instruction.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

namespace sass {
namespace {

struct kind_names {
  std::string_view name, short_name;
};

constexpr std::array<kind_names, kinds> names = {{
    {"global load", "LDG"},   {"global store", "STG"},     {"shared load", "LDS"},      {"shared store", "STS"},
    {"local load", "LDL"},    {"local store", "STL"},      {"constant load", "LDC"},    {"atomic", "ATOM"},
    {"bulk copy", "bulk"},    {"shuffle", "SHFL"},         {"warp reduction", "REDUX"}, {"vote", "VOTE"},
    {"block barrier", "BAR"}, {"fence", "fence"},          {"branch", "BRA"},           {"convergence", "conv."},
    {"matrix", "MMA"},        {"floating point", "float"}, {"integer", "int"},          {"conversion", "cvt"},
    {"move", "MOV"},          {"no operation", "NOP"},     {"other", "other"},
}};

struct opcode_kind {
  std::string_view base;
  kind what;
};

/// Opcodes without modifiers, and without the U of the uniform datapath where the rest stands here.
constexpr auto opcodes = std::to_array<opcode_kind>({
    {"LDG", kind::global_load},
    {"LD", kind::global_load},
    {"LDGMC", kind::global_load},
    {"STG", kind::global_store},
    {"ST", kind::global_store},
    {"LDS", kind::shared_load},
    {"LDSM", kind::shared_load},
    {"STS", kind::shared_store},
    {"STSM", kind::shared_store},
    {"LDL", kind::local_load},
    {"STL", kind::local_store},
    {"LDC", kind::constant_load},
    {"LDCU", kind::constant_load},
    {"ATOM", kind::atomic},
    {"ATOMG", kind::atomic},
    {"ATOMS", kind::atomic},
    {"RED", kind::atomic},
    {"REDG", kind::atomic},
    {"REDS", kind::atomic},
    {"LDGSTS", kind::bulk_copy},
    {"SHFL", kind::shuffle},
    {"REDUX", kind::warp_reduction},
    {"CREDUX", kind::warp_reduction},
    {"VOTE", kind::vote},
    {"VOTEU", kind::vote},
    {"MATCH", kind::vote},
    {"BAR", kind::block_barrier},
    {"SYNCS", kind::block_barrier},
    {"UCGABAR_ARV", kind::block_barrier},
    {"UCGABAR_WAIT", kind::block_barrier},
    {"MEMBAR", kind::fence},
    {"ERRBAR", kind::fence},
    {"CGAERRBAR", kind::fence},
    {"CCTL", kind::fence},
    {"FENCE", kind::fence},
    {"DEPBAR", kind::fence},
    {"LDGDEPBAR", kind::fence},
    {"LDGMBAR", kind::fence},
    {"BRA", kind::branch},
    {"BRX", kind::branch},
    {"BRXU", kind::branch},
    {"JMP", kind::branch},
    {"JMX", kind::branch},
    {"CALL", kind::branch},
    {"RET", kind::branch},
    {"EXIT", kind::branch},
    {"BPT", kind::branch},
    {"BSSY", kind::convergence},
    {"BSYNC", kind::convergence},
    {"BREAK", kind::convergence},
    {"BMOV", kind::convergence},
    {"WARPSYNC", kind::convergence},
    {"ENDCOLLECTIVE", kind::convergence},
    {"YIELD", kind::convergence},
    {"NANOSLEEP", kind::convergence},
    {"HMMA", kind::matrix},
    {"IMMA", kind::matrix},
    {"DMMA", kind::matrix},
    {"BMMA", kind::matrix},
    {"QMMA", kind::matrix},
    {"HGMMA", kind::matrix},
    {"IGMMA", kind::matrix},
    {"QGMMA", kind::matrix},
    {"WARPGROUP", kind::matrix},
    {"FADD", kind::floating_point},
    {"FMUL", kind::floating_point},
    {"FFMA", kind::floating_point},
    {"FSETP", kind::floating_point},
    {"FSEL", kind::floating_point},
    {"FSET", kind::floating_point},
    {"FMNMX", kind::floating_point},
    {"FMNMX3", kind::floating_point},
    {"FCHK", kind::floating_point},
    {"FSWZADD", kind::floating_point},
    {"FADD2", kind::floating_point},
    {"FMUL2", kind::floating_point},
    {"FFMA2", kind::floating_point},
    {"DADD", kind::floating_point},
    {"DMUL", kind::floating_point},
    {"DFMA", kind::floating_point},
    {"DSETP", kind::floating_point},
    {"HADD2", kind::floating_point},
    {"HMUL2", kind::floating_point},
    {"HFMA2", kind::floating_point},
    {"HSETP2", kind::floating_point},
    {"HSET2", kind::floating_point},
    {"HMNMX2", kind::floating_point},
    {"IADD", kind::integer},
    {"IADD3", kind::integer},
    {"IMAD", kind::integer},
    {"IMUL", kind::integer},
    {"ISETP", kind::integer},
    {"IMNMX", kind::integer},
    {"VIMNMX", kind::integer},
    {"VIMNMX3", kind::integer},
    {"VIADD", kind::integer},
    {"VIADDMNMX", kind::integer},
    {"LEA", kind::integer},
    {"LOP3", kind::integer},
    {"LOP", kind::integer},
    {"PLOP3", kind::integer},
    {"SHF", kind::integer},
    {"SHL", kind::integer},
    {"SHR", kind::integer},
    {"IABS", kind::integer},
    {"POPC", kind::integer},
    {"FLO", kind::integer},
    {"BREV", kind::integer},
    {"PRMT", kind::integer},
    {"SGXT", kind::integer},
    {"BMSK", kind::integer},
    {"IDP", kind::integer},
    {"VABSDIFF", kind::integer},
    {"I2F", kind::conversion},
    {"I2FP", kind::conversion},
    {"F2I", kind::conversion},
    {"F2F", kind::conversion},
    {"F2FP", kind::conversion},
    {"F2IP", kind::conversion},
    {"I2I", kind::conversion},
    {"I2IP", kind::conversion},
    {"FRND", kind::conversion},
    {"MUFU", kind::conversion},
    {"MOV", kind::move},
    {"S2R", kind::move},
    {"S2UR", kind::move},
    {"CS2R", kind::move},
    {"R2UR", kind::move},
    {"SEL", kind::move},
    {"P2R", kind::move},
    {"R2P", kind::move},
    {"P2UR", kind::move},
    {"R2B", kind::move},
    {"B2R", kind::move},
    {"NOP", kind::no_operation},
});

std::optional<kind> find_kind(std::string_view base) {
  const auto found = std::find_if(opcodes.begin(), opcodes.end(), [&](const opcode_kind& o) { return o.base == base; });
  if (found == opcodes.end()) return std::nullopt;
  return found->what;
}

std::string_view base_of(std::string_view opcode) {
  return opcode.substr(0, opcode.find('.'));
}

bool has_modifier(std::string_view opcode, std::string_view wanted) {
  for (std::size_t dot = opcode.find('.'); dot != std::string_view::npos; dot = opcode.find('.', dot + 1)) {
    const std::string_view rest = opcode.substr(dot + 1);
    if (rest.substr(0, rest.find('.')) == wanted) return true;
  }
  return false;
}

bool begins_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

}  // namespace

std::string_view name_of(kind which) {
  return names[static_cast<std::size_t>(which)].name;
}

std::string_view short_name_of(kind which) {
  return names[static_cast<std::size_t>(which)].short_name;
}

kind kind_of(std::string_view opcode) {
  const std::string_view base = base_of(opcode);
  // A move that the compiler lets the multiplier do.
  if (base == "IMAD" && has_modifier(opcode, "MOV")) return kind::move;
  if (const auto found = find_kind(base)) return *found;
  for (const std::string_view prefix : {"UTMA", "UBLK"}) {
    if (begins_with(base, prefix)) return kind::bulk_copy;
  }
  if (begins_with(base, "UTC")) return kind::matrix;
  if (begins_with(base, "U")) return find_kind(base.substr(1)).value_or(kind::other);
  return kind::other;
}

std::string_view instruction::base() const {
  return base_of(opcode);
}

unsigned instruction::width_bits() const {
  switch (what) {
    case kind::global_load:
    case kind::global_store:
    case kind::shared_load:
    case kind::shared_store:
    case kind::local_load:
    case kind::local_store:
    case kind::constant_load:
      break;
    default:
      return 0;
  }
  constexpr std::array<std::pair<std::string_view, unsigned>, 8> widths = {
      {{"256", 256}, {"128", 128}, {"64", 64}, {"U16", 16}, {"S16", 16}, {"U8", 8}, {"S8", 8}, {"32", 32}}};
  for (const auto& [modifier, bits] : widths) {
    if (has_modifier(opcode, modifier)) return bits;
  }
  return 32;
}

bool instruction::never_falls_through() const {
  if (!guard.empty() || what != kind::branch) return false;
  const std::string_view own = base();
  if (own == "CALL" || own == "BPT") return false;
  // BRA.DIV and BRA.CONV ask whether the warp is in one piece; a predicate may also be the first operand.
  if (own == "BRA")
    return opcode.find(".DIV") == std::string::npos && opcode.find(".CONV") == std::string::npos &&
           operands.find(',') == std::string::npos;
  return true;
}

std::size_t function::size() const {
  std::size_t end = code.size();
  while (end > 0 && code[end - 1].what == kind::no_operation) --end;
  // What the compiler puts behind the last instruction: a branch to itself.
  if (end > 0 && code[end - 1].target == code[end - 1].address && code[end - 1].guard.empty()) --end;
  return end;
}

std::string shown_name(const std::string& linker_name) {
  // Without this a kernel of extern "C" that is called f would be shown as float.
  if (!begins_with(linker_name, "_Z")) return linker_name;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(
      abi::__cxa_demangle(linker_name.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || !demangled) return linker_name;
  const std::string whole = demangled.get();
  // The parameters begin at the last '(' outside of <>; a result, which only templates name, ends at a blank before it.
  constexpr std::string_view anonymous = "(anonymous namespace)";
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    const char c = whole[at];
    if (whole.compare(at, anonymous.size(), anonymous) == 0) {
      at += anonymous.size() - 1;
    } else if (c == '<') {
      ++depth;
    } else if (c == '>') {
      --depth;
    } else if (depth == 0 && c == ' ') {
      begin = at + 1;
    } else if (depth == 0 && c == '(') {
      return whole.substr(begin, at - begin);
    }
  }
  return whole;
}

}  // namespace sass
