#include "machine_code/superopt/latency.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "machine_code/superopt/named_files.hpp"
#include "superopt_paths.hpp"

namespace superopt {
namespace {

unsigned cycles_in(const nlohmann::json& j, const std::string& where) {
  if (!j.is_number_integer() || j.get<std::int64_t>() < 1 || j.get<std::int64_t>() > 10000)
    throw bad_input(fmt::format("{} is {}; give a whole number of cycles from 1 to 10000", where, j.dump()));
  return j.get<unsigned>();
}

std::size_t family_named(const std::string& word, const std::string& name) {
  std::string known;
  for (unsigned k = 0; k < family_count; ++k) {
    if (name_of(static_cast<family>(k)) == word) return k;
    known += fmt::format(" {}", name_of(static_cast<family>(k)));
  }
  throw bad_input(fmt::format("{}: unknown instruction '{}'; there are{}", name, word, known));
}

}  // namespace

cost_table parse_cost_table(const nlohmann::json& j, const std::string& name) {
  cost_table table;
  table.name = name;
  if (!j.is_object() || !j.contains("instructions") || !j["instructions"].is_object())
    throw bad_input(name + ": no \"instructions\"; write {\"instructions\": {\"SHFL\": {\"latency\": 23}, …}}");
  if (j.contains("name") && j["name"].is_string()) table.name = j["name"].get<std::string>();
  if (j.contains("provenance")) {
    const nlohmann::json& from = j["provenance"];
    table.provenance = from.is_string() ? from.get<std::string>() : from.dump();
  }
  if (j.contains("issue_width")) table.issue_width = cycles_in(j["issue_width"], name + ": \"issue_width\"");
  table.interval.fill(1);
  for (const auto& [word, entry] : j["instructions"].items()) {
    const std::size_t unit = family_named(word, name);
    if (!entry.is_object() || !entry.contains("latency"))
      throw bad_input(fmt::format("{}: {} has no \"latency\"", name, word));
    table.latency[unit] = cycles_in(entry["latency"], fmt::format("{}: the latency of {}", name, word));
    if (entry.contains("interval"))
      table.interval[unit] = cycles_in(entry["interval"], fmt::format("{}: the interval of {}", name, word));
    if (entry.contains("source") && entry["source"].is_string())
      table.source[unit] = entry["source"].get<std::string>();
  }
  // An interval of 1 is treated as no limit, even if several instructions can issue in one cycle.
  for (unsigned& interval : table.interval) interval = interval == 1 ? 0 : interval;
  return table;
}

cost_table load_cost_table(const std::string& name_or_file) {
  const std::string text = read_named(name_or_file, tables_folder, ".json", "cost table");
  try {
    return parse_cost_table(nlohmann::json::parse(text), name_or_file);
  } catch (const nlohmann::json::exception& error) {
    throw bad_input(fmt::format("{} is no JSON: {}", name_or_file, error.what()));
  }
}

std::vector<std::string> known_cost_tables() {
  return names_in(tables_folder, ".json");
}

void demand_known(const program& p, const cost_table& table) {
  for (const instruction& i : p) {
    if (table.latency_of(i.op) != 0) continue;
    throw bad_input(fmt::format("the cost table {} has no latency for {}, which `{}` needs", table.name,
                                name_of(facts_of(i.op).unit), to_text(i)));
  }
}

schedule schedule_of(const program& p, const target& t, const cost_table& table) {
  schedule s;
  pipeline pipe(table);
  for (unsigned k = 0; k < p.size(); ++k) {
    s.issue[k] = pipe.issue(p[k]);
    s.ready[k] = s.issue[k] + table.latency_of(p[k].op);
  }
  for (const place& out : t.outputs) s.cycles = std::max(s.cycles, pipe.ready(out.reg));
  return s;
}

unsigned cycles_of(const program& p, const target& t, const cost_table& table) {
  pipeline pipe(table);
  for (const instruction& i : p) pipe.issue(i);
  unsigned cycles = 0;
  for (const place& out : t.outputs) cycles = std::max(cycles, pipe.ready(out.reg));
  return cycles;
}

}  // namespace superopt
