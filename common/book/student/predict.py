"""Asks for counts of a chapter, and checks the answers against the program's own count.

A wrong answer gets a second try, with a word on what may have been overlooked; then the derivation is shown."""

from __future__ import annotations

from book.screen import say
from book.student import answers, memory, questions, settings
from book.student.answers import NoMore
from book.student.notebook import Page
from book.student.reckoning import Question, shown
from book.student.workbook import Workbook


def derive(question: Question) -> None:
    reckoned = question.derivation.value
    if question.is_right(reckoned):
        say(f"   The program counts {shown(question.value)}:")
    else:  # another compiler may make another kernel of it
        say(f"   The program counts {shown(question.value)}; as the lesson has it, it would be {shown(reckoned)}:")
    print(question.derivation.lines(), flush=True)


def ask(question: Question) -> str:
    """Asks once or twice. Returns one of memory.RESULTS. Raises NoMore."""
    for result in memory.RIGHT:
        given = answers.number()
        if given is None:
            break
        if question.is_right(given):
            say(f"   Right: {shown(question.value)}.")
            return result
        if result == memory.FIRST:
            say(f"   {question.doubt(given)} Try once more.")
        else:
            say(f"   {question.doubt(given, more=False)}")
    derive(question)
    return memory.WRONG


def ask_all(book: Workbook, number: int, names: list[str]) -> list[str]:
    """Asks some questions of a chapter at values that they were not asked at before. Returns what became of them: fewer
    results than names where the answers ended."""
    chapter = book.chapter(number)
    page = book.notebook.of(number)
    seed, today = settings.seed_of(book.notebook), memory.today()
    last = [entry["setting"] for name, entry in memory.asked(page).items() if name in names]
    setting = settings.choose(number, seed, page.get("rounds", 0), last)
    report = book.report(number, "--device", "emulator", *setting.words())
    all_questions = questions.of(chapter, report)
    results: list[str] = []
    say(f"{questions.setting(report)} Count, then answer; the program counts, too.\n")
    page["rounds"] = page.get("rounds", 0) + 1
    for k, name in enumerate(names, start=1):
        question = all_questions[name]
        say(f"{k}. {question.words}", 3)
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


def told(results: list[str]) -> str:
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
    say(told(results))
    page: Page = book.notebook.of(number)
    if results:
        # As it always was in this file: how many were right, and how many were asked.
        page["predictions"] = [len(results) - results.count(memory.WRONG), len(results)]
    book.notebook.save()
    due = memory.next_due(book.notebook.pages)
    if due and set(results) - {memory.FIRST}:
        say(f"`make review` asks again what was wrong: {memory.in_words(due, today)}.")
    return 0
