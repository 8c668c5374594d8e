// Tests how the index and the condition of an access are found in the source text.

#include "emulator/explain/source_guards.hpp"

#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace emulator::explain;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Returns the condition around `in[` in the last line that contains it: "-" if it cannot be determined, or "none" if
/// there is no condition.
std::string condition(const std::string& text) {
  const std::vector<std::string> lines = lines_of(text);
  for (std::size_t k = lines.size(); k-- > 0;) {
    const std::size_t column = lines[k].rfind("in[");
    if (column == std::string::npos) continue;
    const std::optional<guard> g = guard_of(lines, static_cast<std::uint32_t>(k + 1), column);
    if (!g) return "-";
    if (g->condition.empty()) return "none";
    return (g->returns ? "return if " : "") + g->condition + " in " + std::to_string(g->line);
  }
  return "no access";
}

std::string index(const std::string& line, bool writes, std::uint32_t thread, std::int64_t number,
                  bool first_block = false) {
  const auto found =
      index_of({"  const unsigned tid = threadIdx.x;", "  const int i = blockIdx.x * blockDim.x + tid;", line}, 3,
               "tile", writes, thread, first_block, number);
  return found ? found->text : "-";
}

}  // namespace

TEST_CASE("the condition of an access is the nearest enclosing one") {
  const std::string head = "__global__ void k(const int* in, int n) {\n";
  CHECK(condition(head + "  if (i < n) x = in[i];\n}\n") == "i < n in 2");
  CHECK(condition(head + "  for (int i = t; i < n; i += g) x += in[i + 1];\n}\n") == "i < n in 2");
  CHECK(condition(head + "  while (i < f(n, 2)) x += in[i++];\n}\n") == "i < f(n, 2) in 2");
  CHECK(condition(head + "  if (a) {\n    if (b) {\n      y = 0;\n    }\n    x = in[i];\n  }\n}\n") == "a in 2");
  CHECK(condition(head + "  if (a)\n    x = 1 +\n        in[i];\n}\n") == "a in 2");
  CHECK(condition(head + "  x = i < n ? in[i] : 0;\n}\n") == "i < n in 2");
  CHECK(condition(head + "  return f(i <= n ? in[i] : 0);\n}\n") == "i <= n in 2");
  CHECK(condition(head + "if (a) {\nfor (;;) { y[0] = 1; }\nx = in[i];\n}\n}\n") == "a in 2");  // no indentation
  CHECK(condition(head + "  if (a)\n  {\n    x = in[i];\n  }\n}\n") == "a in 2");
  CHECK(condition(head + "  if (a &&\n      b) {\n    x = in[i];\n  }\n}\n") == "a && b in 2");
  CHECK(condition(head + "  T v{n};\n  if (a) {\n    T w{n}; x = in[i];\n  }\n}\n") == "a in 3");
  CHECK(condition(head + "  if (a) x = y == 1 ? in[i] : 0;\n}\n") == "y == 1 in 2");
}

TEST_CASE("a condition after which threads return is reported as such") {
  const std::string head = "__global__ void k(const int* in, int n) {\n";
  CHECK(condition(head + "  if (i > n) return;\n  x = in[i];\n}\n") == "return if i > n in 2");
  CHECK(condition(head + "  if (i > n) return;\n  if (t == 0) x = in[i];\n}\n") == "t == 0 in 3");
  const auto early = early_return(lines_of(head + "  if (i > n) return;\n  x = 0;\n  y = in[i];\n}\n"), 4);
  REQUIRE(early);
  CHECK(early->condition == "i > n");
  CHECK(early->line == 2);
  CHECK_FALSE(early_return(lines_of(head + "  x = 0;\n  y = in[i];\n}\n"), 3));
}

TEST_CASE("if the source does not determine the condition, nothing is reported") {
  const std::string head = "__global__ void k(const int* in, int n) {\n";
  CHECK(condition(head + "  if (a) {\n    y = 0;\n  } else {\n    x = in[i];\n  }\n}\n") == "-");
  CHECK(condition(head + "  x = i < n ? 0 : in[i];\n}\n") == "-");
  CHECK(condition(head + "  const auto f = [&](int k) {\n    return in[k];\n  };\n}\n") == "-");
  CHECK(condition(head + "  do {\n    x = in[i];\n  } while (a);\n}\n") == "-");
  CHECK(condition(head + "  switch (a) {\n    case 1:\n      x = in[i];\n  }\n}\n") == "-");
  CHECK(condition("__device__ int f(const int* in, int i) {\n  return in[i];\n}\n") == "-");  // its callers may check
  CHECK_FALSE(guard_of({}, 1, 0));
  CHECK_FALSE(guard_of({"x"}, 7, 0));
}

TEST_CASE("an access outside of conditions has none, and a condition known to the compiler does not count") {
  CHECK(condition("__global__ void k(const int* in,\n                  int n) {\n  x = in[i];\n}\n") == "none");
  CHECK(condition("__global__ void k(const int* in) {\n  if constexpr (N > 3) {\n    x = in[i];\n  }\n}\n") == "none");
  CHECK(condition("__global__ void k(const int* in) {\n  // if (i < n)\n  x = in[i];\n}\n") == "none");
}

TEST_CASE("an index is printed as it is written, if it is clear which one is meant") {
  CHECK(index("  tile[tid] = x;", true, 3, 3) == "tid");
  CHECK(index("  tile[tid] += tile[tid + s];", true, 3, 3) == "tid");
  CHECK(index("  tile[tid] += tile[tid + s];", false, 3, 8) == "tid + s");  // tid is 3
  CHECK(index("  tile[i] += tile[i + s];", false, 3, 8) == "-");
  CHECK(index("  tile[i] += tile[i + s];", false, 3, 8, true) == "i + s");  // i is 3 in block 0
  CHECK(index("  if (tile[f(a[1], 2)] == 0) x = 1;", false, 3, 8) == "f(a[1], 2)");
  CHECK(index("  subtile[tid] = tile2[tid];", false, 3, 8) == "-");
  CHECK(index("  tile[tid][2] = 0;", true, 3, 8) == "-");
  CHECK(index("  tile[tid", true, 3, 8) == "-");
}

TEST_CASE("members that are bit fields are known by their declaration") {
  const std::vector<std::string> lines = {"struct flags {",
                                          "  unsigned low : 4, other;",
                                          "  unsigned high : 28;  // bits",
                                          "  unsigned word;",
                                          "};",
                                          "  if (tid == 0) f.low = 1; else f.high = p->word;",
                                          "  x = a ? word : 4;",
                                          "  std::low(3);"};
  CHECK(bit_fields_in(lines, 6) == std::vector<std::string>{"low", "high"});
  CHECK(bit_fields_in(lines, 7).empty());
  CHECK(bit_fields_in(lines, 1).empty());
  CHECK(bit_fields_in(lines, 99).empty());
}

TEST_CASE("a condition applies to an index if it names a part of the index") {
  const std::vector<std::string> lines = {"if (tid % s == 0) tile[tid] += tile[tid + s];", "tile[blockIdx.x] = 0;"};
  CHECK(mentions_index("tid % s == 0", lines, 1, "tile"));
  CHECK_FALSE(mentions_index("k < length", lines, 1, "tile"));
  CHECK_FALSE(mentions_index("x < 2", lines, 2, "tile"));
  CHECK_FALSE(mentions_index("tid < 2", lines, 1, "other"));
}
