#include "emulator/runtime/exit_report_text.hpp"
#include "emulator/links.hpp"
#include "emulator/memory/devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "emulator/report/causes.hpp"
#include "emulator/report/json.hpp"

namespace emulator::runtime {
namespace {

using report::cause;

/// Where it is known, "FILE:LINE: ".
std::string place_of(const finding& f) {
  return f.line != 0 ? fmt::format("{}:{}: ", f.file, f.line) : std::string();
}

/// What else is to be said of a cause: "    12 times, in 3 launches: 1, 2, 3 …".
std::string frequency(const cause& c) {
  if (c.launches < 2) return {};
  std::string text = fmt::format("    {} times, in {} launches: ", c.first.count, c.launches);
  for (const report::occurrence& o : c.occurrences)
    text += fmt::format("{}{}", &o == c.occurrences.data() ? "" : ", ", o.launch);
  return text + (c.launches > c.occurrences.size() ? " …\n" : "\n");
}

std::string cure_and_detail(const finding& f) {
  return (f.cure.empty() ? "" : fmt::format("    {}\n", f.cure)) +
         (f.detail.empty() ? "" : fmt::format("    {}\n", f.detail));
}

/// A finding of launch `number`: whole where its cause was first seen.
std::string finding_text(const finding& found, std::size_t number, const std::vector<cause>& causes) {
  const auto same = [&](const cause& c) { return report::same_cause(c.first, found); };
  const cause& c = *std::find_if(causes.begin(), causes.end(), same);
  if (const std::size_t first = c.occurrences.front().launch; first != number)
    return fmt::format("  {}: {}, {}as in launch {}\n", found.check, found.kind, place_of(found), first);
  return fmt::format("  {}: {}\n    {}{}\n", found.check, found.kind, place_of(found), found.message) + frequency(c) +
         cure_and_detail(found);
}

std::string suppressed_text(const exit_report& seen) {
  std::string text;
  for (const report::suppression& one : seen.suppressions) {
    if (one.used == 0)
      text += fmt::format("{}: suppresses nothing that was found: {}\n", one.place, one.text);
    else
      text += fmt::format("{}: {} {} suppressed: {}\n", one.place, one.used, one.used == 1 ? "finding" : "findings",
                          one.text);
  }
  return text;
}

/// What went over the links of several devices; with one device it would be the copies, which the program knows.
std::string links_text() {
  if (memory::devices::instance().count() == 1) return {};
  std::string text;
  const auto end = [](int number) { return number == link_traffic::host ? "host" : fmt::format("{}", number); };
  for (const link_traffic& l : traffic_of_links()) {
    text += fmt::format("{:>4} -> {:<4} {:>8} {:>14} {:>14} {:>14} {:>14}\n", end(l.from), end(l.to), l.copies,
                        l.copied_bytes, l.load_bytes, l.store_bytes, l.atomic_bytes);
  }
  if (text.empty()) return {};
  return fmt::format("{:<12} {:>8} {:>14} {:>14} {:>14} {:>14}\n", "link", "copies", "copied bytes", "loaded bytes",
                     "stored bytes", "atomic bytes") +
         text;
}

}  // namespace

std::string exit_report_text(const exit_report& seen) {
  std::string text;
  const std::vector<cause> causes = report::causes_of(seen.launches, seen.in_calls);
  for (std::size_t k = 0; k < seen.launches.size(); ++k) {
    const launch_report& launch = seen.launches[k];
    text += fmt::format("kernel {} grid {}x{}x{} block {}x{}x{}{}\n", launch.kernel, launch.grid[0], launch.grid[1],
                        launch.grid[2], launch.block[0], launch.block[1], launch.block[2],
                        launch.completed ? "" : " (did not complete)");
    for (const finding& found : launch.findings) text += finding_text(found, k + 1, causes);
    if (!launch.without_orders.empty()) text += fmt::format("  note: other orders: {}\n", launch.without_orders);
    for (const finding& note : launch.notes) {
      text += fmt::format("  note: {}, {} {}\n    {}:{}: {}\n", note.kind, note.count,
                          note.count == 1 ? "time" : "times", note.file, note.line, note.message);
    }
  }
  for (const cause& c : causes) {
    if (c.launches != 0) continue;
    const std::string times = c.first.count > 1 ? fmt::format(" ({} times)", c.first.count) : std::string();
    text += fmt::format("{}: {}{}\n    {}{}\n", c.first.check, c.first.kind, times, place_of(c.first), c.first.message);
    text += cure_and_detail(c.first);
  }
  return text + links_text() + suppressed_text(seen);
}

std::string exit_report_json(const exit_report& seen) {
  using nlohmann::json;
  json all = {{"schema", 1},
              {"launches", json::array()},
              {"findings", json::array()},
              {"suppressed", json::array()},
              {"unused_suppressions", json::array()}};
  for (const launch_report& launch : seen.launches) all["launches"].push_back(report::to_json(launch));
  for (const cause& c : report::causes_of(seen.launches, seen.in_calls)) all["findings"].push_back(report::to_json(c));
  for (const cause& c : report::causes_of({}, seen.suppressed)) all["suppressed"].push_back(report::to_json(c.first));
  for (const report::suppression& one : seen.suppressions)
    if (one.used == 0) all["unused_suppressions"].push_back({{"place", one.place}, {"text", one.text}});
  if (memory::devices::instance().count() > 1) {
    const auto end = [](int number) { return number == link_traffic::host ? json("host") : json(number); };
    all["links"] = json::array();
    for (const link_traffic& l : traffic_of_links()) {
      all["links"].push_back({{"from", end(l.from)},
                              {"to", end(l.to)},
                              {"copies", l.copies},
                              {"copied_bytes", l.copied_bytes},
                              {"load_requests", l.load_requests},
                              {"load_bytes", l.load_bytes},
                              {"store_requests", l.store_requests},
                              {"store_bytes", l.store_bytes},
                              {"atomic_requests", l.atomic_requests},
                              {"atomic_bytes", l.atomic_bytes}});
    }
  }
  return all.dump(1) + "\n";
}

}  // namespace emulator::runtime
