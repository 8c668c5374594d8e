"""python3 -m book.student COMMAND …, with PYTHONPATH=common."""

import sys

from book.student.command_line import main

if __name__ == "__main__":
    sys.exit(main())
