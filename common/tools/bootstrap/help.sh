#!/bin/sh
# What `make help` and `make chapters` print, from the folders of chapters/.
#
#   help.sh               the help
#   help.sh chapters      the chapters, one a line
#   help.sh number TEXT   the chapter's number without leading zeros; fails, with a message, where there is no such one
set -u
cd "$(dirname "$0")/../../.." || exit 1

numbers() { ls -d chapters/[0-9]*_*/ 2>/dev/null | sed -n 's:chapters/0*\([0-9][0-9]*\)_.*:\1:p' | sort -n; }

# title FOLDER: the lesson's first heading without a leading "Chapter 3:", or the folder's name where there is none.
title() {
  local text
  text=$(sed -n 's/^# *//p' "$1/README.md" 2>/dev/null | head -n 1 |
    sed 's/^[Cc]hapter *[0-9]*[:. -]*//; s/^[0-9]*[:.] *//')
  echo "${text:-$(basename "$1" | sed 's/^[0-9]*_//; s/_/ /g')}"
}

chapters() {
  local number folder
  for number in $(numbers); do
    folder=$(ls -d "chapters/$(printf '%02d' "$number")"_*/ | head -n 1)
    printf '  make chapter%-3s %s\n' "$number" "$(title "${folder%/}")"
  done
}

# number TEXT
number() {
  local wanted one
  wanted=$(printf '%s' "$1" | sed 's/^0*\([0-9]\)/\1/')
  for one in $(numbers); do
    if [ "$one" = "$wanted" ]; then
      echo "$one"
      return 0
    fi
  done
  echo "There is no chapter $1. There are: $(numbers | tr '\n' ' ' | sed 's/ $//')" >&2
  echo "(\`make chapters\` tells what they are about.)" >&2
  return 1
}

case ${1-} in
  chapters) chapters ;;
  number) number "$2" ;;
  *)
    cat <<'TEXT'
The Reduction Workbook: how a parallel sum becomes as fast as the memory allows.

Read chapters/NN_*/README.md, edit reduce.cuh beside it, and run its chapter:

TEXT
    chapters
    cat <<'TEXT'

  make chapters        this list
  make testN           the strict verdict on your kernel of chapter N: sizes, types, checks, goal
  make profileN        what each line of your kernel in chapter N costs, and why (no GPU needed)
  make sassN           the machine code of chapter N's kernel: what the scheduler is told, loops, source lines
  make predictN        questions on the counts of chapter N; the program checks your answers against its own
  make hintN           one more hint each time
  make diffN           your kernel beside the reference
  make pageN           once chapter N is done: yours, the reference and the library side by side
  make resetN          the exercise as the chapter gave it; your version is kept
  make watchN          build and test chapter N whenever you save
  make progress        every chapter: not started, wrong, unsafe, goal missed, done
  make next            the first chapter that is not done
  make zoo             wrong kernels: ARGS=12 runs the twelfth, and asks what is wrong with it
  make grade           points for your exercises; SUBMISSIONS=dir grades a class, a row a folder
  make gradeN          the same for chapter N alone
  make test            build everything and run all tests
  make bench-emulator  how fast the emulator is on this machine
  make superopt        search for a cheaper program on a warp, and prove it (chapter 14; ARGS="--target sum16")
  make generate        make the exercises again from the solutions
  make outputs         make the outputs shown in README.md and the lessons again
  make plots           the plots of the recorded measurements, or of your own: DATA=FILE or DATA=FOLDER
  make story           Harris' table of 2007, and this machine's or the recorded one beside it
  make docs            this book as a site for the browser, in build/docs
  make figures         make the figures shown in the pages again; make drawings: the lessons' drawings
  make format          clang-format over the sources
  make clean           remove what was built; what was installed into build/ stays

ARGS="…" goes to the program:  make chapter3 ARGS="--count 2^20 --type float"
                               make chapter3 ARGS=--help
                               make profile2 ARGS=reference
What is missing on this machine is installed on the way, and named. WORKBOOK_NO_INSTALL=1 only names it.
TEXT
    ;;
esac
