#include "emulator/report/json.hpp"

#include <nlohmann/json.hpp>

#include "emulator/report/diagnosis.hpp"
#include "emulator/report/path_json.hpp"

namespace emulator {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(conflict_example, degree, bank, lanes, stride_bytes, bytes_per_lane, block)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(request_example, sectors, ideal, lanes, stride_bytes, bytes_per_lane, block)

}  // namespace emulator

namespace emulator::report {
namespace {

nlohmann::json to_json(const line_report& l) {
  nlohmann::json j = {{"file", l.file}, {"line", l.line}, {"counters", l.counters}};
  if (l.partial_executed != 0) {
    j["lanes_where_partial"] = static_cast<double>(l.partial_lanes) / static_cast<double>(l.partial_executed);
  }
  if (l.worst_conflict.degree != 0) j["worst_conflict"] = l.worst_conflict;
  if (l.worst_request.sectors != 0) j["worst_request"] = l.worst_request;
  return j;
}

nlohmann::json to_json(const occupancy_report& o) {
  if (!o.known) return nullptr;
  nlohmann::json by_shared = o.by_shared;
  if (o.by_shared == 0xffffffffu) by_shared = nullptr;
  return {{"blocks_per_multiprocessor", o.blocks},
          {"warps_per_multiprocessor", o.blocks * o.warps_per_block},
          {"theoretical_occupancy", static_cast<double>(o.blocks * o.warps_per_block) / o.warps_at_most},
          {"limiter", occupancy_limiter(o)},
          {"block_limits",
           {{"sm", o.by_device}, {"registers", o.by_registers}, {"shared_mem", by_shared}, {"warps", o.by_warps}}}};
}

}  // namespace

/// Returns a JSON array of all elements.
template <typename T>
static nlohmann::json list_of(const std::vector<T>& all) {
  nlohmann::json list = nlohmann::json::array();
  for (const T& one : all) list.push_back(to_json(one));
  return list;
}

nlohmann::json to_json(const finding& f) {
  nlohmann::json j = {{"check", name_of(f.check())},
                      {"kind", name_of(f.kind)},
                      {"kernel", f.kernel},
                      {"file", f.file},
                      {"line", f.line},
                      {"message", f.message},
                      {"count", f.count},
                      {"cure", f.cure},
                      {"object", f.object}};
  if (!f.detail.empty()) j["detail"] = f.detail;
  if (f.other_line != 0) {
    j["other_file"] = f.other_file;
    j["other_line"] = f.other_line;
  }
  return j;
}

nlohmann::json to_json(const cause& c) {
  nlohmann::json j = to_json(c.first);
  j["launches"] = c.launches;
  j["occurrences"] = nlohmann::json::array();
  for (const occurrence& o : c.occurrences) j["occurrences"].push_back({{"launch", o.launch}, {"message", o.message}});
  return j;
}

nlohmann::json to_json(const diagnosis& d) {
  nlohmann::json j = {{"kind", d.kind}, {"message", d.message}};
  if (d.line != 0) {
    j["file"] = d.file;
    j["line"] = d.line;
  }
  return j;
}

nlohmann::json to_json(const launch_report& r) {
  nlohmann::json j = {{"kernel", r.kernel},
                      {"mangled", r.mangled},
                      {"file", r.file},
                      {"grid", {r.grid[0], r.grid[1], r.grid[2]}},
                      {"block", {r.block[0], r.block[1], r.block[2]}},
                      {"static_shared_bytes", r.static_shared_bytes},
                      {"dynamic_shared_bytes", r.dynamic_shared_bytes},
                      {"cooperative", r.cooperative},
                      {"registers_per_thread", r.registers_per_thread},
                      {"completed", r.completed},
                      {"busiest_block", r.busiest_block},
                      {"counters", r.counters},
                      {"occupancy", to_json(r.occupancy)},
                      {"path", r.path},
                      {"lines", list_of(r.lines)},
                      {"diagnoses", list_of(diagnose(r))},
                      {"findings", list_of(r.findings)},
                      {"notes", list_of(r.notes)}};
  if (r.orders != 0) j["orders"] = r.orders;
  if (!r.without_orders.empty()) j["without_orders"] = r.without_orders;
  return j;
}

}  // namespace emulator::report
