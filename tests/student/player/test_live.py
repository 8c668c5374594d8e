"""Tests `make liveN`: the page follows the file through errors, races and hangs, the server answers only its own pages,
and nothing is left afterwards."""

from __future__ import annotations

import http.client
import json
import pathlib
import signal
import sys
import time
import typing
import unittest
import urllib.parse
import urllib.request

import browser
import live_tree

BUILD = pathlib.Path(sys.argv.pop(1))
NEVER_ENDS_ON_HOST = "  volatile bool forever = true;\n  while (forever) {\n  }\n"
LAUNCH = "  const unsigned grid_size"
BARRIER = "    __syncthreads();  // this step's sums"


def text(name: str) -> str:
    return f"document.getElementById('{name}').textContent"


class Follows(unittest.TestCase):
    """Uses one tree, one server and one browser for all tests."""

    tree: live_tree.LiveTree
    live: live_tree.Live
    shown: browser.Browser

    @classmethod
    def setUpClass(cls) -> None:
        cls.tree = live_tree.make_tree(cls, BUILD)
        cls.live = live_tree.Live(cls.tree)
        cls.addClassCleanup(cls.live.close)
        cls.shown = browser.Browser()
        cls.addClassCleanup(cls.shown.close)

    def setUp(self) -> None:
        # Each test starts with a correct kernel.
        self.save(self.tree.right)
        self.shown.go(self.live.address)
        self.wait_for("done")

    def tearDown(self) -> None:
        self.assertEqual(self.shown.complaints, [])
        foreign = [url for url in self.shown.requests if not url.startswith((self.live.address, "about:", "data:"))]
        self.assertEqual(foreign, [])

    def save(self, words: str, by_rename: bool = False) -> None:
        self.tree.save(words, by_rename)

    def wait_for(self, verdict: str, shown: browser.Browser | None = None) -> None:
        """Waits for the verdict on the newest version, and for everything else that belongs to this version."""
        file = self.tree.exercise
        lines = file.read_text(encoding="utf-8").split("\n") if file.is_file() else []
        newest = "[...document.querySelectorAll('#source code')].map((code) => code.textContent)"
        stage = "the file cannot be read." if verdict == "cannot be read" else "done."
        at_rest = f"{text('verdict')} === '{verdict}' && {text('stage')}.endsWith('{stage}')"
        fresh = f"document.querySelector('#of-verdict .age').hidden && String({newest}) === String({json.dumps(lines)})"
        (shown or self.shown).wait_for(f"{at_rest} && {fresh}")

    def notes(self, kind: str) -> list[tuple[int, str]]:
        """Returns the notes of a kind. For each note, returns the number of the line above it, and its text."""
        found = self.shown.value(
            f"[...document.querySelectorAll('#source .{kind}')].map((note) => {{ let row = note;"
            " while (!row.classList.contains('line')) row = row.previousElementSibling;"
            " return [Number(row.querySelector('b').textContent), note.textContent]; })"
        )
        return [(int(line), str(words)) for line, words in found]

    def in_player(self, expression: str) -> typing.Any:
        """Returns the value of a JavaScript expression in the player's page, after waiting until the page is loaded."""
        self.shown.wait_for("document.getElementById('player').contentDocument?.getElementById('now')?.textContent")
        return self.shown.value(
            f"(function(document) {{ return {expression}; }})(document.getElementById('player').contentDocument)"
        )

    def test_from_an_error_at_its_line_to_a_race_at_its_line_to_a_kernel_that_is_right(self) -> None:
        self.save(self.tree.given)
        self.wait_for("not started")
        # The player's frame is loaded separately, after the verdict has arrived.
        self.shown.wait_for("document.getElementById('player').contentDocument?.getElementById('kernel')?.textContent"
                            ".includes('reduce_interleaved')")  # fmt: skip
        self.shown.value("window.here = 'not loaded again'")

        self.save(self.tree.right.replace("if (tid == 0)", "if (tidd == 0)"))
        self.wait_for("does not compile")
        ((line, words),) = self.notes("error")
        self.assertEqual(line, self.tree.line_of("tidd"))
        self.assertIn('identifier "tidd" is undefined', words)
        self.assertIn("1 error detected", self.shown.value(text("compiler")))
        # Parts that still show the previous version are marked as such.
        self.assertFalse(self.shown.value("document.querySelector('#of-player .age').hidden"))

        self.save(self.tree.right.replace(BARRIER, "    // this step's sums"))
        self.wait_for("unsafe")
        line = self.tree.line_of("tile[index] +=")
        self.assertEqual([number for number, _ in self.notes("finding")], [line])
        self.assertIn("racecheck: Thread 1 reads tile[4]", self.notes("finding")[0][1])
        self.assertEqual(self.notes("error"), [])
        self.assertTrue(self.shown.value("document.getElementById('of-compiler').hidden"))
        self.assertTrue(self.shown.value("document.querySelector('#of-player .age').hidden"))
        self.shown.wait_for("document.getElementById('player').contentDocument.getElementById('findings')"
                            ".textContent.includes('no barrier orders')")  # fmt: skip
        self.in_player("document.getElementById('finding').click()")
        self.assertIn("Finding: read-after-write race", self.in_player(text("now")))
        step = self.in_player(text("now")).split()[1]
        self.in_player("document.getElementById('asks').click()")

        self.save(self.tree.right.replace("// Write one", "int never_used;\n  // Write one"))
        self.wait_for("done")
        ((line, words),) = self.notes("warning")
        self.assertEqual((line, "never_used" in words), (self.tree.line_of("int never_used;"), True), words)
        self.assertIn("never_used", self.shown.value(text("compiler")))

        self.save(self.tree.right)
        self.wait_for("done")
        self.assertEqual(self.notes("finding") + self.notes("error") + self.notes("warning"), [])
        self.assertTrue(self.shown.value("document.getElementById('of-compiler').hidden"))
        self.assertIn("wanted 12, before 47, yours 12", self.shown.value(text("goal")))
        self.assertIn("Predicted for an NVIDIA H200", self.shown.value(text("time")))
        self.assertIn("Passed: right, clean, and the goal reached.", self.shown.value(text("test")))
        self.assertIn("Launch Statistics", self.shown.value(text("profile")))
        line = self.tree.line_of("tile[index] +=")
        self.assertTrue(any(number == line and "bank" in words for number, words in self.notes("cost")))
        # The player stays at its step, and does not begin to ask questions.
        self.shown.wait_for("document.getElementById('player').contentDocument.getElementById('findings')"
                            ".textContent.includes('no barrier orders') === false")  # fmt: skip
        self.shown.wait_for("!document.getElementById('player').contentDocument.getElementById('asks').checked")
        self.assertEqual(self.in_player(text("now")).split()[1], step)
        self.assertEqual(self.shown.value("window.here"), "not loaded again")
        self.check_that_a_question_skipped_in_the_frame_counts_as_a_prediction()

    def check_that_a_question_skipped_in_the_frame_counts_as_a_prediction(self) -> None:
        self.in_player("(document.getElementById('asks').checked = true, document.getElementById('first').click())")
        for _ in range(400):
            if not self.in_player("document.getElementById('question').hidden"):
                break
            self.in_player("document.getElementById('forward').click()")
        self.in_player("document.getElementById('skip').click()")
        notebook, until = self.tree.root / ".workbook/progress.json", time.monotonic() + live_tree.SECONDS
        while not notebook.exists() or "player: bank" not in notebook.read_text(encoding="utf-8"):
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)
        self.assertIn('"wrong"', notebook.read_text(encoding="utf-8"))

    def test_a_kernel_or_a_host_function_that_hangs_does_not_hold_up_the_next_version(self) -> None:
        self.save(self.tree.right.replace("stride *= 2", "stride *= 1"))
        self.shown.wait_for(f"{text('verdict')} === 'wrong'")
        line = self.tree.line_of("tile[index] +=")
        self.assertIn("An endless loop", dict(self.notes("finding"))[line])
        self.save(self.tree.right.replace(LAUNCH, NEVER_ENDS_ON_HOST + LAUNCH))
        self.shown.wait_for(f"{text('stage')}.endsWith('running …') && {text('source')}.includes('forever')")
        self.save(self.tree.right)
        self.wait_for("done")
        self.assertFalse([words for words in self.tree.processes() if "chapter2" in words])

    def test_a_test_that_takes_long_says_how_far_it_is(self) -> None:
        # This kernel prints about a hundred million lines.
        prints = '  for (int k = 0; k < 100; ++k) printf("%d %d\\n", k, threadIdx.x);\n'
        load = next(line for line in self.tree.right.split("\n") if line.startswith("  tile[tid] ="))
        self.save(self.tree.right.replace(load, prints + load).replace("cstddef>", "cstdio>"))
        self.shown.wait_for(f"{text('verdict')} === 'still testing'")
        self.shown.wait_for(f"{text('goal')}.includes('will be stopped after 120 s')")
        self.shown.wait_for(f"{text('test')}.includes('int, blocks of 256')")
        self.save("")
        self.wait_for("does not compile")
        self.assertIn("This file is empty. `make reset2`", dict(self.notes("error"))[1])
        self.save(self.tree.right)
        self.wait_for("done")

    def test_a_program_that_crashes_or_prints_for_ever_is_told_in_words(self) -> None:
        self.save(self.tree.right.replace(LAUNCH, "  std::abort();\n" + LAUNCH).replace("cstddef>", "cstdlib>"))
        self.wait_for("crashed")
        self.assertIn("chapter2 ended by itself: it was ended by SIGABRT.", self.shown.value(text("test")))
        self.assertIn("ended by itself", self.shown.value(text("no-player")))
        chatter = "  for (const std::string many(1 << 16, 'x');;) std::cerr << many << \"\\n\";\n"
        self.save(self.tree.right.replace(LAUNCH, chatter + LAUNCH).replace("cstddef>", "iostream>\n#include <string>"))
        self.wait_for("crashed")
        self.assertIn("it prints without end", self.shown.value(text("test")))
        self.assertLess(len(self.shown.value(text("test"))), 300_000)

    def test_a_file_that_vanishes_and_comes_back_and_one_that_takes_its_name_are_followed(self) -> None:
        self.tree.exercise.unlink()
        self.wait_for("cannot be read")
        self.assertIn("reduce.cuh is missing", self.shown.value(text("goal")))
        self.tree.exercise.mkdir()
        self.shown.wait_for(f"{text('goal')}.includes('is a folder')")
        self.wait_for("cannot be read")  # the verdict on this version, without an older one's source
        self.tree.exercise.rmdir()
        self.save(self.tree.right)
        self.wait_for("done")
        self.save(self.tree.right.replace("if (tid == 0)", "if (tidd == 0)"), by_rename=True)
        self.wait_for("does not compile")
        self.save(self.tree.right, by_rename=True)
        self.wait_for("done")

    def test_two_browsers_see_the_same(self) -> None:
        with browser.Browser() as other:
            other.go(self.live.address)
            self.wait_for("done", other)
            self.save(self.tree.right.replace("if (tid == 0)", "if (tidd == 0)"))
            for shown in (self.shown, other):
                self.wait_for("does not compile", shown)
            self.save(self.tree.right)
            for shown in (self.shown, other):
                self.wait_for("done", shown)
            self.assertEqual(other.complaints, [])

    def test_what_the_student_writes_is_shown_as_text_and_never_run(self) -> None:
        trick = "<img src=x onerror='window.tricked=1'><script>window.tricked=1</script>"
        self.save(self.tree.right + f"// {trick}\n")
        self.wait_for("done")
        self.assertIn(trick, self.shown.value(text("source")))
        self.assertIsNone(self.shown.value("window.tricked || null"))
        # The policies must not allow inline scripts in either page.
        for where in ("document", "document.getElementById('player').contentDocument"):
            self.shown.value(
                f"(() => {{ const made = {where}.createElement('script'); made.textContent = 'top.tricked = 1';"
                f" {where}.body.append(made); }})()"
            )
        self.assertIsNone(self.shown.value("window.tricked || null"))
        refused = [words for words in self.shown.complaints if "Content Security Policy" in words]
        self.assertEqual(len(refused), 2)
        self.shown.complaints.clear()

    def test_it_fits_every_width_and_the_lesson_is_a_page(self) -> None:
        for width in (390, 1280, 2560):
            for dark in (False, True):
                self.shown.look(width, 900, dark)
                self.assertLessEqual(self.shown.value("document.documentElement.scrollWidth"), width)
        self.shown.look(1280, 900)
        self.shown.go(self.live.address + "lesson")
        self.assertIn("A strided index", self.shown.value("document.body.textContent"))


class Guard(unittest.TestCase):
    """Tests which requests are not answered."""

    tree: live_tree.LiveTree
    live: live_tree.Live

    @classmethod
    def setUpClass(cls) -> None:
        cls.tree = live_tree.make_tree(cls, BUILD)
        cls.live = live_tree.Live(cls.tree)
        cls.addClassCleanup(cls.live.close)

    def ask(self, path: str, method: str = "GET", **headers: str) -> tuple[int, str]:
        """Sends a request exactly as given. Returns the status and text of the answer."""
        port = urllib.parse.urlsplit(self.live.address).port
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        try:
            connection.putrequest(method, path, skip_host="Host" in headers)
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.endheaders()
            answer = connection.getresponse()
            return answer.status, answer.read1(1 << 20).decode()  # for a stream, the part that has arrived
        finally:
            connection.close()

    def test_who_does_not_know_the_address_gets_nothing(self) -> None:
        address = urllib.parse.urlsplit(self.live.address)
        own, port = address.path, address.port
        self.assertEqual(self.ask(own)[0], 200)
        self.assertEqual(self.ask(own, Host=f"localhost:{port}")[0], 200)
        self.assertEqual(self.ask(own, Origin=f"http://{address.netloc}")[0], 200)
        token = own.strip("/")
        other = ("A" if token[0] != "A" else "B") + token[1:]
        evil = "evil.example"
        requests: list[tuple[str, dict[str, str]]] = [
            ("/", {}),
            ("/events", {}),
            (f"/{token}", {}),
            (f"/{token[:-1]}/", {}),
            (f"/{other}/", {}),
            (f"/{other}/events", {}),
            (f"//{token}/", {"Host": f"{evil}:{port}"}),
            (own, {"Host": f"{evil}:{port}"}),
            (own, {"Host": evil}),
            (own, {"Host": "127.0.0.1"}),
            (own, {"Host": ""}),
            (own + "events", {"Origin": f"http://{evil}"}),
            (own + "events", {"Origin": "null"}),
            (own + "events", {"Origin": f"http://{address.hostname}:{port + 1}"}),
            (own, {"Content-Length": "0"}),
            (f"http://{evil}{own}", {}),
        ]
        for path, headers in requests:
            with self.subTest(path=path, **headers):
                status, said = self.ask(path, **headers)
                self.assertEqual(status, 403)
                self.assertNotIn(token, said)
        for method in ("PUT", "DELETE", "OPTIONS", "HEAD"):
            self.assertEqual(self.ask(own, method)[0], 501)

    def test_only_our_page_may_say_what_was_answered_and_only_what_there_is(self) -> None:
        address = urllib.parse.urlsplit(self.live.address)
        evil = "evil.example"
        own, ours = address.path, {"Origin": f"http://{address.netloc}", "Content-Length": "0"}
        refused: list[tuple[str, dict[str, str]]] = [
            (own + "answered/bank/first", {}),
            (own + "answered/bank/first", {"Origin": f"http://{evil}", "Content-Length": "0"}),
            (own + "answered/bank/first", {**ours, "Content-Length": "5"}),
            ("/answered/bank/first", ours),
        ]
        for path, headers in refused:
            self.assertEqual(self.ask(path, "POST", **headers)[0], 403, (path, headers))
        for path in ("answered/banana/first", "answered/bank/third", "answered/bank", "answered", "", "player",
                     "answered/bank/first/../../x", "answered/" + "x" * 4000 + "/first"):  # fmt: skip
            self.assertEqual(self.ask(own + path, "POST", **ours)[0], 404, path[:40])
        notebook = self.tree.root / ".workbook/progress.json"
        known = json.loads(notebook.read_text(encoding="utf-8"))["chapters"] if notebook.exists() else {}
        self.assertNotIn("asked", known.get("2", {}))
        self.assertEqual(self.ask(own + "answered/bank/second", "POST", **ours), (200, "Noted."))
        self.assertEqual(self.ask(own + "answered/lanes/wrong", "POST", **ours), (200, "Noted."))
        asked = json.loads(notebook.read_text(encoding="utf-8"))["chapters"]["2"]["asked"]
        self.assertEqual({name: one["result"] for name, one in asked.items()},
                         {"player: bank": "second", "player: lanes": "wrong"})  # fmt: skip

    def test_no_path_becomes_a_file(self) -> None:
        own = urllib.parse.urlsplit(self.live.address).path
        for path in ("../../../../etc/passwd", "..%2f..%2fetc/passwd", "/etc/passwd", "live.html", "../Makefile",
                     "player/../live.js", "reduce.cuh", "%2e%2e/%2e%2e/Makefile", "..\\Makefile", "server.py",
                     "./live.js", "live.js%00"):  # fmt: skip
            with self.subTest(path):
                status, said = self.ask(own + path)
                self.assertEqual((status, said), (404, "There is nothing here."))

    def test_every_page_has_a_strict_policy(self) -> None:
        for name in ("", "live.js", "live.css", "lesson", "player"):
            until = time.monotonic() + live_tree.SECONDS
            while self.ask(urllib.parse.urlsplit(self.live.address).path + name)[0] != 200:
                self.assertLess(time.monotonic(), until)  # the player has not been made yet
                time.sleep(0.1)
            with urllib.request.urlopen(self.live.address + name, timeout=20) as answer:
                policy = answer.headers["Content-Security-Policy"]
                self.assertTrue(policy.startswith("default-src 'none'"), name)
                self.assertIn("frame-ancestors", policy)
                self.assertNotRegex(policy, r"unsafe-eval|\*|https?:|script-src [^;]*'unsafe-inline'")
                self.assertEqual(answer.headers["Referrer-Policy"], "no-referrer")


class Ends(unittest.TestCase):
    """Tests that no process is left, whatever is running when make ends. live_tree.Live.end() checks this."""

    tree: live_tree.LiveTree

    @classmethod
    def setUpClass(cls) -> None:
        cls.tree = live_tree.make_tree(cls, BUILD)

    def begin(self, stage: str) -> tuple[live_tree.Live, typing.Any]:
        """Starts `make live2` and waits until it has reached this stage. Returns it, with its stream of events."""
        live = live_tree.Live(self.tree)
        self.addCleanup(live.close)
        stream = urllib.request.urlopen(live.address + "events", timeout=live_tree.SECONDS)
        self.addCleanup(stream.close)
        while live_tree.state_of(stream)["stage"] != stage:
            pass
        return live, stream

    def test_it_ends_at_rest_while_it_builds_and_while_it_runs(self) -> None:
        hangs = self.tree.right.replace(LAUNCH, NEVER_ENDS_ON_HOST + LAUNCH)
        slow = self.tree.root / "slow"
        right = self.tree.right
        for stage, words, seconds in (("ready", right, 0), ("building", right, 60), ("running", hangs, 0)):
            for number, group in ((signal.SIGTERM, False), (signal.SIGINT, True), (signal.SIGHUP, True)):
                with self.subTest(stage, signal=number):
                    slow.write_text(str(seconds), encoding="utf-8")
                    self.tree.save(words)
                    live, stream = self.begin(stage)
                    begun = time.monotonic()
                    live.end(number, group)
                    self.assertLess(time.monotonic() - begun, 20)
                    self.assertIn(b"event: end", stream.read())

    def test_the_page_says_that_it_has_ended(self) -> None:
        (self.tree.root / "slow").write_text("0", encoding="utf-8")
        self.tree.save(self.tree.right)
        live, _ = self.begin("ready")
        with browser.Browser() as shown:
            shown.go(live.address)
            shown.wait_for(f"{text('verdict')} === 'done'")
            self.assertTrue(shown.value("document.getElementById('lost').hidden"))
            live.end()
            shown.wait_for("!document.getElementById('lost').hidden")
            self.assertIn("make live2", shown.value(text("lost")))


if __name__ == "__main__":
    unittest.main()
