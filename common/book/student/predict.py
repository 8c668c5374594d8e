"""Asks for counts of a chapter, and checks the answers against the program's own count."""

from __future__ import annotations

import sys

from book.screen import say
from book.student import questions
from book.student.workbook import Workbook


def predict(book: Workbook, number: int) -> int:
    chapter = book.chapter(number)
    book.build(number)
    report = book.report(number, "--device", "emulator")
    asked = questions.of(chapter, report)
    if not asked:
        print(f"There are no questions for chapter {number}.")
        return 0
    right = 0
    say(f"{questions.setting(report)} Count, then answer; the program counts, too.\n")
    for k, question in enumerate(asked, start=1):
        say(f"{k}. {question.words}", 3)
        answer = input("   > ") if sys.stdin.isatty() else sys.stdin.readline()
        good, words = question.check(answer.strip())
        right += good
        say(f"   {words}\n")
    print(f"{right} of {len(asked)} right.")
    book.notebook.of(number)["predictions"] = [right, len(asked)]
    book.notebook.save()
    return 0
