"""python3 -m book.grade …, with PYTHONPATH=common."""

import sys

from book.grade.command_line import main

if __name__ == "__main__":
    sys.exit(main())
