#!/usr/bin/env python3
"""registers_left_alone.py OBJDUMP ARCHIVE: what machine code calls in the middle leaves its registers alone.

Values stand in the vector registers 16 to 31 and in mask registers while `tell_shared_row` runs
(emulator/observers/shared_rows.hpp): its object file may name none of them, and call nothing outside of itself.
"""

import re
import subprocess
import sys

MEMBER = "shared_rows.cpp.o"
FORBIDDEN = re.compile(r"%zmm|%[xy]mm(?:1[6-9]|2[0-9]|3[01])\b|%k[0-7]\b")


def main(objdump: str, archive: str) -> int:
    text = subprocess.run([objdump, "-dr", archive], capture_output=True, text=True, check=True).stdout
    parts = [part for part in text.split("In archive ", 1)[-1].split("\n\n") if part.strip()]
    inside, code = False, []
    for part in parts:
        header = re.search(r"^(\S+\.o):\s+file format", part.strip(), re.MULTILINE)
        if header:
            inside = header.group(1) == MEMBER
        if inside:
            code += part.splitlines()
    if not any("tell_shared_row" in line for line in code):
        print(f"{archive} has no {MEMBER} with tell_shared_row in it")
        return 1
    wrong = [line for line in code if FORBIDDEN.search(line)]
    # A call of what is elsewhere has a relocation behind it.
    own = {name for line in code for name in re.findall(r"^[0-9a-f]+ <(.+)>:$", line)} | {".text"}
    for line, behind in zip(code, code[1:]):
        called = re.search(r"R_X86_64_(?:PLT32|PC32)\s+(\S+?)(?:[-+]0x[0-9a-f]+)?$", behind)
        if re.search(r"\bcall\b", line) and called and called.group(1) not in own:
            wrong.append(line + " " + behind.strip())
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
