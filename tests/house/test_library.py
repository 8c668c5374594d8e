#!/usr/bin/env python3
"""Tests that book.outputs shows all public functions of a header, and finds pages that lack one."""

import pathlib
import tempfile
import unittest
from unittest import mock

from book import markers
from book.outputs import Failure, Setting, library

HEADER = """#pragma once
/// \\file
/// Not a function's comment.

#include <cstddef>

namespace workbook {

/// Sums `n` of T. More words, which the table
/// does not need.
template <typename Acc, typename T, typename Op = plus>
requires(std::is_same_v<Acc, T> ||
         sizeof(T) > 4) void sum(const T* in, std::size_t n, void* workspace, cudaStream_t stream = nullptr,
                                 Op op = {}) {
  helper(in);
}

/// Returns the bytes that `sum` needs.
template <typename Acc>
std::size_t sum_workspace_bytes() {
  return 8;
}

/// Runs on the device alone.
template <typename T>
__global__ void __launch_bounds__(256) kernel(T* out) {}

/// Adds a pair<A, B> to another.
[[nodiscard]] __host__ __device__ constexpr int add(int a, int b) { return a + b; }

void without_a_comment();

/// A number.
struct alignas(8) number {
  /// Not at the outermost level.
  int value() const;
};

/// How many there are.
inline constexpr unsigned count = 4;

namespace view {

/// \\throws std::bad_alloc  if there is too little
inline void all(int first);

}  // namespace view
}  // namespace workbook
"""


class Library(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "sum.cuh").write_text(HEADER)
        (self.folder / "other.hpp").write_text("#pragma once\n")
        patched = mock.patch.object(library, "LIBRARY", self.folder)
        patched.start()
        self.addCleanup(patched.stop)
        self.page = self.folder / "page.md"

    def made(self, detail, arguments):
        setting = Setting(self.page, self.folder, self.folder, self.folder)
        return library.made(markers.Part("library", detail, arguments, ""), setting)

    def test_a_function_is_shown_as_it_is_called(self):
        link = "[sum.cuh](../../common/reductions/sum.cuh)"
        self.assertEqual(
            self.made("functions", "sum.cuh"),
            "| call | what it does | called by | workspace | header |\n"
            "| --- | --- | --- | --- | --- |\n"
            f"| `sum<Acc>(in, n, workspace, stream, op)` | Sums `n` of T. | host | `sum_workspace_bytes` | {link} |\n"
            f"| `sum_workspace_bytes<Acc>()` | Returns the bytes that `sum` needs. | host |  | {link} |\n"
            f"| `add(a, b)` | Adds a pair&lt;A, B> to another. | both |  | {link} |\n"
            f"| `view::all(first)` | Throws `std::bad_alloc` if there is too little | host |  | {link} |\n",
        )

    def test_types_stand_in_a_table_of_their_own(self):
        self.assertIn("| `number` | A number. |", self.made("types", "sum.cuh"))
        self.assertNotIn("count", self.made("types", "sum.cuh"))

    def test_an_inner_function_is_left_out_by_name(self):
        self.assertNotIn("`add(", self.made("functions", "sum.cuh without add"))
        with self.assertRaisesRegex(Failure, "none of these headers has a gone"):
            self.made("functions", "sum.cuh without gone")

    def test_a_header_that_is_gone_is_named(self):
        with self.assertRaisesRegex(Failure, "there is no header common/reductions/gone.cuh"):
            self.made("functions", "gone.cuh")

    def test_headers_in_no_table_are_inner_ones(self):
        self.page.write_text("<!-- library:functions begin sum.cuh -->\n<!-- library:functions end -->\n")
        self.assertEqual(self.made("inner", ""), "`other.hpp`.\n")


if __name__ == "__main__":
    unittest.main()
