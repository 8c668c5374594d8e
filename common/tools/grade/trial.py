"""One exercise before its judge. The judge holds the input, the emulated device and the verdict, and none of the
student's host code; that runs in another process, which can only ask for CUDA calls (docs/decisions/006)."""

import json
import os
import pathlib
import socket
import subprocess
import tempfile
import time

import children

SECONDS = 120
JUDGE = children.Limits(seconds=2 * SECONDS, data=8 << 30)
HOST = children.Limits(seconds=60, address_space=2 << 30, file_bytes=0)


class Court:
    """Runs trials."""

    def __init__(self, build, view, seed, host_threads=0):
        self.build, self.view, self.seed, self.host_threads = build, view, seed, host_threads
        self.host = build / "bin/exercise_host"
        facts = json.loads((build / "grade/compiler.json").read_text(encoding="utf-8"))
        # The sanitizers reserve more than any limit.
        self.limits = children.Limits(seconds=JUDGE.seconds) if facts["sanitized"] else JUDGE

    def confinement(self):
        """How far this system lets the host process confine itself, as it says."""
        done = subprocess.run([self.host, "--confinement"], capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL)
        return done.stdout.split() if done.returncode == 0 else []

    def seed_for(self, chapter):
        """Each chapter has an input of its own."""
        return (self.seed * 1009 + chapter.number * 7919) % 10**15

    def hear(self, chapter, compiled):
        """Has the judge of `chapter` hear a compiled exercise. Returns its record, or words on why there is none."""
        begin = time.monotonic()
        with tempfile.TemporaryDirectory(dir=self.build / "grade/scratch") as place:
            record, words = self._hear_in(pathlib.Path(place), chapter, compiled)
        return record, words, time.monotonic() - begin

    def _hear_in(self, place, chapter, compiled):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        verdict, log = place / "verdict.json", place / "log"
        command = [chapter.judge, "--device", "emulator", "--test", "--to-the-end", "--seed", self.seed_for(chapter),
                   "--json", verdict]
        started = []
        try:
            with ours, theirs, open(log, "wb") as out:
                judge = children.start(command, self.limits, stdin=ours, stdout=subprocess.DEVNULL, stderr=out,
                                       env={**os.environ, "WORKBOOK_JUDGE_DEVICE_CODE": str(compiled.device_code)})
                started.append(judge)
                started.append(children.start(
                    self.view.around([str(self.host), str(compiled.library)], []), HOST, stdin=theirs,
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/",
                    env={"PATH": os.environ.get("PATH", "")}))
            try:
                status = judge.wait(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                return None, f"no verdict after {SECONDS} seconds"
        finally:
            for child in started:
                children.end(child)
        if status in (0, 1) and verdict.exists():
            return json.loads(verdict.read_text(encoding="utf-8")), ""
        said = children.text_of(log, 2000).strip().split("\n")[-1][:200]
        return None, f"the judge could not finish ({children.words_for(status)}{': ' + said if said else ''})"
