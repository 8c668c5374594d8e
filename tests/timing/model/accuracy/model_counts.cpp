// Counts the work of kernels on the emulator, to judge the time model: the ladder's kernels at several sizes and block
// sizes, and kernels that aren't reductions. The counts are stored in a file, and a test repeats some of them.

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "chapters/rungs.hpp"
#include "host/command_line.hpp"
#include "host/output_file.hpp"
#include "host/process.hpp"
#include "host/program.hpp"
#include "timing/model/counts.hpp"
#include "timing/model/foreign/foreign.hpp"
#include "timing/model/gpu.hpp"
#include "timing/model/reports.hpp"
#include "workbook/laboratory.hpp"
#include "workbook/library.hpp"

namespace {

using namespace workbook;

constexpr unsigned block_sizes[] = {32, 64, 128, 256, 512, 1024};
constexpr unsigned usual_block_size = 128;  // The block size in the records of other types and of the library.
/// The H200's times for blocks of 32 threads were recorded when grids that stop growing had 64 blocks per SM, although
/// an SM holds only 32. Their counts belong to those grids. Today's grids are smaller, so the old counts are kept.
constexpr unsigned block_size_of_larger_grids = 32;
constexpr std::size_t foreign_count = std::size_t{1} << 20;

/// Returns the sizes at which a kernel is counted. If its grid stops growing, larger sizes are counted, too.
std::vector<std::size_t> sizes_for(bool grid_stops_growing, bool whole) {
  std::vector<std::size_t> exponents = {16, 20};
  if (grid_stops_growing) exponents = {16, 18, 20, 22, 23};
  if (whole) exponents = {16, 18, 20, 22, 24, 25};
  for (std::size_t& e : exponents) e = std::size_t{1} << e;
  return exponents;
}

/// Returns true if the kernel chooses its launches itself, instead of repeating a launch until a single sum is left.
bool decides_itself(const specimen& kernel) {
  return kernel.name == one_launch_reduction().name || kernel.name == library_reduction().name;
}

/// Returns one row, or nothing if the kernel does not support the problem. \throws std::runtime_error if a result is
/// wrong
std::optional<nlohmann::json> row_of(const specimen& kernel, const problem& p) {
  const outcome o = examine(kernel, p, {.explains = false});
  if (kernel.release) kernel.release();
  if (o.rejected) return {};
  if (!o.passed()) throw std::runtime_error(fmt::format("{} is wrong for {} elements", kernel.name, p.count));
  nlohmann::json launches = nlohmann::json::array();
  for (const emulator::launch_report& launch : o.launches) launches.push_back(model::counts_of(launch));
  nlohmann::json row = {
      {"kernel", kernel.name}, {"type", name_of(p.type)}, {"block_size", p.block_size}, {"count", p.count}};
  if (!kernel.group.empty()) row["group"] = kernel.group;
  if (decides_itself(kernel)) row["decides_itself"] = true;
  row["launches"] = std::move(launches);
  return row;
}

/// A chapter's program, and the options with which it is counted and timed.
struct studied {
  unsigned chapter, block_size;
  std::vector<const char*> types;
  std::vector<unsigned> exponents;  ///< The numbers of elements, as exponents of 2.
};

const std::vector<studied>& studies() {
  static const std::vector<studied> all = {{0, 128, {"int", "float", "double"}, {20}},
                                           {10, 128, {"int", "float", "double"}, {14, 16}},
                                           {11, 512, {"int", "float", "double"}, {14, 17}},
                                           {13, 128, {"int", "float", "double"}, {16, 20, 22}},
                                           {14, 1024, {"int"}, {20, 24, 26}},
                                           {15, 128, {"int", "float", "double"}, {16, 20}}};
  return all;
}

/// Returns the rows of a chapter's table except the student's, as the chapter's program counts them. \throws
/// std::runtime_error  if the program fails
nlohmann::json rows_of_study(const studied& s, const char* type, std::size_t count) {
  const std::string program = fmt::format(PROGRAMS "/chapter{}", s.chapter);
  const host::temporary_folder folder;
  const std::string report = folder.path() + "/report.json";
  std::vector<std::string> command = {program,
                                      "--device",
                                      "emulator",
                                      "--type",
                                      type,
                                      "--count",
                                      std::to_string(count),
                                      "--block-size",
                                      std::to_string(s.block_size),
                                      "--json",
                                      report};
  if (s.chapter == 10 || s.chapter == 11) command.push_back("--gpu-rounds");
  const host::ending ended = host::run(command, {}, true, "/dev/null");
  std::ifstream file(report);
  if (!file) throw std::runtime_error(fmt::format("{} --type {}: {}", program, type, ended.error_output));
  const nlohmann::json read = nlohmann::json::parse(file);
  nlohmann::json made = nlohmann::json::array();
  for (const nlohmann::json& kernel : read.at("kernels")) {
    if (kernel.at("role") == "yours") continue;
    if (kernel.value("group", "") == "the softmax of each row") continue;  // studies_h200.json has no times of it
    if (!kernel.at("verified").get<bool>())
      throw std::runtime_error(fmt::format("{}, chapter {}, is wrong", kernel.at("name").dump(), s.chapter));
    nlohmann::json launches = nlohmann::json::array();
    for (const nlohmann::json& launch : kernel.at("launches")) launches.push_back(model::counts_of(launch));
    made.push_back({{"chapter", s.chapter},
                    {"kernel", kernel.at("name")},
                    {"group", kernel.value("group", "")},
                    {"type", type},
                    {"block_size", s.block_size},
                    {"count", count},
                    {"launches", std::move(launches)}});
  }
  return made;
}

/// \param some  only every `some`-th row is made
nlohmann::json rows(std::size_t some) {
  nlohmann::json made = nlohmann::json::array();
  std::size_t number = 0;
  const auto add = [&](const specimen& kernel, const problem& p) {
    if (number++ % some != 0) return;
    if (std::optional<nlohmann::json> row = row_of(kernel, p)) made.push_back(std::move(*row));
    fmt::print(stderr, "\r{} rows", made.size());
  };
  const auto add_ladder = [&](const std::vector<reduction>& ladder, element_type type,
                              const std::vector<unsigned>& sizes_of_blocks) {
    for (const specimen& kernel : rows_of(ladder)) {
      const auto grid_of = [&](std::size_t n) {
        const outcome o = examine(kernel, {type, n, usual_block_size, 1}, {.explains = false});
        return o.launches.empty() ? 0 : o.launches[0].grid[0];
      };
      const bool stops = grid_of(std::size_t{1} << 22) < 60 * grid_of(std::size_t{1} << 16);
      for (const std::size_t n : sizes_for(stops, decides_itself(kernel)))
        for (const unsigned block_size : sizes_of_blocks)
          if (!stops || block_size != block_size_of_larger_grids) add(kernel, {type, n, block_size, 1});
    }
  };
  const std::vector<unsigned> usual = {usual_block_size}, all(std::begin(block_sizes), std::end(block_sizes));
  const std::vector<reduction> whole = {one_launch_reduction(), library_reduction()};
  add_ladder(ladder_solutions(), element_type::int32, all);
  add_ladder(whole, element_type::int32, usual);
  for (const element_type type : {element_type::float32, element_type::float64}) {
    add_ladder(ladder_solutions(), type, all);
    add_ladder(whole, type, usual);
  }
  emulator::options options = emulator::current_options();
  options.max_instructions = std::uint64_t{1} << 40;
  emulator::set_options(options);
  for (const specimen& kernel : foreign::all_foreign_kernels())
    add(kernel, {.type = element_type::float32, .count = foreign_count, .block_size = 256});
  for (const studied& s : studies())
    for (const char* type : s.types)
      for (const unsigned exponent : s.exponents) {
        if (number++ % some != 0) continue;
        for (nlohmann::json& row : rows_of_study(s, type, std::size_t{1} << exponent)) made.push_back(std::move(row));
        fmt::print(stderr, "\r{} rows", made.size());
      }
  fmt::print(stderr, "\n");
  return made;
}

/// Adds the rows for grids that are no longer launched. They are taken from the file that is about to be replaced.
void add_kept(nlohmann::json& made, const std::string& path) {
  std::ifstream file(path);
  if (!file) throw host::usage_error(path + " cannot be read, and has rows that are kept; begin with the tree's own");
  const auto key_of = [](const nlohmann::json& row) {
    return fmt::format("{} {} {}", row.at("kernel").dump(), row.at("type").dump(), row.at("count").dump());
  };
  std::set<std::string> made_keys;
  for (const nlohmann::json& row : made)
    if (row.at("block_size") == block_size_of_larger_grids) made_keys.insert(key_of(row));
  for (const nlohmann::json& row : nlohmann::json::parse(file).at("rows"))
    if (row.at("block_size") == block_size_of_larger_grids && !made_keys.contains(key_of(row))) made.push_back(row);
}

/// Counts some of the rows again and checks that the file contains them. Returns the exit status.
int check(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw host::usage_error(path + " cannot be read");
  const nlohmann::json kept = nlohmann::json::parse(file).at("rows");
  constexpr std::size_t some = 17;
  int stale = 0;
  for (const nlohmann::json& row : rows(some)) {
    if (std::find(kept.begin(), kept.end(), row) != kept.end()) continue;
    fmt::print("stale: {}, {} elements, blocks of {}\n", row.at("kernel").get<std::string>(),
               row.at("count").get<std::size_t>(), row.at("block_size").get<unsigned>());
    ++stale;
  }
  if (stale != 0) fmt::print("`model_counts --json {}` renews it.\n", path);
  return stale == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string json, checked;
  host::parser app{"Makes the counts with which the model of time is judged, on the emulator", "model_counts"};
  app.add_option("--json", json, "File for all counts");
  app.add_option("--check", checked, "File whose counts are to be today's: some of them are made again");
  return host::run_program(app, argc, argv, 1, [&] {
    emulator::select_device(emulator::device_kind::emulator);
    emulator::options options = emulator::current_options();
    options.latencies = model::chosen_gpu("h200").latencies();
    emulator::set_options(options);
    if (!checked.empty()) return check(checked);
    nlohmann::json all = rows(1);
    add_kept(all, json);
    std::string text =
        "{\"schema\": 2, \"launch\": " + nlohmann::json(model::names_of_counts()).dump() + ",\n\"rows\": [\n";
    for (std::size_t k = 0; k < all.size(); ++k) text += all[k].dump() + (k + 1 < all.size() ? ",\n" : "\n");
    std::ofstream(json) << text << "]}\n";
    return 0;
  });
}
