#include "emulator/explain/launch_findings.hpp"

#include <iterator>
#include <utility>
#include <vector>

#include "emulator/explain/trace_file.hpp"

namespace emulator::explain {

void fill(launch_report& report, launch_observation& seen, const naming& names) {
  seen.finish();
  seen.fill(report);
  for (finding& one : suspicions(names)) report.notes.push_back(std::move(one));
  std::vector<folded_incident> races;
  for (const folded_incident& folded : seen.found().sorted()) {
    if (is_race(folded.first.kind)) {
      races.push_back(folded);
      continue;
    }
    const bool note = facts_of(folded.first.kind).group == incident_group::note;
    std::vector<finding>& list = note ? report.notes : report.findings;
    list.push_back(describe(names, folded.first));
    list.back().count = folded.count;
  }
  std::vector<finding> of_races = describe_races(names, races, seen);
  report.findings.insert(report.findings.begin(), std::make_move_iterator(of_races.begin()),
                         std::make_move_iterator(of_races.end()));
}

void write_trace(const launch_report& report, launch_observation& seen, const naming& names, const fault* stopped_by) {
  const std::string& path = seen.watched().trace_path;
  if (path.empty()) return;
  traced_launch line{.report = report, .incidents = {}, .stopped_by = stopped_by, .left_out = seen.left_out_of_trace()};
  for (const folded_incident& folded : seen.found().sorted()) line.incidents.push_back(folded.first);
  append_trace(path, names, line, seen.take_trace());
}

}  // namespace emulator::explain
