#!/bin/sh
# Prints the text of `make help` and `make chapters`, from chapters/chapters.json. Needs only tools that every system
# has.
#
#   help.sh                    the help
#   help.sh chapters           the chapters, one per line
#   help.sh number TEXT        the chapter's number without leading zeros; fails, with a message, if it doesn't exist
#   help.sh libraries NUMBER   the libraries that this chapter uses in addition to the workbook's own
#   help.sh exercise NUMBER    the path of the file that the student edits
set -u
cd "$(dirname "$0")/../.." || exit 1
tab=$(printf '\t')

# A line per chapter: number, folder, title, libraries, exercise.
facts=
if [ -r chapters/chapters.json ]; then
  facts=$(awk -f common/bootstrap/chapters.awk chapters/chapters.json) || {
    echo "Fix that line, or restore the file: git checkout chapters/chapters.json" >&2
    exit 1
  }
fi
[ -n "$facts" ] || {
  echo "chapters/chapters.json is missing or names no chapter: git checkout chapters/chapters.json" >&2
  exit 1
}
manifest() { printf '%s\n' "$facts"; }

chapters() { manifest | awk -F "$tab" '{ printf "  make chapter%-3s %s\n", $1, $3 }'; }

# number TEXT: prints the chapter's number.
number() {
  local wanted numbers
  wanted=$(printf '%s' "$1" | sed 's/^0*\([0-9]\)/\1/')
  numbers=$(manifest | cut -f 1)
  if printf '%s\n' "$numbers" | grep -qxF -e "$wanted"; then
    echo "$wanted"
    return 0
  fi
  case $1 in
    '' | .o)
      echo "The chapter's number is missing. Write it directly after the word, without a space: make chapter3" >&2
      return 1
      ;;
  esac
  echo "There is no chapter $1. There are: $(echo $numbers)" >&2
  echo "(\`make chapters\` tells what they are about.)" >&2
  return 1
}

case ${1-} in
  chapters) chapters ;;
  number) number "$2" ;;
  libraries) manifest | awk -F "$tab" -v number="$2" '$1 == number { print $4 }' ;;
  exercise) manifest | awk -F "$tab" -v number="$2" '$1 == number { print "chapters/" $2 "/" $5 }' ;;
  *)
    cat <<'TEXT'
The Reduction Workbook: how a parallel sum becomes as fast as the memory allows.

Read chapters/NN_*/README.md, edit reduce.cuh next to it, and run its chapter:

TEXT
    chapters
    cat <<'TEXT'

  make step1 … step4   CUDA in four tiny programs, if you have never seen it
  make chapters        this list
  make elsewhereN      the same ideas on another problem, after chapter 3, 7 or 9: a histogram, a scan, a stencil
  make testN           the strict verdict on your kernel of chapter N: sizes, types, checks, goal
  make profileN        what each line of your kernel in chapter N costs, and why (no GPU needed)
  make playN           a page on which your kernel of chapter N moves: lanes, banks, barriers, findings, step by step
  make liveN           a page that follows your file: errors, verdict, findings, the kernel in motion, at each save
  make limitN          what the time of your kernel in chapter N goes into, by experiments on a GPU
  make sassN           the machine code of your kernel of chapter N: what the scheduler is told, loops, source lines
  make predictN        questions on the counts of chapter N; a wrong answer is told what it has overlooked
  make whatifN         a picture of the predicted time of your kernel in chapter N in blocks of other sizes
  make hintN           one more hint each time
  make diffN           your kernel next to the reference
  make pageN           once chapter N is done: yours, the reference and the library side by side
  make resetN          start chapter N's exercise afresh; your version is kept
  make watchN          build and test chapter N whenever you save
  make ranks           chapter 16 on four processes of this machine, with MPI; RANKS=8 on eight
  make progress        every chapter: not started, wrong, unsafe, goal missed, done; your predictions by idea
  make review          what you predicted wrong, asked again days later with other numbers
  make next            the first chapter that is not done
  make zoo             wrong kernels: ARGS=12 runs the twelfth, and asks what is wrong; ARGS="12 --repair"
  make grade           points for your exercises; SUBMISSIONS=dir grades a class, a row per folder
  make gradeN          the same for chapter N alone
  make grade FORMAT=…  sheets for others: csv, canvas, moodle, feedback; gradescope and classroom take the grader there
  make class           what the class learned, a page: SHEETS=dir, SUBMISSIONS=dir, no names
  make test            check that everything works here: about five minutes
  make test-all        build everything and run every test, as CI does: about 20 minutes on two cores
  make test-emulator   build and run the emulator's own tests
  make bench-emulator  how fast the emulator is on this machine
  make wheel           the emulator as a Python wheel, for other machines, in build/wheel
  make superopt        search for a cheaper program on a warp, and prove it (chapter 14; ARGS="--target sum16")
  make generate        renew the exercises from the solutions
  make outputs         renew the outputs shown in README.md and the lessons
  make plots           the plots of the recorded measurements, or of your own: DATA=FILE or DATA=FOLDER
  make story           Harris' table of 2007, and this machine's or the recorded one next to it
  make machine         what your GPU can do: block starts, launches, latencies, bandwidth, instructions
  make docs            this book as a site for the browser, in build/docs
  make book            this book as one page to print, build/book.html
  make blocks          a page that simulates blocks, slots and bytes in flight, for chapters 4 to 8
  make slides          a deck for each session of the instructor's guide, in build/slides
  make figures         renew the figures shown in the pages; make drawings: the lessons' drawings
  make format          format the C++ and CUDA sources
  make clean           remove what was built; what was installed into build/ stays

ARGS="…" goes to the program:  make chapter3 ARGS="--count 2^20 --type float"
                               make chapter3 ARGS=--help
                               make profile2 ARGS=reference
V=1 shows every command of a build:  make chapter3 V=1
Whatever is missing on this machine is named and installed on the way. WORKBOOK_NO_INSTALL=1 only names it.
TEXT
    ;;
esac
