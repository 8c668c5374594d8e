#!/usr/bin/env python3
"""The student's side of the workbook: hints, the reference beside one's own, starting over, progress.

    student.py hint N               one more hint of chapter N each time
    student.py diff N [--yes]       your kernel against the reference; before it passes, it asks once
    student.py reset N              the exercise as the chapter gave it; your version is kept beside it
    student.py progress             every chapter: not started, wrong, unsafe, goal missed, done
    student.py next                 the first chapter that is not done, and where to read
    student.py watch N              builds and tests chapter N whenever its file is saved
    student.py page N               once chapter N is done: yours, the reference and the library side by side
    student.py predict N            asks for counts of chapter N, and checks the answers against its own count

`make hintN`, `make diffN` … call it. What it remembers stands in .workbook/progress.json, which can be copied to
another machine. Exit status: 0; 1 where it did not do what was asked, such as to show the reference; 2 bad usage.
"""

import argparse
import difflib
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
# These stand beside this file.
import page as chapter_page  # noqa: E402
import questions  # noqa: E402
from keys import Keys  # noqa: E402
from screen import meanwhile, reflowed, say, wrapped  # noqa: E402


class Failure(Exception):
    """A message for the student."""


class NotBuilt(Failure):
    """What the compiler said."""


def load_generator(root):
    """The exercise generator of the tree, as a module: it knows which file a student edits and how it was given."""
    path = root / "common" / "tools" / "exercises" / "generate.py"
    spec = importlib.util.spec_from_file_location("generate", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Notebook:
    """What is remembered from call to call: a dictionary a chapter, in one plain file."""

    def __init__(self, root):
        self.path = root / ".workbook" / "progress.json"
        self.chapters = {}
        if self.path.exists():
            try:
                self.chapters = json.loads(self.path.read_text(encoding="utf-8"))["chapters"]
            except (json.JSONDecodeError, KeyError, TypeError) as error:
                raise Failure(f"{self.path} is not a file of this program ({error!r}). Move it away, and go on."
                              ) from error

    def of(self, number):
        return self.chapters.setdefault(str(number), {})

    def save(self):
        self.path.parent.mkdir(exist_ok=True)
        temporary = self.path.with_suffix(f".{os.getpid()}.tmp")
        temporary.write_text(json.dumps({"schema": 1, "chapters": self.chapters}, indent=1, sort_keys=True) + "\n",
                             encoding="utf-8")
        temporary.replace(self.path)


class Workbook:
    """The tree, its build folder, and the student's notebook."""

    def __init__(self, root, build):
        self.root = root
        self.build_folder = root / build
        self.generator = load_generator(root)
        self.notebook = Notebook(root)

    def numbers(self):
        return sorted(self.generator.folders("chapters"))

    def exercise(self, number):
        if number not in self.numbers():
            raise Failure(f"There is no chapter {number}. There are: {' '.join(map(str, self.numbers()))}")
        return self.generator.exercise_path(number)

    def title(self, number):
        heading = (self.exercise(number).parent / "README.md").read_text(encoding="utf-8").split("\n", 1)[0]
        return re.sub(r"^# *(Chapter \d+: *)?", "", heading)

    def touched(self, number):
        mine = self.exercise(number).read_text(encoding="utf-8")
        return not self.generator.same(mine, self.generator.exercise_text(number))

    def fingerprint(self, number):
        return hashlib.sha256(self.exercise(number).read_bytes()).hexdigest()[:16]

    def build(self, number):
        """Builds the chapter. Returns what the compiler said where it failed, as it said it; else nothing."""
        done = subprocess.run(["sh", "common/tools/bootstrap/build.sh", f"chapter{number}"], cwd=self.root, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, stdin=subprocess.DEVNULL)
        return done.stdout if done.returncode != 0 else None

    def program(self, number):
        return [str(self.build_folder / "bin" / f"chapter{number}")]

    def judge(self, number):
        """Returns the strict test's verdict: asked for again only where the file has changed since."""
        if not self.touched(number):
            return {"verdict": "not started"}
        page, print_ = self.notebook.of(number), self.fingerprint(number)
        if page.get("fingerprint") == print_ and "verdict" in page:
            return page
        if self.build(number) is not None:
            return {"verdict": "does not compile"}
        done = subprocess.run([*self.program(number), "--test", "--json", "-"], text=True, capture_output=True,
                              check=False, cwd=self.root, stdin=subprocess.DEVNULL)
        try:
            verdict = json.loads(done.stdout)
        except json.JSONDecodeError:
            return {"verdict": "crashed"}
        page["fingerprint"] = print_
        page["verdict"] = verdict["verdict"]
        page["goal"] = verdict.get("goal")
        page["first_seen_done"] = page.get("first_seen_done") or (
            time.strftime("%Y-%m-%d") if verdict["verdict"] == "done" else None)
        self.notebook.save()
        return page


def hint(book, number):
    text = (book.exercise(number).parent / "hints.md").read_text(encoding="utf-8")
    hints = [part.strip() for part in re.split(r"^## Hint \d+\n", text, flags=re.M)[1:]]
    page = book.notebook.of(number)
    seen = min(page.get("hints", 0) + 1, len(hints))
    for k, words in enumerate(hints[:seen], start=1):
        print(f"Hint {k} of {len(hints)}", "", *reflowed(words), "", sep="\n")
    if page.get("hints", 0) >= len(hints):
        say(f"These are all. `make diff{number}` shows your kernel beside the reference.")
    page["hints"] = seen
    book.notebook.save()
    return 0


def diff(book, number, yes):
    page = book.notebook.of(number)
    if book.judge(number)["verdict"] != "done" and not page.get("solution_shown") and not yes:
        if not sys.stdin.isatty():
            say(f"Your kernel of chapter {number} does not pass yet. `make diff{number} ARGS=--yes` shows the "
                "reference.")
            return 1
        if input("Your kernel does not pass yet. Show the reference all the same? [y/N] ").strip().lower() != "y":
            return 1
    page["solution_shown"] = True
    book.notebook.save()
    generator = book.generator
    reference = generator.without_markers(generator.solution_text(number))
    reference = reference.replace(f"chapter{number}::solution", f"chapter{number}::exercise")
    lines = list(difflib.unified_diff(book.exercise(number).read_text(encoding="utf-8").split("\n"),
                                      reference.split("\n"), "yours", "reference", lineterm=""))
    print("\n".join(lines) if lines else "Your kernel is the reference, letter by letter.")
    return 0


def reset(book, number):
    path = book.exercise(number)
    if not book.touched(number):
        say(f"{path.relative_to(book.root)} is as the chapter gave it.")
        return 0
    backup = path.with_name(path.name + time.strftime(".%Y%m%d-%H%M%S.bak"))
    k = 1
    while backup.exists():
        k += 1
        backup = path.with_name(path.name + time.strftime(f".%Y%m%d-%H%M%S-{k}.bak"))
    path.replace(backup)
    path.write_text(book.generator.exercise_text(number), encoding="utf-8")
    say(f"{path.relative_to(book.root)} is as the chapter gave it. Your version is in {backup.name} beside it.")
    return 0


def progress(book):
    for number in book.numbers():
        meanwhile(f"chapter {number} …")
        page = book.judge(number)
        meanwhile()
        print(f"{number:>3}  {book.title(number)[:44]:<44}  {page['verdict']}")
        goal, remembered, remarks = page.get("goal") or {}, book.notebook.of(number), []
        if page["verdict"] == "goal missed" and goal.get("yours") is not None:
            remarks.append(f"{goal['metric']}: {goal['yours']:g}, wanted {goal['target']:g}")
        if remembered.get("hints"):
            remarks.append(f"{remembered['hints']} hint{'s' if remembered['hints'] > 1 else ''}")
        if remembered.get("predictions"):
            right, asked = remembered["predictions"]
            remarks.append(f"{right} of {asked} predictions right")
        if remarks:
            say("       " + "; ".join(remarks))
    return 0


def next_chapter(book):
    for number in book.numbers():
        if book.judge(number)["verdict"] != "done":
            folder = book.exercise(number).parent.relative_to(book.root)
            say(f"Chapter {number}: {book.title(number)}\n  read {folder}/README.md\n"
                f"  edit {book.exercise(number).name} beside it\n  run  make chapter{number}, then make test{number}")
            return 0
    print("All chapters are done.")
    return 0


def watch(book, number, rounds):
    """`rounds`: how many times to answer, for tests; 0 is without end."""
    path, seen, answered = book.exercise(number), None, 0
    with_enter = "" if sys.stdin.isatty() else ", each with Enter"
    say(f"Watching {path.relative_to(book.root)}.\nKeys: h a hint, n the next chapter, q quit{with_enter}.")
    with Keys() as keys:
        while rounds == 0 or answered < rounds:
            now = path.stat().st_mtime_ns if path.exists() else None
            if now is not None and now != seen:
                seen = now
                complaint = book.build(number)
                if complaint is not None:
                    print(complaint, flush=True)
                else:
                    subprocess.run([*book.program(number), "--test"], check=False, cwd=book.root,
                                   stdin=subprocess.DEVNULL)
                answered += 1
                continue
            key = keys.pressed(0.2)
            if key == "q":
                break
            if key == "h":
                hint(book, number)
            if key == "n":
                next_chapter(book)
            sys.stdout.flush()
    return 0


def show_page(book, number):
    """What opens up behind a chapter that is done."""
    if book.judge(number)["verdict"] != "done":
        say(f"The page of chapter {number} opens when it is done: `make test{number}` says what is missing.")
        return 1
    complaint = book.build(number)
    if complaint is not None:
        raise NotBuilt(complaint)
    reference = book.generator.without_markers(book.generator.solution_text(number))
    lesson = (book.exercise(number).parent / "README.md").read_text(encoding="utf-8")
    try:
        print(chapter_page.page(book.title(number), number, book.program(number), book.root,
                        book.exercise(number).read_text(encoding="utf-8"),
                        reference.replace(f"chapter{number}::solution", f"chapter{number}::exercise"), lesson))
    except chapter_page.Unreadable as error:
        raise Failure(str(error)) from error
    return 0


def predict(book, number):
    complaint = book.build(number)
    if complaint is not None:
        raise NotBuilt(complaint)
    done = subprocess.run([*book.program(number), "--device", "emulator", "--json", "-"], text=True,
                          capture_output=True, check=False, cwd=book.root, stdin=subprocess.DEVNULL)
    try:
        report = json.loads(done.stdout)
    except json.JSONDecodeError as error:
        raise Failure(f"chapter{number} gave no report:\n{done.stderr}") from error
    asked = questions.of(number, report)
    if not asked:
        print(f"There are no questions for chapter {number}.")
        return 0
    right = 0
    say(f"{questions.setting(report)} Count, then answer; the program counts, too.\n")
    for k, question in enumerate(asked, start=1):
        say(f"{k}. {question.words}", 3)
        answer = input("   > ").strip() if sys.stdin.isatty() else sys.stdin.readline().strip()
        good, words = question.check(answer)
        right += good
        say(f"   {words}\n")
    print(f"{right} of {len(asked)} right.")
    book.notebook.of(number)["predictions"] = [right, len(asked)]
    book.notebook.save()
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--root", type=pathlib.Path, default=HERE.parents[2], help="the tree (default: this one)")
    parser.add_argument("--build", default=os.environ.get("WORKBOOK_BUILD_DIR", "build"), help="the build folder")
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("hint", "diff", "reset", "watch", "predict", "page"):
        command = commands.add_parser(name)
        command.add_argument("number", type=int)
        if name == "diff":
            command.add_argument("--yes", action="store_true", help="do not ask")
        if name == "watch":
            command.add_argument("--rounds", type=int, default=0, help=argparse.SUPPRESS)
    commands.add_parser("progress")
    commands.add_parser("next")
    words = parser.parse_args()
    try:
        book = Workbook(words.root.resolve(), words.build)
        actions = {"hint": lambda: hint(book, words.number), "diff": lambda: diff(book, words.number, words.yes),
                   "reset": lambda: reset(book, words.number), "watch": lambda: watch(book, words.number, words.rounds),
                   "predict": lambda: predict(book, words.number), "page": lambda: show_page(book, words.number),
                   "progress": lambda: progress(book),
                   "next": lambda: next_chapter(book)}
        return actions[words.command]()
    except Failure as failure:
        print(failure if isinstance(failure, NotBuilt) else wrapped(str(failure)), file=sys.stderr)
        return 2
    except (KeyboardInterrupt, EOFError):
        print()
        return 1


if __name__ == "__main__":
    sys.exit(main())
