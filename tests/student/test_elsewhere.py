#!/usr/bin/env python3
"""Tests the tasks on other problems: as we give them, solved, and with the mistakes that they invite.

test_elsewhere.py BUILD [Quick|Thorough]; the build has bin/emulate.
"""

import contextlib
import io
import pathlib
import re
import sys
import tempfile
import unittest

from book.manifest import ROOT
from student import elsewhere
from student.failure import Failure

EMULATE = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build") / "bin" / "emulate"
PER_BIN = "  if (tid < bin_count) atomicAdd(&counts[tid], bins[tid]);\n"
ROW = "  if (tx == 1) tile[ty][0] = inside && x > 0 ? in[i - 1] : 0;\n"
COUNTED = "  __syncthreads();  // all threads have counted before any bin is read\n"
LOADED = "  __syncthreads();  // the tile and its halo are loaded before any thread reads another's element\n"

# For each mistake: the task, a description, the part of the solution, its replacement, and the text that must be shown.
WRONG = [
    (3, "the block's bins are never added to `counts`", PER_BIN, "",
     ["Wrong for n = 1: every bin of `counts` is still 0.",
      "Does each block add its own bins to `counts` at the end?"]),
    (3, "no barrier before the bins are read", COUNTED, "",
     ["racecheck: ", "reads bins[", "no __syncthreads()", "| if (tid < bin_count) atomicAdd(&counts[tid]"]),
    (3, "the blocks overwrite each other's counts", PER_BIN, "  if (tid < bin_count) counts[tid] = bins[tid];\n",
     ["Wrong for n = 4097: counts[", "Only 1 of the 4097 elements were counted.",
      "With a single block all was right, so look at how the blocks' counts come together."]),
    (3, "the bins are not set to 0", "  if (tid < bin_count) bins[tid] = 0;\n", "", ["initcheck: ", "uninitialised",
      "More was counted than there is: do the bins begin at 0, and is each added once?"]),
    (7, "one barrier per step", "    __syncthreads();  // this step's reads are done before any thread writes\n", "",
     ["racecheck: ", "tile[", "no __syncthreads()"]),
    (7, "the last stride is missing", "stride < block_size;", "stride < block_size / 2;",
     ["Wrong for n = 255: out[128] is ", "That is the sum of the last 128 elements alone. Is a stride missing?"]),
    (7, "the element itself is left out", "  int sum = tile[tid];", "  int sum = tid > 0 ? tile[tid - 1] : 0;",
     ["Wrong for n = 1: out[0] is 0, but in[0] to in[0] add up to ", "That is the sum without in[0] itself."]),
    (7, "no thread is kept from the end", "  if (i < n) out[i] = sum;", "  out[i] = sum;",
     ["memcheck: Out of bounds: thread ", "writes out[", "| out[i] = sum;"]),
    (9, "no left side of the halo", ROW, "",
     ["column 0 of row 0 is not a number", "initcheck: ", "uninitialised", "tile["]),
    (9, "the left side of the halo is 0", "inside && x > 0 ? in[i - 1] : 0", "0",
     ["Wrong for 33 x 31 elements: column 32 of row 0 is ", "Its left neighbour was taken for 0.",
      "That neighbour is in a different tile: is this side of the halo loaded?"]),
    (9, "no barrier after the load", LOADED, "",
     ["racecheck: ", "reads tile[", "there is no barrier", "Put a __syncthreads()"]),
    (9, "the left neighbour is that of the previous row", "inside && x > 0 ? in[i - 1]", "inside && i > 0 ? in[i - 1]",
     ["Wrong for 1 x 33 elements: column 0 of row 1 is ",
      "Its left neighbour is outside of the image and counts as 0, but something was added for it."]),
    (9, "the rows of the tile are shifted by one", "tile[ty - 1][tx] + tile[ty + 1][tx]",
     "tile[ty - 1][tx] + tile[ty][tx]", ["Wrong for 1 x 1 elements: column 0 of row 0 is "]),
]  # fmt: skip


def judged(number, code=None, solution=False):
    """Judges the file of a task, or different code instead. Returns the exit status, and the output as one line."""
    path = elsewhere.file_of(number, solution)
    said = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(said):
        root = ROOT
        if code is not None:
            root, path = pathlib.Path(folder).resolve(), pathlib.Path(path.name)
            (root / path).write_text(code, encoding="utf-8")
        status = elsewhere.judge(elsewhere.TASKS[number], path, EMULATE, root)
    return status, " ".join(said.getvalue().split())


def text_of(number, solution=False):
    return (ROOT / elsewhere.file_of(number, solution)).read_text(encoding="utf-8")


class Quick(unittest.TestCase):
    def test_every_task_is_recognised_as_given_whatever_its_comments_and_blanks(self):
        for number, task in elsewhere.TASKS.items():
            text = text_of(number)
            with self.subTest(number=number):
                self.assertIn("TO" + "DO(elsewhere): ", text)
                self.assertEqual(elsewhere.fingerprint(text), task.given, "the file as given: put this into TASKS")
                self.assertEqual(elsewhere.fingerprint(text.replace("\n", "\r\n  // a remark\n")), task.given)
                self.assertNotEqual(elsewhere.fingerprint(text_of(number, solution=True)), task.given)

    def test_a_solution_differs_in_its_kernel_alone(self):
        for number in elsewhere.TASKS:
            texts = [text_of(number, solution).partition("\n\n")[2] for solution in (False, True)]
            without = [re.sub(r"(?ms)^__global__ .*?^}\n", "", text) for text in texts]
            self.assertNotEqual(*texts)
            self.assertEqual(*without)

    def test_a_task_that_is_not_attempted_is_no_failure(self):
        status, said = judged(3)
        self.assertEqual(status, 0, said)
        self.assertIn("Not attempted yet: the kernel in docs/examples/elsewhere/3_histogram.cu is as we gave it.", said)

    def test_the_words_of_make_may_follow_its_own(self):
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(elsewhere.main(["7", "--build", "/no/such/folder", "solution"]), 1)
        self.assertIn("/no/such/folder/bin/emulate", said.getvalue())

    def test_there_are_no_other_tasks(self):
        with self.assertRaises(SystemExit) as ended, contextlib.redirect_stderr(io.StringIO()):
            elsewhere.main(["4"])
        self.assertEqual(ended.exception.code, 2)
        with self.assertRaises(Failure):
            elsewhere.file_of(4)


class Thorough(unittest.TestCase):
    def test_the_tasks_as_given_are_right_and_miss_the_goal(self):
        # 88600 elements are counted in 28 blocks. Warp w of a scan reads up to element 32 * w + 31, so its eight warps
        # load 32 + 64 + ... + 256 times. With 256 x 192 doubles, a row of a warp is in 8 sectors, or in 9 if it begins
        # one element to the left or right: 3 * 8 + 2 * 9 sectors instead of 8, minus those outside the image.
        yours = {3: "most 64, yours 3164.", 7: "most 17, yours 1. shared loads per warp: wanted at most 18, yours 144.",
                 9: "most 1.5, yours 5.208."}  # fmt: skip
        for number, counts in yours.items():
            status, said = judged(number)
            with self.subTest(number=number):
                self.assertEqual(status, 0, said)
                for wanted in ("Right for ", "No check has found ", counts, "Not reached yet.", "Not attempted"):
                    self.assertIn(wanted, said)

    def test_the_solutions_are_right_and_clean_and_reach_the_goal(self):
        for number in elsewhere.TASKS:
            status, said = judged(number, solution=True)
            with self.subTest(number=number):
                self.assertEqual(status, 0, said)
                self.assertRegex(said, r"^Right for .*No check has found anything\..* Reached\.$")

    def test_a_tile_and_its_halo_may_be_loaded_in_one_loop(self):
        code = text_of(9, solution=True)
        before, _, rest = code.partition("  tile[ty][tx] = inside")
        loop = """\
  for (unsigned r = threadIdx.y; r < tile_size + 2; r += tile_size) {
    for (unsigned c = threadIdx.x; c < tile_size + 2; c += tile_size) {
      const unsigned from_x = blockIdx.x * tile_size + c - 1, from_y = blockIdx.y * tile_size + r - 1;
      tile[r][c] = from_x < width && from_y < height ? in[std::size_t{from_y} * width + from_x] : 0;
    }
  }
"""
        status, said = judged(9, before + loop + rest[rest.index("  __syncthreads();") :])
        self.assertEqual(status, 0, said)
        self.assertIn(" Reached.", said)

    def test_one_thread_alone_does_not_reach_the_goal_of_the_scan(self):
        code = text_of(7, solution=True)
        before, _, rest = code.partition("  int sum = tile[tid];\n")
        alone = """\
  if (tid == 0) {
    int total = 0;
    for (unsigned k = 0; k < block_size; ++k) tile[k] = total += tile[k];
  }
  __syncthreads();
  const int sum = tile[tid];
"""
        status, said = judged(7, before + alone + rest[rest.index("\n  // Write one result") :])
        self.assertEqual(status, 0, said)
        self.assertIn("Not reached yet.", said)
        self.assertNotIn("Not attempted", said)

    def test_wrong_kernels_are_rejected_with_a_message_that_names_the_mistake(self):
        for number, mistake, right, wrong, wanted in WRONG:
            code = text_of(number, solution=True)
            with self.subTest(number=number, mistake=mistake):
                self.assertEqual(code.count(right), 1, "the solution has other words")
                status, said = judged(number, code.replace(right, wrong))
                self.assertEqual(status, 1, said)
                for words in wanted:
                    self.assertIn(words, said)
                self.assertIn("The goal is counted once the result is right and no check finds anything.", said)

    def test_an_endless_loop_is_stopped_and_its_line_is_named(self):
        status, said = judged(3, text_of(3).replace("i += block_size", "i += 0"))
        self.assertEqual(status, 1, said)
        self.assertIn("limit: An endless loop: the one in 3_histogram.cu:", said)

    def test_what_does_not_compile_is_told_by_the_compiler(self):
        with self.assertRaisesRegex(Failure, r'3_histogram\.cu\(\d+\): error: .*"banana"'):
            judged(3, text_of(3).replace("const unsigned tid = threadIdx.x", "const unsigned tid = banana"))


if __name__ == "__main__":
    unittest.main()
