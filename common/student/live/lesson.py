"""The chapter's lesson as a self-contained page with embedded pictures: python3 -m student.live.lesson N

Exit status: 0; 77 if Python-Markdown is not installed.
"""

from __future__ import annotations

import html
import importlib.util
import subprocess
import sys

from book import manifest
from student.workbook import Workbook

TEXT, HTML = "text/plain; charset=utf-8", "text/html; charset=utf-8"


def page_of(chapter: manifest.Chapter) -> str:
    """Returns the lesson as HTML that loads no other file."""
    from book import one_page, page_html  # only here: it needs Python-Markdown

    path = chapter.lesson_path()

    def place(target: str, picture: bool) -> str | None:
        if picture:
            return one_page.data_url((path.parent / target).resolve())
        # Other pages are not served, so links to them become plain text.
        return target if target.startswith("#") else None

    title = html.escape(f"Chapter {chapter.number}: {chapter.title}")
    head = f'<link rel="icon" href="data:,">\n<style>{one_page.LOOK}{page_html.highlighting(dark=False)}</style>'
    text = page_html.html(path.read_text(encoding="utf-8"), place)
    return one_page.document(title, head, f"<h1>{title}</h1>\n{text}")


def lesson(book: Workbook, number: int) -> tuple[str, bytes]:
    """Returns the lesson's media type and its contents: HTML, or Markdown if no Python here has Python-Markdown."""
    # Runs in a separate process, because a different Python may have Python-Markdown.
    command = ["sh", "common/book/python.sh", "markdown", "-m", "student.live.lesson", str(number)]
    made = subprocess.run(command, cwd=book.root, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    if made.returncode == 0:
        return HTML, made.stdout
    return TEXT, book.chapter(number).lesson_path(book.root).read_bytes()


def main() -> int:
    if importlib.util.find_spec("markdown") is None:
        return 77
    sys.stdout.buffer.write(page_of(manifest.load()[int(sys.argv[1])]).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
