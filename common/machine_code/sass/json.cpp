#include "machine_code/sass/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sass {
namespace {

nlohmann::json or_null(const std::optional<unsigned>& number) {
  return number ? nlohmann::json(*number) : nlohmann::json(nullptr);
}

nlohmann::json to_json(const control& c) {
  return {{"stall", c.stall},
          {"yield", c.yield},
          {"write_barrier", or_null(c.write_barrier)},
          {"read_barrier", or_null(c.read_barrier)},
          {"wait_mask", c.wait_mask},
          {"reuse", c.reuse}};
}

nlohmann::json to_json(const instruction& i, std::size_t in_loop) {
  nlohmann::json result = {
      {"address", i.address},
      {"encoding", {fmt::format("{:#018x}", i.encoding.low), fmt::format("{:#018x}", i.encoding.high)}},
      {"control", to_json(i.scheduling)},
      {"guard", i.guard},
      {"opcode", i.opcode},
      {"operands", i.operands},
      {"kind", facts_of(i.what).name},
      {"width_bits", i.width_bits()},
      {"loop", in_loop}};
  if (i.source.line != 0) {
    result["file"] = i.source.file;
    result["line"] = i.source.line;
  }
  return result;
}

}  // namespace

nlohmann::json to_json(const counts& c) {
  nlohmann::json by_kind = nlohmann::json::object();
  for (std::size_t k = 0; k < kinds; ++k) by_kind[std::string(facts_of(static_cast<kind>(k)).name)] = c.of_kind[k];
  return {{"instructions", c.instructions},
          {"loops", c.backward_branches},
          {"wide_loads", c.wide_loads},
          {"guarded", c.guarded},
          {"kinds", by_kind}};
}

nlohmann::json to_json(const function& f) {
  const std::vector<loop> loops = find_loops(f);
  const std::vector<std::size_t> innermost = innermost_loops(f, loops);
  nlohmann::json result = {{"name", shown_name(f.name)},
                           {"linker_name", f.name},
                           {"architecture", f.architecture},
                           {"registers", f.registers},
                           {"counts", to_json(count(f))},
                           {"loops", nlohmann::json::array()},
                           {"instructions", nlohmann::json::array()}};
  for (const loop& one : loops) {
    result["loops"].push_back({{"begin", f.code[one.head].address},
                               {"end", f.code[one.last()].address},
                               {"depth", one.depth},
                               {"counts", to_json(count(f, one))}});
  }
  for (std::size_t i = 0; i < f.size(); ++i) result["instructions"].push_back(to_json(f.code[i], innermost[i]));
  return result;
}

nlohmann::json to_json(const function& before, const function& after) {
  nlohmann::json result = {
      {"before", shown_name(before.name)}, {"after", shown_name(after.name)}, {"steps", nlohmann::json::array()}};
  std::array<unsigned, 3> how_many{};
  for (const step& s : align(before, after)) {
    ++how_many[s.what == change::gone ? 0 : s.what == change::came ? 1 : 2];
    const instruction& one = s.to != nullptr ? *s.to : *s.from;
    result["steps"].push_back({{"change", std::string(1, static_cast<char>(s.what))},
                               {"address", one.address},
                               {"text", one.guard + (one.guard.empty() ? "" : " ") + one.opcode + " " + one.operands}});
  }
  result["gone"] = how_many[0];
  result["came"] = how_many[1];
  result["stayed"] = how_many[2];
  return result;
}

}  // namespace sass
