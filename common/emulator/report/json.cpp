#include "emulator/report/json.hpp"

namespace emulator::report {

nlohmann::json to_json(const finding& f) {
  nlohmann::json j = {{"check", f.check}, {"kind", f.kind},       {"kernel", f.kernel}, {"file", f.file},
                      {"line", f.line},   {"message", f.message}, {"count", f.count}};
  if (f.other_line != 0) {
    j["other_file"] = f.other_file;
    j["other_line"] = f.other_line;
  }
  return j;
}

nlohmann::json to_json(const launch_report& r) {
  nlohmann::json j = {{"kernel", r.kernel},
                      {"mangled", r.mangled},
                      {"grid", {r.grid[0], r.grid[1], r.grid[2]}},
                      {"block", {r.block[0], r.block[1], r.block[2]}},
                      {"static_shared_bytes", r.static_shared_bytes},
                      {"dynamic_shared_bytes", r.dynamic_shared_bytes},
                      {"registers_per_thread", r.registers_per_thread},
                      {"completed", r.completed},
                      {"counters", r.counters}};
  j["lines"] = nlohmann::json::array();
  for (const line_report& l : r.lines)
    j["lines"].push_back({{"file", l.file}, {"line", l.line}, {"counters", l.counters}});
  j["findings"] = nlohmann::json::array();
  for (const finding& f : r.findings) j["findings"].push_back(to_json(f));
  return j;
}

}  // namespace emulator::report
