#include "timing/model/accuracy/records.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/program.hpp"
#include "timing/model/prediction.hpp"
#include "timing/model/words.hpp"

namespace accuracy {
namespace {

using nlohmann::json;

constexpr double smallest = 65536;  ///< The smallest number of elements that is judged.

json read(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw host::usage_error(path + " cannot be read");
  return json::parse(file);
}

/// The counts of a kernel for one type and one block size.
struct counted {
  std::map<double, std::vector<model::counts>> by_size;  ///< The launches for each number of elements.
  bool decides_itself = false;  ///< True if it chooses its launches. Others repeat a kernel until one sum is left.
};

/// Returns the launches of a reduction of `n` elements. If this size was not counted, they are derived from other
/// sizes.
std::vector<model::counts> launches_at(const counted& known, double n) {
  if (const auto exact = known.by_size.find(n); exact != known.by_size.end()) return exact->second;
  std::vector<model::counts> launches;
  const auto above = known.by_size.lower_bound(n);
  if (above == known.by_size.end()) {
    const auto& [large_n, large] = *known.by_size.rbegin();
    const auto& [small_n, small] = *std::next(known.by_size.rbegin());
    const std::size_t alike = known.decides_itself ? std::min(small.size(), large.size()) : 1;
    for (std::size_t k = 0; k < alike; ++k)
      launches.push_back(model::extrapolated(small[k], small_n, large[k], large_n, n));
  } else {
    const model::counts& c = above->second.front();
    launches = {model::with_blocks(c, std::max(1.0, std::ceil(c.blocks * n / above->first)))};
  }
  if (known.decides_itself) return launches;
  // The output of the first launch is the input of the next one, unless a single launch does everything.
  if (known.by_size.begin()->second.size() > 1 && launches[0].blocks > 1)
    for (const model::counts& c : launches_at(known, launches[0].blocks)) launches.push_back(c);
  return launches;
}

/// The key of a row in a chapter's table: chapter, heading, kernel, type, number of elements and block size.
using study_row = std::tuple<unsigned, std::string, std::string, std::string, double, double>;
using counts_of_studies = std::map<study_row, std::vector<model::counts>>;

/// Adds the measured times of chapters' programs.
void add_studies(material& m, const counts_of_studies& of_studies, const json& record) {
  for (const json& row : record.at("results")) {
    const unsigned chapter = row.at("chapter");
    const std::string kernel = row.at("kernel");
    const auto known = of_studies.find({chapter, row.at("group"), kernel, row.at("type"), row.at("count").get<double>(),
                                        row.at("block_size").get<double>()});
    if (known == of_studies.end())
      throw std::runtime_error(fmt::format("no counts of \"{}\", chapter {}, {} elements", kernel, chapter,
                                           row.at("count").get<std::size_t>()));
    const std::string unknown =
        row.at("queued").get<bool>() ? model::predict(m.machine, known->second).unknown : model::host_waits;
    if (!unknown.empty()) {
      m.marked_studies.push_back(unknown);
      continue;
    }
    m.studies.push_back({{.kernel = kernel,
                          .group = fmt::format("chapter {}", chapter),
                          .type = row.at("type"),
                          .count = row.at("count"),
                          .block_size = row.at("block_size"),
                          .measured = row.at("us"),
                          .limits = {},
                          .causes = {}},
                         known->second});
  }
}

}  // namespace

material collect(const files& from) {
  material m;
  m.machine = model::read_machine(from.machine);
  std::map<std::tuple<std::string, std::string, double>, counted> of_ladder;
  std::map<std::pair<std::string, std::string>, std::vector<model::counts>> of_foreign;
  counts_of_studies of_studies;
  const json counts = read(from.counts);
  if (counts.at("launch") != json(model::names_of_counts()))
    throw host::usage_error(from.counts + " has counts in an outdated format; renew it with `model_counts --json`");
  for (const json& row : counts.at("rows")) {
    const auto launches = row.at("launches").get<std::vector<model::counts>>();
    const std::string kernel = row.at("kernel");
    if (row.contains("chapter")) {
      of_studies[{row.at("chapter"), row.at("group"), kernel, row.at("type"), row.at("count"), row.at("block_size")}] =
          launches;
    } else if (row.contains("group")) {
      of_foreign[{row.at("group"), kernel}] = launches;
    } else {
      counted& c = of_ladder[{kernel, row.at("type"), row.at("block_size").get<double>()}];
      c.by_size[row.at("count").get<double>()] = launches;
      c.decides_itself = row.contains("decides_itself");
    }
  }
  const json ablations = read(from.ablations);
  for (const json& row : ablations.at("rows")) {
    const auto known = of_ladder.find({row.at("kernel"), ablations.at("type"), row.at("block_size").get<double>()});
    if (known == of_ladder.end()) continue;
    m.ladder.push_back({{.kernel = row.at("kernel"),
                         .group = {},
                         .type = ablations.at("type"),
                         .count = row.at("count"),
                         .block_size = row.at("block_size"),
                         .measured = row.at("us").at("whole"),
                         .limits = {},
                         .causes = row.at("limit").at("causes")},
                        launches_at(known->second, row.at("count").get<double>())});
  }
  for (const std::string& path : from.ladders) {
    const json ladder = read(path);
    for (const json& row : ladder.at("results")) {
      const auto known = of_ladder.find({row.at("kernel"), ladder.at("type"), ladder.at("block_size").get<double>()});
      if (known == of_ladder.end() || row.at("count") < smallest) continue;
      m.types.push_back({{.kernel = row.at("kernel"),
                          .group = {},
                          .type = ladder.at("type"),
                          .count = row.at("count"),
                          .block_size = ladder.at("block_size"),
                          .measured = row.at("cold_ms").at("median").get<double>() * 1e3,
                          .limits = {},
                          .causes = {}},
                         launches_at(known->second, row.at("count").get<double>())});
    }
  }
  add_studies(m, of_studies, read(from.studies));
  const json foreign = read(from.foreign);
  for (const json& row : foreign.at("results")) {
    const auto known = of_foreign.find({row.at("group").get<std::string>(), row.at("kernel").get<std::string>()});
    if (known == of_foreign.end()) throw std::runtime_error("no counts of " + row.at("kernel").get<std::string>());
    const std::string unknown = model::predict(m.machine, known->second).unknown;
    if (!unknown.empty()) {
      m.marked.push_back(unknown);
      continue;
    }
    m.foreign.push_back({{.kernel = known->first.second,
                          .group = known->first.first,
                          .type = {},
                          .count = row.at("count"),
                          .block_size = row.at("block_size"),
                          .measured = row.at("cold_us"),
                          .limits = {},
                          .causes = {}},
                         known->second});
  }
  return m;
}

}  // namespace accuracy
