#!/bin/sh
# unchanged.sh EXERCISE HEADER: fails, with a message, if the exercise was saved after the header was made from it. The
# header's time stamp is the moment before the exercise was read (exercises.py --attempted-header).
if [ "$1" -nt "$2" ]; then
  echo "$1 was saved while it was compiled. It has to be compiled again."
  exit 1
fi
