// Tests how the names in the source are found for things that have only a number in PTX.

#include "emulator/explain/source_names.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "support/catch.hpp"

using namespace emulator::explain;
using emulator::observers::kernel_facts;

namespace {

/// A file that is removed after the test.
class source_file {
 public:
  explicit source_file(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / ("source_names_" + std::to_string(getpid()) + ".cuh")) {
    std::ofstream(path_) << text;
  }
  ~source_file() { std::filesystem::remove(path_); }
  source_file(const source_file&) = delete;
  source_file& operator=(const source_file&) = delete;
  [[nodiscard]] kernel_facts facts(const std::string& demangled) const {
    kernel_facts f;
    f.file = path_.string();
    f.demangled = demangled;
    return f;
  }

 private:
  std::filesystem::path path_;
};

using names = std::vector<std::string>;

}  // namespace

TEST_CASE("a kernel's name is printed without its scopes, types and result") {
  CHECK(kernel_name("void chapter3::exercise::reduce_strided<int>(int const*, int*, unsigned long)") ==
        "reduce_strided");
  CHECK(kernel_name("void (anonymous namespace)::fill(int*)") == "fill");
  CHECK(kernel_name("k") == "k");
}

TEST_CASE("parameters are named as the signature does, over several lines and with templates") {
  const source_file file(
      "__global__ void other(int a);\n"
      "template <typename T, unsigned N>\n"
      "__global__ void __launch_bounds__(128) sum(const T* __restrict__ in,  // the input\n"
      "    std::pair<int, int> p, T* out = nullptr,\n"
      "    const float (&table)[4], std::size_t n) {\n}\n"
      "__global__ void summary(int x) {}\n");
  CHECK(parameter_names(file.facts("void sum<int, 4u>(int const*)"))[0] == "in");
  CHECK(parameter_names(file.facts("void sum<int, 4u>(int const*)"))[1] == "p");
  CHECK(parameter_names(file.facts("void sum<int, 4u>(int const*)"))[2] == "out");
  CHECK(parameter_names(file.facts("void sum<int, 4u>(int const*)")).back() == "n");
  CHECK(parameter_names(file.facts("summary(int)")) == names{"x"});
  CHECK(parameter_names(file.facts("other(int)")) == names{"a"});
  CHECK(parameter_names(file.facts("missing(int)")).empty());
  kernel_facts nowhere;
  nowhere.file = "/no/such/file.cu";
  nowhere.demangled = "k()";
  CHECK(parameter_names(nowhere).empty());
}

TEST_CASE("a row is as long as declared, or as the rest of the array") {
  const source_file file(
      "__shared__ int tile[8][32 + 1];\n__shared__ float unknown[rows][ 16 ];\n"
      "__shared__ float first[4][columns];\n__shared__ int flat[64];\nint my_tile[2][3];\n"
      "__shared__ int odd[a][b];\n");
  const kernel_facts f = file.facts("k()");
  CHECK(row_length(f, "tile", 8 * 33) == 33);
  CHECK(row_length(f, "unknown", 160) == 16);
  CHECK(row_length(f, "first", 40) == 10);
  CHECK(row_length(f, "flat", 64) == 0);
  CHECK(row_length(f, "odd", 64) == 0);
  CHECK(row_length(f, "absent", 64) == 0);
  CHECK(row_length(f, "tile", 100) == 0);  // the source declares a different size
  CHECK(row_length(f, "", 100) == 0);
}

TEST_CASE("a constant of the file may give the length of a row, if it is a single number") {
  const source_file file(
      "constexpr int T = 16, N = 64;\n#define WIDTH 24\n#define AREA (8 * 8)\nint width = 12;\n"
      "const unsigned twice = 5;\n"
      "__global__ void k() {\n  __shared__ float sa[T][T], sb[T][T + 1];\n"
      "  __shared__ int wide[4][WIDTH], area[2][AREA], changes[3][width], other[2][twice];\n"
      "  if (T == 16) sa[0][0] = 1;\n}\n"
      "void f() { const unsigned twice = 6; }\n");
  const kernel_facts f = file.facts("k()");
  CHECK(row_length(f, "sa", 256) == 16);
  CHECK(row_length(f, "sb", 16 * 17) == 17);
  CHECK(row_length(f, "sb", 512) == 0);  // the source declares a different size
  CHECK(row_length(f, "wide", 96) == 24);
  CHECK(row_length(f, "area", 128) == 64);    // from the size of its rows
  CHECK(row_length(f, "changes", 36) == 12);  // likewise
  CHECK(row_length(f, "other", 12) == 6);     // likewise, but one name has two values
}
