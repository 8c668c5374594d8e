// Separate compilation: combines the modules of a program's files.

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "emulator/ptx/module.hpp"

namespace emulator::ptx {
namespace {

/// Appends modules to one another.
class linker {
 public:
  /// Notes the names that mean the same in all units, so no local name may equal one of them.
  void note_shared_names(const module& unit) {
    for (const variable& v : unit.variables)
      if (!v.is_local) taken_.insert(v.name);
    for (const function& f : unit.functions)
      if (!f.is_local) taken_.insert(f.name);
  }

  void add(module unit, std::size_t number) {
    const auto names = std::make_shared<unit_names>();
    names->first_file = next_file_;
    rename_locals(unit, number, *names);
    const std::size_t first_byte = whole_.text.size();
    whole_.text += unit.text;
    whole_.text += '\n';
    take_files(unit);
    for (variable& v : unit.variables) take_variable(std::move(v), *names);
    take_functions(unit, first_byte, names);
    if (number == 0) {
      whole_.version_major = unit.version_major;
      whole_.version_minor = unit.version_minor;
      whole_.target = unit.target;
    }
  }

  module finish() {
    // A declaration without a definition stays. If it is used, the error is reported at its use.
    for (auto& [name, declared] : declared_)
      if (!defined_.contains(name)) whole_.variables.push_back(std::move(declared));
    return std::move(whole_);
  }

 private:
  /// Renames local names of a unit that another unit also uses.
  void rename_locals(module& unit, std::size_t number, unit_names& names) {
    const auto rename = [&](std::string& name) {
      if (!taken_.insert(name).second) {
        std::string other = name + "#" + std::to_string(number);
        taken_.insert(other);
        names.renamed.emplace(name, other);
        name = std::move(other);
      }
    };
    for (variable& v : unit.variables)
      if (v.is_local) rename(v.name);
    for (function& f : unit.functions)
      if (f.is_local && f.has_body) rename(f.name);
    // A local function may be declared before its body.
    for (function& f : unit.functions)
      if (const auto found = names.renamed.find(f.name); found != names.renamed.end()) f.name = found->second;
  }

  void take_files(const module& unit) {
    std::uint32_t highest = 0;
    for (const auto& [number, path] : unit.files) {
      whole_.files[next_file_ + number] = path;
      highest = std::max(highest, number);
    }
    next_file_ += highest;
  }

  void take_variable(variable v, const unit_names& names) {
    for (variable::relocation& r : v.relocations)
      if (const auto found = names.renamed.find(r.symbol); found != names.renamed.end()) r.symbol = found->second;
    if (v.is_extern && v.space != state_space::shared) {
      declared_.emplace(v.name, v);
      return;
    }
    // If there are several definitions, which only weak symbols may have, the first one counts. Dynamic shared memory
    // is one array for all units.
    if (!defined_.insert(v.name).second) return;
    whole_.variables.push_back(std::move(v));
  }

  void take_functions(module& unit, std::size_t first_byte, const std::shared_ptr<const unit_names>& names) {
    const std::size_t first = whole_.functions.size();
    for (function& f : unit.functions) {
      f.unit = names;
      f.body_begin += first_byte;
      f.body_end += first_byte;
      whole_.functions.push_back(std::move(f));
    }
    for (const auto& [name, place] : unit.function_index) {
      const auto other = names->renamed.find(name);
      const auto [known, fresh] =
          whole_.function_index.emplace(other == names->renamed.end() ? name : other->second, first + place);
      if (!fresh && !whole_.functions[known->second].has_body) known->second = first + place;
    }
  }

  module whole_;
  std::uint32_t next_file_ = 0;
  std::unordered_set<std::string> taken_;    ///< Names that a local one must not have.
  std::unordered_set<std::string> defined_;  ///< Variables.
  std::unordered_map<std::string, variable> declared_;
};

void rename(operand& o, const unit_names& names) {
  if (o.what == operand::kind::symbol)
    if (const auto found = names.renamed.find(o.name); found != names.renamed.end()) o.name = found->second;
  for (operand& inner : o.elements) rename(inner, names);
}

}  // namespace

module link(std::vector<module> units) {
  if (units.size() == 1) return std::move(units.front());
  linker all;
  for (const module& unit : units) all.note_shared_names(unit);
  for (std::size_t k = 0; k < units.size(); ++k) all.add(std::move(units[k]), k);
  return all.finish();
}

void apply_unit(function& f) {
  if (f.unit == nullptr) return;
  for (source_location& place : f.locations)
    if (place.file != 0) place.file += f.unit->first_file;
  if (f.unit->renamed.empty()) return;
  for (instruction& i : f.instructions)
    for (operand& o : i.operands) rename(o, *f.unit);
}

}  // namespace emulator::ptx
