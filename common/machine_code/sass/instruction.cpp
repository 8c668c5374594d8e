#include "machine_code/sass/instruction.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

namespace sass {
namespace {

constexpr std::array<kind_facts, kinds> all_kind_facts = {{
    {"global load", "LDG", "", " LDG LD LDGMC "},
    {"global store", "STG", "", " STG ST "},
    {"shared load", "LDS", "", " LDS LDSM "},
    {"shared store", "STS", "", " STS STSM "},
    {"local load", "LDL", "local", " LDL "},
    {"local store", "STL", "local", " STL "},
    {"constant load", "LDC", "", " LDC LDCU "},
    {"atomic", "ATOM", "atom", " ATOM ATOMG ATOMS RED REDG REDS "},
    {"bulk copy", "bulk", "bulk", " LDGSTS "},
    {"shuffle", "SHFL", "shfl", " SHFL "},
    {"warp reduction", "REDUX", "redux", " REDUX CREDUX "},
    {"vote", "VOTE", "", " VOTE VOTEU MATCH "},
    {"block barrier", "BAR", "bar", " BAR SYNCS UCGABAR_ARV UCGABAR_WAIT "},
    {"fence", "fence", "", " MEMBAR ERRBAR CGAERRBAR CCTL FENCE DEPBAR LDGDEPBAR LDGMBAR "},
    {"branch", "BRA", "", " BRA BRX BRXU JMP JMX CALL RET EXIT BPT "},
    {"convergence", "conv.", "", " BSSY BSYNC BREAK BMOV WARPSYNC ENDCOLLECTIVE YIELD NANOSLEEP "},
    {"matrix", "MMA", "mma", " HMMA IMMA DMMA BMMA QMMA HGMMA IGMMA QGMMA WARPGROUP "},
    {"floating point", "float", "",
     " FADD FMUL FFMA FSETP FSEL FSET FMNMX FMNMX3 FCHK FSWZADD FADD2 FMUL2 FFMA2 DADD DMUL DFMA DSETP HADD2 HMUL2 "
     "HFMA2 HSETP2 HSET2 HMNMX2 "},
    {"integer", "int", "",
     " IADD IADD3 IMAD IMUL ISETP IMNMX VIMNMX VIMNMX3 VIADD VIADDMNMX LEA LOP3 LOP PLOP3 SHF SHL SHR IABS POPC FLO "
     "BREV PRMT SGXT BMSK IDP VABSDIFF "},
    {"conversion", "cvt", "", " I2F I2FP F2I F2F F2FP F2IP I2I I2IP FRND MUFU "},
    {"move", "MOV", "", " MOV S2R S2UR CS2R R2UR SEL P2R R2P P2UR R2B B2R "},
    {"no operation", "NOP", "", " NOP "},
    {"other", "other", "", ""},
}};

std::optional<kind> find_kind(std::string_view base) {
  const std::string word = " " + std::string(base) + " ";
  for (std::size_t k = 0; k < kinds; ++k) {
    if (all_kind_facts[k].opcodes.find(word) != std::string_view::npos) return static_cast<kind>(k);
  }
  return std::nullopt;
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

}  // namespace

const kind_facts& facts_of(kind which) {
  return all_kind_facts[static_cast<std::size_t>(which)];
}

kind kind_of(std::string_view opcode) {
  const std::string_view base = base_of(opcode);
  // IMAD.MOV is a move that the multiplier executes.
  if (base == "IMAD" && has_modifier(opcode, "MOV")) return kind::move;
  if (const auto found = find_kind(base)) return *found;
  if (base.starts_with("UTMA") || base.starts_with("UBLK")) return kind::bulk_copy;
  if (base.starts_with("UTC")) return kind::matrix;
  if (base.starts_with("U")) return find_kind(base.substr(1)).value_or(kind::other);
  return kind::other;
}

std::string_view instruction::base() const {
  return base_of(opcode);
}

unsigned instruction::width_bits() const {
  if (what > kind::constant_load) return 0;
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
  // BRA.DIV and BRA.CONV are conditional: they depend on whether the warp has converged. The first operand may also be
  // a predicate.
  if (own == "BRA")
    return opcode.find(".DIV") == std::string::npos && opcode.find(".CONV") == std::string::npos &&
           operands.find(',') == std::string::npos;
  return true;
}

std::size_t function::size() const {
  std::size_t end = code.size();
  while (end > 0 && code[end - 1].what == kind::no_operation) --end;
  // The compiler puts a branch to itself after the last instruction.
  if (end > 0 && code[end - 1].target == code[end - 1].address && code[end - 1].guard.empty()) --end;
  return end;
}

std::string shown_name(const std::string& linker_name) {
  // Without this, an extern "C" kernel named f would be shown as float.
  if (!linker_name.starts_with("_Z")) return linker_name;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(
      abi::__cxa_demangle(linker_name.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || !demangled) return linker_name;
  const std::string whole = demangled.get();
  // The parameters begin at the first '(' outside of <>. If there is a result type, which only templates have, it ends
  // at a blank before that.
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
