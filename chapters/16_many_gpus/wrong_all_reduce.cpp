#include "16_many_gpus/wrong_all_reduce.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "host/source_text.hpp"
#include "workbook/wrong_outputs.hpp"

namespace chapter16 {
namespace {

using namespace workbook;

/// Enough elements for long chunks on eight GPUs, but few enough for many runs.
constexpr std::size_t enough_elements = 1000;

const std::string name = "all_reduce_step";

/// Returns the number of the chunk that consists of exactly these elements, or nothing.
std::optional<unsigned> chunk_of(const element_set& chosen, unsigned count, unsigned members) {
  for (unsigned k = 0; k < members; ++k) {
    const std::size_t begin = std::size_t{count} * k / members, end = std::size_t{count} * (k + 1) / members;
    const auto in_chunk = [&](std::size_t i) { return i >= begin && i < end; };
    if (begin < end && chosen == chosen_of(count, in_chunk)) return k;
  }
  return {};
}

/// Returns "element 3" or "elements 500 to 999", and the chunk if these are exactly one chunk.
std::string place(const element_set& wrong, unsigned count, unsigned members) {
  const std::string words = words_within(wrong, "element");
  const std::optional<unsigned> chunk = chunk_of(wrong, count, members);
  return chunk ? fmt::format("{} (chunk {})", words, *chunk) : words;
}

/// Returns an explanation for `p`, or nothing if the kernel's result is right.
std::optional<explanation> explain_for(const problem& p, const all_reduce_maker& make) {
  const std::unique_ptr<all_reduce_trial> trial = make(p);
  const unsigned members = trial->members(), count = trial->count();
  for (unsigned of = 0; of < members; ++of) {
    const std::vector<std::vector<double>> sums = trial->sums_where_one_counts(of);
    for (unsigned in = 0; in < members; ++in) {
      const auto where = [&](auto holds) {
        return chosen_of(count, [&](std::size_t i) { return holds(sums[in][i]); });
      };
      const element_set missing = where([](double x) { return x == 0; });
      const element_set repeated = where([](double x) { return x != 0 && x != 1; });
      if (!any(missing) && !any(repeated)) continue;
      explanation e;
      e.cause = any(missing)
                    ? fmt::format("In the vector of GPU {}, that of GPU {} is missing, in {}.", in, of,
                                  place(missing, count, members))
                    : fmt::format("In the vector of GPU {}, that of GPU {} counts {} times instead of once, in {}.", in,
                                  of, shown(sums[in][first_of(repeated)], 1), place(repeated, count, members));
      e.cause += " That was found with ones on one GPU and zeros on the others.";
      return e;
    }
  }
  return {};
}

/// Two GPUs that access the same elements of a vector in the same step.
struct race_of_step {
  unsigned members = 0, count = 0;  ///< The number of GPUs, and of elements in a vector.
  unsigned step = 0, reader = 0, writer = 0, of = 0;
  bool both_write = false;
  bool all_alike = false;  ///< True if every GPU writes the same elements of its own vector.
  element_set where{};
};

element_set both(const element_set& a, const element_set& b) {
  return chosen_of(a.size(), [&](std::size_t i) { return a[i] && b[i]; });
}

/// Returns the elements that the step of one GPU changes in each vector.
std::vector<element_set> changed_by(all_reduce_trial& trial, unsigned step, unsigned member) {
  std::vector<std::vector<double>> before(trial.members(), std::vector<double>(trial.count()));
  double number = 1;
  for (std::vector<double>& one : before)
    for (double& x : one) x = number++;
  const std::vector<std::vector<double>> after = trial.after_step(step, member, before);
  std::vector<element_set> changed;
  for (unsigned d = 0; d < trial.members(); ++d)
    changed.push_back(chosen_of(trial.count(), [&](std::size_t i) { return after[d][i] != before[d][i]; }));
  return changed;
}

/// Returns the elements of another GPU's vector that the step of one GPU reads, as far as its own vector shows that. An
/// element that becomes anything else than one of those elements shows nothing.
element_set read_by(all_reduce_trial& trial, unsigned step, unsigned member, unsigned of) {
  std::vector<std::vector<double>> before(trial.members(), std::vector<double>(trial.count()));
  for (unsigned i = 0; i < trial.count(); ++i) before[of][i] = i + 1;
  const std::vector<double> own = trial.after_step(step, member, before)[member];
  element_set read(trial.count());
  for (const double x : own) {
    if (x == 0) continue;
    if (!(x >= 1 && x <= trial.count())) return element_set(trial.count());
    read[static_cast<std::size_t>(x) - 1] = true;
  }
  return read;
}

/// The elements that each GPU's step changes in each vector.
using changes = std::vector<std::vector<element_set>>;

/// Fills in the elements of a vector that both GPUs of `race` access. Returns nothing if there are none.
std::optional<race_of_step> race_on(all_reduce_trial& trial, const changes& changed, race_of_step race) {
  const element_set& written = changed[race.writer][race.of];
  if (race.reader == race.writer || !any(written)) return {};
  race.where = both(changed[race.reader][race.of], written);
  race.both_write = any(race.where);
  if (!race.both_write && race.of != race.reader)
    race.where = both(read_by(trial, race.step, race.reader, race.of), written);
  return any(race.where) ? std::optional(std::move(race)) : std::nullopt;
}

std::optional<race_of_step> find_race(all_reduce_trial& trial) {
  const unsigned g = trial.members();
  for (unsigned step = 0; step < 2 * (g - 1); ++step) {
    race_of_step race{.members = g, .count = trial.count(), .step = step};
    changes changed;
    for (unsigned m = 0; m < g; ++m) changed.push_back(changed_by(trial, step, m));
    race.all_alike = any(changed[0][0]);
    for (unsigned m = 1; m < g; ++m) race.all_alike = race.all_alike && changed[m][m] == changed[0][0];
    for (unsigned k = 0; k < g * g * g; ++k) {
      race.reader = k / g / g;
      race.of = k / g % g;
      race.writer = k % g;
      if (std::optional<race_of_step> found = race_on(trial, changed, race)) return found;
    }
  }
  return {};
}

struct finding_line {
  std::string file;
  std::uint32_t line = 0;
};

/// Returns true if the line indexes an array. If both branches of an `if` contain a load, nvcc moves it to a place
/// before the `if`, with the number of some other line.
bool has_an_index(const finding_line& where) {
  const std::optional<std::vector<std::string>> source = host::read_source(where.file);
  return source && where.line - 1 < source->size() && (*source)[where.line - 1].find('[') != std::string::npos;
}

/// Returns the lines in which a launch loaded or stored elements as text: " in all_reduce_step.cuh:27".
/// \param what  "ld" or "st"
std::string lines_of(const emulator::launch_report& launch, const char* what, finding_line& first) {
  const auto counted = [&](const emulator::line_report& line, const char* unit) {
    return emulator::count_in(line.counters, fmt::format("l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum", unit, what));
  };
  std::vector<finding_line> lines;
  bool of_elements = false;  // neighbours' elements fill more than a sector; a pointer that all lanes load doesn't
  for (const emulator::line_report& line : launch.lines) {
    if (counted(line, "requests") == 0) continue;
    const bool wide = counted(line, "sectors") > counted(line, "requests");
    if (wide && !of_elements) lines.clear();
    of_elements = of_elements || wide;
    if (wide || !of_elements) lines.push_back({line.file, line.line});
  }
  if (std::any_of(lines.begin(), lines.end(), has_an_index))
    std::erase_if(lines, [](const finding_line& line) { return !has_an_index(line); });
  if (lines.empty()) return {};
  first = lines.front();
  std::string words = fmt::format(" in {}:{}", first.file.substr(first.file.rfind('/') + 1), first.line);
  for (std::size_t k = 1; k < lines.size(); ++k) words += fmt::format(" or {}", lines[k].line);
  return words;
}

}  // namespace

std::optional<explanation> explain_all_reduce(const problem& failed, const all_reduce_maker& make) {
  return explained_by(name, failed.count, [&]() -> std::optional<explanation> {
    problem p = failed;
    p.count = std::min(p.count, enough_elements);
    if (auto told = explain_for(p, make); told || p.count == failed.count) return told;
    return explain_for(failed, make);
  });
}

void retell_race_of_steps(const problem& failed, outcome& o, const all_reduce_maker& make) {
  const auto is_race = [](const emulator::finding& f) { return f.kind == emulator::finding_kind::stream_race; };
  const auto first = std::find_if(o.in_calls.begin(), o.in_calls.end(), is_race);
  if (first == o.in_calls.end()) return;
  const std::optional<race_of_step> race = explained_by(name, failed.count, [&] {
    problem p = failed;
    p.count = std::min(p.count, enough_elements);
    const std::unique_ptr<all_reduce_trial> trial = make(p);
    return find_race(*trial);
  });
  // Each step is one launch per GPU.
  if (!race || o.launches.size() != std::size_t{2} * (race->members - 1) * race->members) return;
  const auto launch_of = [&](unsigned member) -> const emulator::launch_report& {
    return o.launches[std::size_t{race->step} * race->members + member];
  };
  finding_line here, there;
  const std::string reads = lines_of(launch_of(race->reader), race->both_write ? "st" : "ld", here);
  const std::string writes = lines_of(launch_of(race->writer), "st", there);
  const std::optional<unsigned> chunk = chunk_of(race->where, race->count, race->members);
  const std::string what = chunk ? fmt::format("chunk {}", *chunk) : words_within(race->where, "element");
  emulator::finding told = *first;
  told.message = fmt::format(
      "In step {}, {}GPU {} {} {} of GPU {}'s vector{}, while GPU {} writes {}{}. In a step all GPUs run side by side: "
      "{}",
      race->step, race->all_alike ? "all GPUs take the same chunk: " : "", race->reader,
      race->both_write ? "writes" : "reads", what, race->of, reads, race->writer, chunk ? "it" : "them", writes,
      race->both_write ? "either may be the last." : "what it gets is old, or new, or some of each.");
  told.cure = race->all_alike
                  ? "Let the chunk depend on `me`, too: each GPU one of its own in every step, and none that its owner "
                    "writes in that step."
                  : "All GPUs wait for each other between two steps, but not within a step. Choose the chunks such "
                    "that no GPU reads or writes what another one writes in the same step.";
  told.file = here.file;
  told.line = here.line;
  told.other_file = there.file;
  told.other_line = there.line;
  told.detail.clear();
  std::erase_if(o.in_calls, is_race);
  o.in_calls.insert(o.in_calls.begin(), std::move(told));
}

}  // namespace chapter16
