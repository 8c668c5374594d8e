#!/usr/bin/env python3
"""Chapter 16 on several processes: test_ranks.py FOLDER_OF_PROGRAMS FAULTY_RANKS [UNITTEST WORDS]

Every job has to end by itself, with the right status and messages, and must leave no process running.
"""

# Long because each way in which a job of several processes fails is tested here.

from __future__ import annotations

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

PROGRAMS = pathlib.Path(sys.argv[1]).resolve()
FAULTY = pathlib.Path(sys.argv[2])
CHAPTER, RANKS = PROGRAMS / "chapter16", PROGRAMS / "ranks16"
MPIRUN = shutil.which("mpirun")
LONGEST_S = 30  # no job here takes longer than this number of seconds, whatever fails in it
TYPES = ("int", "unsigned", "longlong", "float", "double")

# By default mpirun refuses root and more ranks than processors, and binds each rank to one processor.
OF_MPIRUN = ["--oversubscribe", "--bind-to", "none"]
WITHOUT_MPI = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_", "PMIX_", "PMI_", "SLURM_"))}
ENVIRONMENT = {**WITHOUT_MPI, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def processes_of(job: str) -> list[str]:
    """Returns the processes with the job's name in their environment: ranks, and mpirun itself."""
    left = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if f"RANK_JOB={job}".encode() in (folder / "environ").read_bytes().split(b"\0") and words != [b""]:
                left.append(f"{folder.name}: {b' '.join(words).decode()}")
        except OSError:
            continue
    return left


class MpirunHangs(AssertionError):
    """mpirun has not ended, although all its ranks have."""


HUNG: list[MpirunHangs] = []  # one is allowed


class Job:
    """An mpirun and its result."""

    def __init__(self, *words: object, fault: str = "", **more: str) -> None:
        self.name = uuid.uuid4().hex
        environment = {**ENVIRONMENT, "RANK_JOB": self.name, "RANK_FAULT": fault, **more}
        self.begun = time.monotonic()
        self.process = subprocess.Popen(
            [str(MPIRUN), *OF_MPIRUN, *map(str, words)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def end(self) -> Job:
        try:
            self.out, self.errors = self.process.communicate(timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            left = processes_of(self.name)
            self.process.kill()
            self.process.communicate()
            alone = len(left) == 1 and left[0].startswith(f"{self.process.pid}: ")
            raise (MpirunHangs if alone else AssertionError)(f"{self.process.args!r} hangs: {left}") from None
        # mpirun prints this if the process that it starts for a host is faster than mpirun itself. It isn't an error.
        self.errors = re.sub(r"(?m)^\[[^]]*\] plm:rsh: Warning: setpgid\(.*\n", "", self.errors)
        self.status = self.process.returncode
        self.seconds = time.monotonic() - self.begun
        self.wait_for_all()
        return self

    def wait_for_all(self) -> None:
        """Waits until the job has no process left. Fails if one remains."""
        deadline = time.monotonic() + 10
        while left := processes_of(self.name):
            if time.monotonic() > deadline:
                raise AssertionError(f"{self.process.args!r} left processes behind: {left}")
            time.sleep(0.1)

    def said(self) -> str:
        return f"status {self.status} after {self.seconds:.1f} s\n{self.out}\n{self.errors}"

    def lines_of(self, rank: int) -> list[str]:
        # A rank reports its program's name as it was typed.
        return re.findall(rf"^(?:chapter16|faulty_ranks): rank {rank} on \S+: (.*)$", self.errors, re.MULTILINE)


def mpirun(ranks: int, *words: object, program: pathlib.Path = CHAPTER, fault: str = "") -> Job:
    def end_of_one() -> Job:
        return Job("-n", ranks, program, "--device", "emulator", *words, fault=fault).end()

    try:
        return end_of_one()
    except MpirunHangs as hangs:
        # This has happened once, on a machine whose load was six times its number of processors. If the ranks caused
        # it, one of the other jobs would show it, too.
        if HUNG:
            raise
        HUNG.append(hangs)
        return end_of_one()


def rows_of(text: str) -> list[tuple[str, ...]]:
    row = r"^ +(\d+)  (\d+) of (\d+): emulated NVIDIA H200 +(\d+)  (\w+) +(\w+) +(\w+)$"
    return re.findall(row, text, re.MULTILINE)


def sum_in(text: str) -> str:
    found = re.search(r"^The sum of all on rank 0 is (\S+)\.$", text, re.MULTILINE)
    assert found, text
    return found[1]


def alone(program: pathlib.Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a program without mpirun."""
    command = [str(program), *words]
    everything = {**ENVIRONMENT, **environment}
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=LONGEST_S,
        env=everything,
        stdin=subprocess.DEVNULL,
    )


def sum_of_one_process(count: int, kind: str) -> str:
    """Returns the sum that a different program computes in one process."""
    ran = alone(PROGRAMS / "large_sum", "--device", "emulator", "--count", str(count), "--type", kind)
    found = re.search(r"^The sum is (\S+)\.$", ran.stdout, re.MULTILINE)
    assert found, ran.stdout + ran.stderr
    return found[1]


class Sums(unittest.TestCase):
    def check_job(self, ranks: int, count: int, kind: str) -> str:
        job = mpirun(ranks, "--count", count, "--type", kind, "--vector", 1000 + ranks)
        self.assertEqual(job.status, 0, job.said())
        self.assertEqual(job.errors, "")
        rows = rows_of(job.out)
        self.assertEqual([row[:3] for row in rows], [(str(r), str(r), str(ranks)) for r in range(ranks)], job.out)
        self.assertEqual([row[4:] for row in rows], [("right",) * 3] * ranks, job.out)
        counts = [int(row[3]) for row in rows]
        self.assertEqual(sum(counts), count)
        self.assertLessEqual(max(counts) - min(counts), 1)
        return sum_in(job.out)

    def test_one_two_three_and_eight_ranks_have_the_same_sum_bit_by_bit(self) -> None:
        for kind, count in (("int", 100003), ("float", 70001)):
            sums = {self.check_job(ranks, count, kind) for ranks in (1, 2, 3, 8)}
            self.assertEqual(sums, {sum_of_one_process(count, kind)}, kind)

    def test_every_type_is_summed_by_three_ranks(self) -> None:
        for kind in ("unsigned", "longlong", "double"):
            self.assertEqual(self.check_job(3, 10007, kind), sum_of_one_process(10007, kind), kind)

    def test_fewer_elements_than_ranks_and_none_at_all(self) -> None:
        self.assertEqual(self.check_job(8, 5, "double"), sum_of_one_process(5, "double"))
        self.assertEqual(self.check_job(2, 0, "float"), "0")

    def test_another_seed_has_another_sum(self) -> None:
        job = mpirun(2, "--count", 1000, "--seed", 7, "--vector", 0)
        self.assertEqual(job.status, 0, job.said())
        self.assertNotEqual(sum_in(job.out), sum_of_one_process(1000, "int"))

    def test_a_rank_without_mpirun_is_alone(self) -> None:
        ran = alone(RANKS, "--device", "emulator", "--count", "1000")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertEqual(sum_in(ran.stdout), sum_of_one_process(1000, "int"))


class Words(unittest.TestCase):
    def check_refused(self, job: Job, ranks: int, expected: str) -> None:
        self.assertEqual(job.status, 2, job.said())
        self.assertEqual(job.out, "")
        for rank in range(ranks):
            self.assertEqual(len(job.lines_of(rank)), 1, job.said())
            self.assertIn(expected, job.lines_of(rank)[0])

    def test_what_is_not_understood_is_refused_on_every_rank(self) -> None:
        expected = "--gpus: every rank has one GPU: set the number of ranks with mpirun -n"
        self.check_refused(mpirun(2, "--gpus", 2), 2, expected)

    def test_what_is_not_understood_is_refused_in_one_line(self) -> None:
        for words, expected in (
            (["--frobnicate"], "--frobnicate"),
            (["--profile", "reference"], "--profile: it is about a kernel of one process: leave mpirun out"),
            (["--count", "many"], "'many' is not a number of elements"),
            (["--vector", "2^40"], "from 0 to 268435456"),
            (["--timeout", "0"], "--timeout: '0': give a whole number from 1 to 1000000"),
        ):
            ran = alone(RANKS, *words)
            self.assertEqual((ran.returncode, ran.stdout), (2, ""))
            self.assertRegex(ran.stderr, "^ranks16: .*\n$")
            self.assertIn(expected, ran.stderr)

    def test_one_rank_with_other_words_is_named_by_all(self) -> None:
        same = ["--device", "emulator", "--count", 1000, "--vector", 10]
        for differs, expected in (
            (["--count", 1001], "do not agree on --count: rank 0 has 1000, rank 2 has 1001"),
            (["--type", "float"], "do not agree on --type: rank 0 has int, rank 2 has float"),
            (["--vector", 11], "do not agree on --vector: rank 0 has 10, rank 2 has 11"),
        ):
            first = dict(zip(same[::2], same[1::2], strict=True))
            other = [word for pair in {**first, differs[0]: differs[1]}.items() for word in pair]
            job = Job("-n", 2, CHAPTER, *same, ":", "-n", 1, CHAPTER, *other).end()
            self.check_refused(job, 3, expected)

    def test_one_rank_whose_words_are_wrong_stops_all(self) -> None:
        job = Job("-n", 1, CHAPTER, "--count", 10, ":", "-n", 1, CHAPTER, "--count", "ten").end()
        self.assertEqual(job.status, 2, job.said())
        self.assertIn("no sum, as rank 1 has failed", job.lines_of(0)[0])
        self.assertIn("'ten' is not a number", job.lines_of(1)[0])

    def test_help_is_printed_once(self) -> None:
        job = mpirun(3, "--help")
        self.assertEqual((job.status, job.errors), (0, ""), job.said())
        self.assertEqual(job.out.count("Usage: chapter16"), 1)

    def test_times_that_nobody_will_take_are_refused_before_the_sums(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "times.json"
            expected = "times of NCCL on GPUs, and there are none: this rank's device is emulated"
            # These sums would take longer than the job's time limit.
            self.check_refused(mpirun(2, "--count", "2^34", "--json", file), 2, expected)
            self.assertFalse(file.exists())

    def test_a_job_of_a_path_with_blanks_runs_from_another_folder(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            here = pathlib.Path(folder) / "my build of it"
            here.mkdir()
            typed = shutil.copy2(CHAPTER, here / "my chapter16")
            shutil.copy2(RANKS, here)
            job = Job("-n", 4, "--wdir", folder, typed, "--device", "emulator", "--count", 1001).end()
            self.assertEqual((job.status, job.errors), (0, ""), job.said())
            self.assertEqual(len(rows_of(job.out)), 4)
            job = Job("-n", 2, "--wdir", folder, typed, "--gpus", 2).end()
            self.assertRegex(job.errors, r"(?m)^my chapter16: rank 1 on \S+: --gpus: every rank has one")

    def test_another_launcher_than_that_of_its_mpi_is_noticed(self) -> None:
        ran = alone(CHAPTER, PMI_SIZE="4", PMI_RANK="1")
        self.assertEqual((ran.returncode, ran.stdout), (4, ""), ran.stderr)
        self.assertIn("the launcher started 4 processes, and each of them finds itself alone", ran.stderr)


class Faults(unittest.TestCase):
    def check_ended(self, job: Job, status: int, within: float = 15) -> None:
        self.assertEqual(job.status, status, job.said())
        self.assertLess(job.seconds, within, job.said())
        self.assertNotIn("The sum of all", job.out)

    def test_a_device_that_fails_is_told_to_all(self) -> None:
        job = mpirun(4, program=FAULTY, fault="fail 2")
        self.check_ended(job, 3)
        self.assertTrue(job.lines_of(2)[0].startswith("cudaErrorIllegalAddress"), job.said())
        for rank in (0, 1, 3):
            self.assertEqual(len(job.lines_of(rank)), 1, job.said())
            self.assertIn("no sum, as rank 2 has failed: cudaErrorIllegalAddress", job.lines_of(rank)[0])

    def test_an_exception_that_nobody_expected_is_told_in_a_line(self) -> None:
        job = mpirun(3, program=FAULTY, fault="throw 1")
        self.check_ended(job, 3)
        self.assertEqual(job.lines_of(1), ["an exception of no known kind"])
        self.assertIn("no sum, as rank 1 has failed: an exception of no known kind", job.lines_of(2)[0])
        job = mpirun(3, program=FAULTY, fault="throw_in_thread 1")
        self.check_ended(job, 4)
        self.assertEqual(
            job.lines_of(1),
            ["ended in the middle of its work: the host's memory is not enough: give a smaller --count or --vector"],
        )

    def test_a_device_that_is_not_there_is_told_to_all(self) -> None:
        hidden = ["env", "CUDA_VISIBLE_DEVICES="]
        job = Job("-n", 1, *hidden, CHAPTER, ":", "-n", 1, *hidden, CHAPTER, "--device", "gpu").end()
        self.check_ended(job, 3)
        self.assertIn("no NVIDIA GPU can be used", job.lines_of(1)[0])
        self.assertIn("no sum, as rank 1 has failed: no NVIDIA GPU can be used", job.lines_of(0)[0])

    def test_a_rank_that_dies_ends_the_job(self) -> None:
        for fault in ("die 1", "die_early 1"):
            job = mpirun(3, program=FAULTY, fault=fault)
            self.check_ended(job, 128 + signal.SIGKILL)
            # Either mpirun's message or another rank's: mpirun ends some ranks before they print, or prints nothing.
            self.assertRegex(job.errors, "exited on signal 9|told to end .* another rank has died or failed")

    def test_a_rank_that_leaves_without_a_word_ends_the_job(self) -> None:
        job = mpirun(3, "--timeout", 4, program=FAULTY, fault="leave 0")
        self.assertNotEqual(job.status, 0, job.said())
        self.assertLess(job.seconds, 15)

    def test_a_rank_that_is_killed_from_outside_ends_the_job(self) -> None:
        job = Job("-n", 3, FAULTY, "--device", "emulator", fault="stop 2")
        victim = self.stopped_process(job)
        os.kill(victim, signal.SIGKILL)
        job.end()
        self.check_ended(job, 128 + signal.SIGKILL)

    def test_a_rank_that_is_stuck_is_waited_for_no_longer_than_was_said(self) -> None:
        for fault, step in (("stop 1", "all sum their shares"), ("stop_early 1", "all start")):
            job = mpirun(3, "--timeout", 3, program=FAULTY, fault=fault)
            self.check_ended(job, 4)
            self.assertGreater(job.seconds, 3)
            self.assertRegex(job.errors, rf"waited 3 s for the other ranks: {step}. .*--timeout")

    def test_a_rank_that_is_only_slow_is_waited_for(self) -> None:
        job = mpirun(2, "--timeout", 20, program=FAULTY, fault="tarry 1")
        self.assertEqual(job.status, 0, job.said())
        self.assertGreater(job.seconds, 2)

    def test_a_wrong_sum_is_seen_by_all(self) -> None:
        job = mpirun(3, program=FAULTY, fault="miscount 1")
        self.assertEqual(job.status, 1, job.said())
        rows = [row[4:] for row in rows_of(job.out)]
        self.assertEqual(rows, [(own, "WRONG", "right") for own in ("right", "WRONG", "right")], job.out)
        self.assertIn("that is WRONG", job.out)
        for rank in range(3):
            self.assertIn("not everything is right", job.lines_of(rank)[0])

    def test_a_finding_of_the_emulator_is_an_error(self) -> None:
        job = mpirun(2, program=FAULTY, fault="read_unwritten 1")
        self.assertEqual(job.status, 1, job.said())
        self.assertEqual([row[4:] for row in rows_of(job.out)], [("right",) * 3] * 2, job.out)
        self.assertIn("not everything is right: see rank 1", job.lines_of(0)[0])
        self.assertIn("uninitialised copy", job.lines_of(1)[0])

    def test_nobody_stays_where_mpirun_is_ended(self) -> None:
        for sent in (signal.SIGTERM, signal.SIGKILL):
            job = Job("-n", 3, FAULTY, "--device", "emulator", fault="stop 2")
            victim = self.stopped_process(job)
            job.process.send_signal(sent)
            if sent == signal.SIGKILL:
                time.sleep(1)  # no process is left that could end the stopped one
                os.kill(victim, signal.SIGCONT)
            job.end()
            self.assertNotEqual(job.status, 0)
            self.assertLess(job.seconds, 20)

    def stopped_process(self, job: Job) -> int:
        """Waits until a rank of the job has stopped itself."""
        deadline = time.monotonic() + LONGEST_S
        while time.monotonic() < deadline:
            for line in processes_of(job.name):
                number = int(line.split(":")[0])
                try:
                    state = pathlib.Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
                except OSError:
                    continue
                if state == "T":
                    return number
            time.sleep(0.05)
        raise AssertionError("no rank has stopped")


class TwoHosts(unittest.TestCase):
    """This machine under two names, each with a daemon of Open MPI. They communicate by TCP."""

    def job(self, *words: object, fault: str = "") -> Job:
        if subprocess.run(["unshare", "--uts", "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("this user may give no process another host's name")
        # Open MPI splits the agent's path at blanks, and the path of this tree may contain blanks.
        with tempfile.TemporaryDirectory() as folder:
            agent = shutil.copy(pathlib.Path(__file__).with_name("as_host.sh"), folder)
            hosts = pathlib.Path(folder) / "hosts.txt"
            hosts.write_text("north slots=2\nsouthern slots=2\n")
            given = ["--hostfile", hosts, "-x", "RANK_JOB", "-x", "RANK_FAULT", "-n", 4]
            return Job(*given, *words, fault=fault, OMPI_MCA_plm_rsh_agent=f"sh {agent}").end()

    def test_ranks_of_two_hosts_take_the_devices_of_each(self) -> None:
        job = self.job(CHAPTER, "--device", "emulator", "--count", 1001, "--type", "float")
        self.assertEqual((job.status, job.errors), (0, ""), job.said())
        found = re.findall(r"^ +(\d)  (\w+) +(\d) of (\d): .* (\w+) +(\w+) +(\w+)$", job.out, re.MULTILINE)
        right = ("right",) * 3
        self.assertEqual(
            found,
            [("0", "north", "0", "2", *right), ("1", "north", "1", "2", *right),
             ("2", "southern", "0", "2", *right), ("3", "southern", "1", "2", *right)],
            job.out,
        )  # fmt: skip
        self.assertEqual(sum_in(job.out), sum_of_one_process(1001, "float"))

    def test_a_rank_that_dies_on_another_host_ends_the_job(self) -> None:
        job = self.job(FAULTY, "--device", "emulator", fault="die 3")
        self.assertEqual(job.status, 128 + signal.SIGKILL, job.said())
        self.assertNotIn("The sum of all", job.out)


class WithoutMpi(unittest.TestCase):
    def test_the_chapter_says_how_to_have_ranks_where_they_are_not_built(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "chapter16"
            shutil.copy2(CHAPTER, copy)
            launchers = (
                {"OMPI_COMM_WORLD_SIZE": "1", "OMPI_COMM_WORLD_RANK": "0"},
                {"PMI_SIZE": "2", "PMI_RANK": "0"},
                {"SLURM_NTASKS": "2", "PMIX_RANK": "0"},
            )
            for launcher in launchers:
                ran = alone(copy, **launcher)
                self.assertEqual((ran.returncode, ran.stdout, ran.stderr.count("\n")), (2, "", 1), launcher)
                self.assertIn("ranks16 cannot be run: No such file or directory. `make ranks` builds", ran.stderr)
            # Only rank 0 prints the message.
            ran = alone(copy, OMPI_COMM_WORLD_SIZE="2", OMPI_COMM_WORLD_RANK="1")
            self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (2, "", ""))

    def test_a_shell_that_slurm_has_started_is_no_launcher(self) -> None:
        for one in ({"PMI_SIZE": "1", "PMI_RANK": "0"}, {"SLURM_NTASKS": "1", "PMIX_RANK": "0"}, {"PMIX_RANK": "0"}):
            ran = alone(CHAPTER, "--help", **one)
            self.assertEqual(ran.returncode, 0, one)
            self.assertIn("--profile", ran.stdout)


if __name__ == "__main__":
    wanted = sys.argv[3:]
    if wanted != ["WithoutMpi"] and (MPIRUN is None or not RANKS.exists()):
        print("There is no MPI here, and so no ranks16: sh common/bootstrap/bootstrap.sh install mpi, and build again.")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *wanted])
