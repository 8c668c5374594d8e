#include "reductions/tune/tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "reductions/buffer.hpp"
#include "reductions/tune/arena.hpp"
#include "reductions/tune/pairs.hpp"
#include "reductions/tune/race.hpp"
#include "reductions/tune/ranking.hpp"
#include "reductions/tuned.hpp"
#include "workbook/device_facts.hpp"
#include "workbook/measure.hpp"

namespace workbook {
namespace {

/// The number of timed runs, cold and warm: of every algorithm, and of the fastest ones.
constexpr int screening_runs = 5, final_runs = 31;
/// The largest array that is timed.
constexpr std::size_t max_bytes = std::size_t{1} << 34;
/// The number of algorithms in the final race.
constexpr std::size_t finalists = 5;
/// An algorithm whose time is more than this multiple of the fastest one's is excluded from the race.
constexpr double hopeless = 2;

constexpr unsigned reduce_rows_of_table = 31;  ///< Up to 2^30 loads, which are 16 GiB.
constexpr unsigned least_line = 2, lines = 25, columns = 25;

// ---- One array.

/// Returns every algorithm that the search knows.
std::vector<reduce_choice> all_choices() {
  std::vector<reduce_choice> all;
  all.push_back({reduce_way::one_block, 0, 0, 0});
  for (const unsigned block : {128u, 256u, 512u, 1024u}) all.push_back({reduce_way::one_round, 2, block, 0});
  for (const unsigned loads : {2u, 8u})
    for (const unsigned block : {256u, 512u, 1024u})
      for (const unsigned blocks : {1u, 2u, 3u, 4u, 8u, 16u}) all.push_back({reduce_way::rounds, loads, block, blocks});
  return all;
}

/// The element types that share a table.
struct type_class {
  const char* name;
  std::size_t element_bytes;
  bool with_indices;
  const reduce_choice* present;
};
constexpr type_class classes[] = {{"1_byte", 1, false, tuned_reduce_of_1_byte},
                                  {"2_bytes", 2, false, tuned_reduce_of_2_bytes},
                                  {"4_bytes", 4, false, tuned_reduce_of_4_bytes},
                                  {"8_bytes", 8, false, tuned_reduce_of_8_bytes},
                                  {"indices", 4, true, tuned_reduce_of_indices}};

bool belongs(const type_pair& p, const type_class& c) {
  return p.element_bytes == c.element_bytes && (p.operation == "arg max") == c.with_indices;
}

/// One pair of types with memory for up to `most` elements.
struct table_side {
  const type_pair* pair;
  device_bytes in, out, workspace;
  table_side(const type_pair& p, std::size_t most)
      : pair(&p), in(most * p.element_bytes), out(p.result_bytes), workspace(p.workspace_bytes) {
    check(cudaMemset(workspace.data(), 0, workspace.size_bytes()));
  }
  void run(const reduce_choice& way, std::size_t n) {
    pair->ours_in_way(way, in.data(), out.data(), n, workspace.data());
  }
  [[nodiscard]] std::vector<std::byte> result_of(const reduce_choice& way, std::size_t n) {
    return bytes_after([&] { run(way, n); }, out);
  }
};

/// Races `ways` for `n` elements with each type in `sides`, and returns their ranking.
ranking raced(std::vector<table_side>& sides, const std::vector<reduce_choice>& ways, std::size_t n, stop_watch& watch,
              int repetitions) {
  ranking r(ways.size());
  for (table_side& side : sides) {
    std::vector<contender> all;
    for (const reduce_choice& way : ways) all.push_back({"", {}, [&side, way, n] { side.run(way, n); }});
    race(all, watch, repetitions);
    r.add(all);
  }
  return r;
}

/// Fills the entries for which `is_gap` is true: each becomes like the next entry that isn't a gap or, if there is
/// none, like the previous one.
template <typename Lines, typename IsGap>
void fill_gaps(Lines& of, IsGap is_gap) {
  for (std::size_t k = of.size() - 1; k-- > 0;)
    if (is_gap(of[k])) of[k] = of[k + 1];
  for (std::size_t k = 1; k < of.size(); ++k)
    if (is_gap(of[k])) of[k] = of[k - 1];
}

std::string text_of(const reduce_choice& c) {
  constexpr const char* names[] = {"one_block", "one_round", "rounds"};
  return fmt::format("{{reduce_way::{}, {}, {}, {}}}", names[static_cast<int>(c.way)], c.loads, c.block_size, c.blocks);
}

/// Returns the fastest of `ways` for 2^k loads, over all types of a class.
reduce_choice fastest_of(std::vector<table_side>& sides, const std::vector<reduce_choice>& ways,
                         const reduce_choice& present, std::size_t n, stop_watch& watch) {
  const ranking screened = raced(sides, ways, n, watch, screening_runs);
  std::vector<reduce_choice> last;
  for (const std::size_t k : screened.order())
    if (last.size() < finalists || ways[k] == present) last.push_back(ways[k]);
  const ranking final = raced(sides, last, n, watch, final_runs);
  const auto at = static_cast<std::size_t>(std::find(last.begin(), last.end(), present) - last.begin());
  const std::size_t best = chosen(final, at);
  if (at == best || at == last.size()) return last[best];
  // A change requires a second race between the two alone, because the fastest of many algorithms may be slightly
  // faster only by chance.
  const std::vector<reduce_choice> two = {present, last[best]};
  return two[chosen(raced(sides, two, n, watch, final_runs), 0)];
}

std::string reduce_table(const type_class& c, const std::vector<type_pair>& pairs, stop_watch& watch) {
  std::vector<table_side> sides;
  const auto multiprocessors = static_cast<std::size_t>(read_device_facts().multiprocessors);
  std::size_t free = 0, all = 0;
  check(cudaMemGetInfo(&free, &all));
  const auto members = static_cast<std::size_t>(
      std::count_if(pairs.begin(), pairs.end(), [&](const type_pair& p) { return belongs(p, c); }));
  const std::size_t room = std::min(max_bytes, free / 2 / members) / c.element_bytes;
  const std::size_t most = std::min(room, std::size_t{1} << 31);
  for (const type_pair& p : pairs)
    if (belongs(p, c)) sides.emplace_back(p, most);
  std::vector<std::string> rows(reduce_rows_of_table);
  for (unsigned k = 0; k < reduce_rows_of_table; ++k) {
    const std::size_t loads = std::size_t{1} << k, n = loads * 16 / c.element_bytes;
    if (n < 1024 || n > most) continue;
    std::vector<reduce_choice> ways;
    for (table_side& side : sides) side.pair->fill(side.in.data(), n);
    for (const reduce_choice& way : all_choices()) {
      const auto may = [&](const table_side& side) { return side.pair->can_choose(way, n); };
      if (!std::all_of(sides.begin(), sides.end(), may)) continue;
      // With more threads than loads, the launch would be the same again.
      if (way.way == reduce_way::rounds && way.blocks > 1 &&
          std::size_t{way.blocks / 2} * way.block_size * way.loads * multiprocessors > loads)
        continue;
      ways.push_back(way);
    }
    for (table_side& side : sides) {
      const std::vector<std::byte> expected = side.result_of(ways.front(), n);
      for (const reduce_choice& way : ways) {
        if (side.result_of(way, n) != expected)
          throw std::runtime_error(
              fmt::format("{} of {} elements is wrong as {}", side.pair->element, n, text_of(way)));
      }
    }
    const reduce_choice& present = c.present[k];
    const reduce_choice fastest = fastest_of(sides, ways, present, n, watch);
    rows[k] = fmt::format("    {},", text_of(fastest));
    fmt::print("{:<8} 2^{:<2} loads: {}{}\n", c.name, k, text_of(fastest),
               fastest == present ? "" : "  was " + text_of(present));
    std::fflush(stdout);
  }
  // Entries that were not timed become like their neighbours.
  fill_gaps(rows, [](const std::string& row) { return row.empty(); });
  std::string text = fmt::format("inline constexpr reduce_choice tuned_reduce_of_{}[] = {{\n", c.name);
  for (const std::string& row : rows) text += row + "\n";
  return text + "};\n\n";
}

// ---- Pieces.

/// One map. A cell is for 2^column pieces of 2^(line + 2) bytes or, in the map for columns of a matrix, for a matrix of
/// 2^column rows of 2^(line + 2) bytes.
struct map_search {
  const char* name;
  std::vector<pieces_kind> kinds;
  const char (*present)[columns + 1];
};

/// Returns the approximate time of a contender, or infinity if it refuses the shape.
double takes(const shape_contender& c, stop_watch& watch) {
  try {
    c.run();
    check(cudaGetLastError());
    // The minimum of several times, because one time may be far off.
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 4; ++k) least = std::min(least, watch.take(c.run, start::warm).microseconds);
    return least;
  } catch (const std::exception&) {
    return std::numeric_limits<double>::infinity();
  }
}

/// Times the algorithms of one cell whose letters are in `among`, or all algorithms if it is empty.
/// \returns the chosen algorithm's letter, or ' ' if the cell is too small or too large
char letter_among(const std::string& among, const map_search& m, unsigned line, unsigned column,
                  const std::shared_ptr<cublas>& blas, stop_watch& watch) {
  const std::size_t bytes = std::size_t{1} << (line + least_line), count = std::size_t{1} << column;
  const std::size_t length = bytes / sizeof(float);
  if (length * count < 1024 || length * count > std::size_t{1} << 28) return ' ';
  std::string letters;
  ranking all(0);
  for (const pieces_kind kind : m.kinds) {
    if (kind == pieces_kind::uneven_segments && count == 1) continue;
    const bool by_column = kind == pieces_kind::columns;
    const std::unique_ptr<arena> a =
        arena_of({kind, by_column ? count : length, by_column ? length : count}, "float", blas, true);
    if (a->ways().empty()) return ' ';
    std::vector<contender> timed;
    std::vector<double> once;
    std::string here;
    for (const shape_contender& way : a->ways()) {
      if (!among.empty() && among.find(way.name) == std::string::npos) continue;
      if (!a->is_right(way))
        throw std::runtime_error(
            fmt::format("{} pieces of {} bytes are wrong as {}: {}", count, bytes, m.name, way.name));
      once.push_back(takes(way, watch));
      timed.push_back({way.name, {}, way.run});
      here += way.name;
    }
    const double least = *std::min_element(once.begin(), once.end());
    std::vector<contender> racing;
    for (std::size_t i = 0; i < timed.size(); ++i)
      if (once[i] <= hopeless * least) racing.push_back(timed[i]);
    for (std::size_t i = 1; i < a->contenders().size(); ++i) {
      const shape_contender& library = a->contenders()[i];
      if (!library.waits && takes(library, watch) < hopeless * least) racing.push_back({library.name, {}, library.run});
    }
    race(racing, watch, least > 1000 ? screening_runs : final_runs / 2 + 1);
    // Algorithms that did not race keep the approximate time from before the race.
    std::size_t raced = 0;
    for (std::size_t i = 0; i < timed.size(); ++i) {
      if (once[i] <= hopeless * least)
        timed[i] = racing[raced++];
      else
        timed[i].cold_us = timed[i].warm_us = {once[i]};
    }
    double library_cold = std::numeric_limits<double>::infinity(), library_warm = library_cold;
    for (std::size_t i = raced; i < racing.size(); ++i) {  // the libraries
      library_cold = std::min(library_cold, median(racing[i].cold_us));
      library_warm = std::min(library_warm, median(racing[i].warm_us));
    }
    if (letters.empty()) {
      letters = here;
      all = ranking(timed.size());
    }
    all.add(timed, library_cold, library_warm);
  }
  const std::size_t present = letters.find(m.present[line][column]);
  return letters[chosen(all, present == std::string::npos ? letters.size() : present)];
}

/// Returns the letter of one cell, or ' '. As for arrays, a change requires a second race between the two alone.
char letter_of(const map_search& m, unsigned line, unsigned column, const std::shared_ptr<cublas>& blas,
               stop_watch& watch) {
  const char present = m.present[line][column], best = letter_among("", m, line, column, blas, watch);
  if (best == present || best == ' ') return best;
  return letter_among({present, best}, m, line, column, blas, watch);
}

std::string map_of(const map_search& m, stop_watch& watch) {
  std::array<std::string, lines> map;
  const std::shared_ptr<cublas> blas = cublas::load();
  std::string text = fmt::format("inline constexpr char tuned_{}[][{}] = {{\n", m.name, columns + 1);
  for (unsigned line = 0; line < lines; ++line) {
    for (unsigned column = 0; column < columns; ++column) map[line] += letter_of(m, line, column, blas, watch);
    fmt::print("{:<8} of 2^{:<2} bytes: {}\n", m.name, line + least_line, map[line]);
    std::fflush(stdout);
  }
  // Cells that were not timed become like the nearest cell in their line or, if there is none, in the next line.
  for (std::string& line : map) {
    const std::size_t last = line.find_last_not_of(' ');
    if (last == std::string::npos) continue;
    std::fill(line.begin() + static_cast<std::ptrdiff_t>(last) + 1, line.end(), line[last]);
    fill_gaps(line, [](char letter) { return letter == ' '; });
  }
  fill_gaps(map, [](const std::string& line) { return line.front() == ' '; });
  for (const std::string& s : map) text += fmt::format("    \"{}\",\n", s);
  return text + "};\n\n";
}

}  // namespace

std::string tuned_header(const std::string& title) {
  stop_watch watch;
  const std::vector<type_pair> pairs = type_pairs();
  std::string text =
      "#pragma once\n/// \\file\n/// What `build/bin/tune --table` found fastest on a GPU, by type and shape; "
      "choices.hpp says how it is read. Written by\n/// that program: to tune for another GPU, run it "
      "there.\n///\n/// " +
      title +
      "\n\n#include \"reductions/choices.hpp\"\n\n// clang-format off\nnamespace workbook {\n\n"
      "/// Of the GPU that the tables were made on.\ninline constexpr unsigned tuned_multiprocessors = " +
      std::to_string(read_device_facts().multiprocessors) + ";\n\n";
  for (const type_class& c : classes) text += reduce_table(c, pairs, watch);
  const map_search maps[] = {{"rows", {pieces_kind::rows}, tuned_rows},
                             {"segments", {pieces_kind::segments, pieces_kind::uneven_segments}, tuned_segments},
                             {"columns", {pieces_kind::columns}, tuned_columns}};
  for (const map_search& m : maps) text += map_of(m, watch);
  return text + "}  // namespace workbook\n";
}

bool verify_ways(std::size_t& tried) {
  bool good = true;
  const auto judge = [&](const std::string& name, auto is_right) {
    const watched_run watched(true, 1);
    bool fine = is_right();
    for (const emulator::launch_report& launch : emulator::take_reports()) fine = fine && launch.findings.empty();
    if (!fine) fmt::print("WRONG or unsafe: {}\n", name);
    good = good && fine;
    ++tried;
  };
  const std::vector<type_pair> pairs = type_pairs();
  for (const type_pair& p : pairs)
    for (const std::size_t n : {std::size_t{0}, std::size_t{1000}, std::size_t{40009}}) {
      table_side side(p, n);
      p.fill(side.in.data(), n);
      for (const reduce_choice& way : all_choices())
        if (p.can_choose(way, n))
          judge(fmt::format("{} {} of {} as {}", p.operation, n, p.element, text_of(way)),
                [&] { return p.is_right(side.result_of(way, n).data(), n); });
    }
  const raced_shape shapes[] = {{pieces_kind::rows, 33, 70},
                                {pieces_kind::rows, 5000, 3},
                                {pieces_kind::columns, 70, 36},
                                {pieces_kind::columns, 5, 4096},
                                {pieces_kind::columns, 9000, 20},
                                {pieces_kind::segments, 4100, 4},
                                {pieces_kind::uneven_segments, 31, 300},
                                {pieces_kind::uneven_segments, 31, 3000}};
  for (const raced_shape& shape : shapes) {
    const std::unique_ptr<arena> a = arena_of(shape, "int", nullptr, false);
    for (const shape_contender& way : a->ways())
      judge(fmt::format("{} {} x {} as {}", name_of(shape.kind), shape.count, shape.length, way.name),
            [&] { return a->is_right(way); });
  }
  return good;
}

}  // namespace workbook
