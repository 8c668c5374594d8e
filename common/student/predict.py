"""Asks for counts and limits of a chapter, and checks the answers against those of the program.

After a wrong answer the student gets a hint and a second try; after that the derivation is shown."""

from __future__ import annotations

from book.screen import say
from student import asked_of_time, memory, questions, settings
from student.answers import NoMore, answered
from student.choice import Choice
from student.notebook import Page
from student.reckoning import Question, number_in, shown
from student.settings import Setting
from student.workbook import Workbook


def derive(question: Question | Choice) -> None:
    if isinstance(question, Choice):
        say(f"   The model says {question.with_share(question.value)}. Each alone would take:")
        print(question.lines(), flush=True)
        return
    reckoned = question.derivation.value
    if question.is_right(reckoned):
        say(f"   The program counts {shown(question.value)}:")
    else:  # a different compiler may generate different code
        say(f"   The program counts {shown(question.value)}; as the lesson has it, it would be {shown(reckoned)}:")
    print(question.derivation.lines(), flush=True)


def judged(question: Question | Choice, more: bool) -> tuple[bool, str] | None:
    """Reads one answer. Returns whether it is right, and a reply; None if the student gives up. Raises NoMore."""
    if isinstance(question, Choice):
        chosen = answered(question.named, f"Write a number from 1 to {len(question.options)}, or a name.")
        if chosen is None:
            return None
        right = question.is_right(chosen)
        return right, question.with_share(chosen) if right else question.doubt(chosen, more)
    given = answered(number_in, "Write a number: 45, 1024, 2^14 or 3.5.")
    if given is None:
        return None
    right = question.is_right(given)
    return right, shown(question.value) if right else question.doubt(given, more)


def ask(question: Question | Choice) -> str:
    """Asks once or twice. Returns one of memory.RESULTS. Raises NoMore."""
    for result in memory.RIGHT:
        first = result == memory.FIRST
        verdict = judged(question, more=first)
        if verdict is None:
            break
        right, words = verdict
        if right:
            say(f"   Right: {words}.")
            return result
        say(f"   {words}{' Try once more.' if first else ''}")
    derive(question)
    return memory.WRONG


def asked_at(book: Workbook, number: int, names: list[str], setting: Setting) -> dict[str, Question | Choice]:
    """Prints a setting, and returns the questions with these names for it. Questions about times have a larger
    input."""
    report = book.report(number, "--device", "emulator", *setting.words())
    timed = None
    if set(names) & set(questions.TIMED):
        timed = book.report(number, *asked_of_time.words_of(setting.block_size))
    say(f"{questions.setting(report)} Count, then answer; the program counts, too.\n")
    return questions.of(book.chapter(number), report, timed)


def ask_all(book: Workbook, number: int, names: list[str]) -> list[str]:
    """Asks questions of a chapter for a setting that differs from the last one. Returns the results; if the input ends
    early, these are fewer than the names."""
    page = book.notebook.of(number)
    seed, today = settings.seed_of(book.notebook), memory.today()
    last = [entry["setting"] for name, entry in memory.asked(page).items() if name in names]
    setting = settings.choose(number, seed, page.get("rounds", 0), last)
    all_questions = asked_at(book, number, names, setting)
    results: list[str] = []
    page["rounds"] = page.get("rounds", 0) + 1
    for k, name in enumerate([one for one in names if one in all_questions], start=1):
        question = all_questions[name]
        say(f"{k}. {question.words}", 3)
        if isinstance(question, Choice):
            print(question.listed(), flush=True)
        try:
            result = ask(question)
        except NoMore:
            say("   No answer; the rest is not asked.")
            break
        results.append(result)
        memory.remember(page, name, result, setting, question.idea, today)
        book.notebook.save()
        print(flush=True)
    return results


def describe(results: list[str]) -> str:
    first, second = results.count(memory.FIRST), results.count(memory.SECOND)
    at = f", {first} at the first try" if second else ""
    return f"{first + second} of {len(results)} right{at}."


def predict(book: Workbook, number: int) -> int:
    names = list(book.chapter(number).predict)
    if not names:
        print(f"There are no questions for chapter {number}.")
        return 0
    today = memory.today()
    book.build(number)
    results = ask_all(book, number, names)
    say(describe(results))
    page: Page = book.notebook.of(number)
    if results:
        # The format that this file has always had: the number of right answers, and the number of questions.
        page["predictions"] = [len(results) - results.count(memory.WRONG), len(results)]
    book.notebook.save()
    waiting = memory.waiting(book.notebook.pages)
    if waiting and set(results) - {memory.FIRST}:
        say(f"`make review` asks the wrong ones again: {memory.in_words(waiting[0].day, today)}.")
    return 0
