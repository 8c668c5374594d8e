#!/bin/sh
# Runs a Python that has matplotlib, with the way to the packages `book` and `plots`: python.sh ARGUMENTS… The system's
# own has matplotlib where the first on the path has not. Exit status: Python's; 77 where there is none.
# WORKBOOK_PYTHONS names others to try.
root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
export PYTHONPATH="$root/common:$root${PYTHONPATH:+:$PYTHONPATH}"
for candidate in ${WORKBOOK_PYTHONS:-python3 /usr/bin/python3}; do
  if "$candidate" -c 'import matplotlib' 2>/dev/null; then exec "$candidate" "$@"; fi
done
echo "There is no Python with matplotlib here. On Debian and Ubuntu: sudo apt-get install python3-matplotlib" >&2
exit 77
