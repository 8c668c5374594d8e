#include "machine_code/sass/program/selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "host/program.hpp"
#include "machine_code/sass/encoding.hpp"
#include "machine_code/sass/parse.hpp"
#include "machine_code/sass/program/disassembler.hpp"

namespace sass_tool {
namespace {

using host::usage_error;

constexpr std::size_t max_names = 40;

/// Returns true if `name` is a kernel's linker name or a part of its name in C++.
bool is_named(const std::string& linker_name, const std::string& name) {
  return linker_name == name || sass::shown_name(linker_name).find(name) != std::string::npos;
}

unsigned number_of(const std::string& architecture) {
  const auto number = sass::architecture_number(architecture);
  if (!number) throw usage_error("'" + architecture + "' is not an architecture; give one such as sm_90");
  return *number;
}

/// Returns true if this code contains a requested kernel. Other code is not disassembled: chapters are linked with
/// libraries, and disassembling these takes time.
bool is_needed(const device_code& code, const request& wanted) {
  const std::vector<std::string>& names = wanted.wanted == task::difference ? wanted.difference : wanted.kernels;
  if (names.empty() || code.kernels.empty()) return true;
  return std::any_of(code.kernels.begin(), code.kernels.end(), [&](const auto& kernel) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& n) { return is_named(kernel.first, n); });
  });
}

/// Returns the requested architectures that are available.
std::set<std::string> choose_architectures(const std::vector<std::string>& wanted, const std::set<std::string>& there) {
  if (there.empty()) return {};
  if (wanted.empty()) {
    return {*std::max_element(there.begin(), there.end(),
                              [](const std::string& a, const std::string& b) { return number_of(a) < number_of(b); })};
  }
  std::set<std::string> chosen;
  for (const std::string& one : wanted) {
    if (one == "all") return there;
    static_cast<void>(number_of(one));
    if (there.count(one) == 0) {
      throw usage_error(
          fmt::format("there is no machine code for {}; there is some for {}", one, fmt::join(there, ", ")));
    }
    chosen.insert(one);
  }
  return chosen;
}

}  // namespace

selection::selection(const request& wanted) {
  for (const std::string& file : wanted.files) {
    for (device_code& code : read_device_code(file)) code_.push_back(std::move(code));
  }
  read(wanted);
  if (wanted.wanted == task::difference) return;
  std::set<const sass::function*> meant;
  for (const std::string& name : wanted.kernels) {
    for (const sass::function* f : named(name)) meant.insert(f);
  }
  for (const sass::function& f : functions_) {
    if (wanted.kernels.empty() || meant.count(&f) != 0) chosen_.push_back(&f);
  }
}

void selection::read(const request& wanted) {
  std::set<std::string> there;
  for (const device_code& code : code_) {
    if (!code.architecture.empty() && is_needed(code, wanted)) there.insert(code.architecture);
  }
  // If the architectures of all code are known beforehand, only code for the requested ones is disassembled.
  const std::set<std::string> early = choose_architectures(
      std::all_of(code_.begin(), code_.end(), [](const device_code& c) { return !c.architecture.empty(); })
          ? wanted.architectures
          : std::vector<std::string>{"all"},
      there);
  std::vector<sass::function> all;
  for (const device_code& code : code_) {
    if (!is_needed(code, wanted) || (!code.architecture.empty() && early.count(code.architecture) == 0)) continue;
    if (!code.architecture.empty() && sass::layout_of(number_of(code.architecture)) == sass::layout::older) {
      throw usage_error(fmt::format("{} is machine code for {}: the encoding is known from sm_70 (Volta) on", code.file,
                                    code.architecture));
    }
    for (sass::function& f : sass::parse(disassemble(code.elf, wanted.nvdisasm))) {
      if (f.architecture.empty()) f.architecture = code.architecture;
      if (const auto known = code.kernels.find(f.name); known != code.kernels.end()) f.registers = known->second;
      all.push_back(std::move(f));
    }
  }
  there.clear();
  for (const sass::function& f : all) there.insert(f.architecture);
  const std::set<std::string> chosen = choose_architectures(wanted.architectures, there);
  for (sass::function& f : all) {
    if (chosen.count(f.architecture) == 0) continue;
    if (sass::layout_of(number_of(f.architecture)) == sass::layout::older) {
      throw usage_error(f.architecture + ": the encoding is known from sm_70 (Volta) on");
    }
    functions_.push_back(std::move(f));
  }
}

std::vector<const sass::function*> selection::named(const std::string& name) const {
  std::vector<const sass::function*> whole, part;
  for (const sass::function& f : functions_) {
    if (f.name == name || sass::shown_name(f.name) == name) whole.push_back(&f);
    if (is_named(f.name, name)) part.push_back(&f);
  }
  if (!whole.empty()) return whole;
  if (part.empty()) throw usage_error(fmt::format("there is no kernel '{}'; there are:{}", name, all_names()));
  return part;
}

const sass::function& selection::only(const std::string& name) const {
  const std::vector<const sass::function*> meant = named(name);
  if (meant.size() == 1) return *meant[0];
  std::string names;
  for (std::size_t k = 0; k < std::min(meant.size(), max_names); ++k) {
    names += "\n  " + sass::shown_name(meant[k]->name) + " " + meant[k]->architecture;
  }
  throw usage_error(fmt::format("'{}' is the name of {} kernels; write more of it:{}", name, meant.size(), names));
}

std::string selection::toolkit() const {
  std::set<std::string> versions;
  for (const device_code& code : code_) versions.insert(code.toolkit.empty() ? "unknown" : code.toolkit);
  return fmt::format("{}", fmt::join(versions, ", "));
}

std::string selection::all_names() const {
  std::set<std::string> names;
  for (const device_code& code : code_) {
    for (const auto& [kernel, registers] : code.kernels) names.insert(sass::shown_name(kernel));
  }
  for (const sass::function& f : functions_) names.insert(sass::shown_name(f.name));
  std::string result;
  std::size_t count = 0;
  for (const std::string& name : names) {
    if (++count > max_names) return result + fmt::format("\n  and {} more (--names)", names.size() - max_names);
    result += "\n  " + name;
  }
  return result;
}

}  // namespace sass_tool
