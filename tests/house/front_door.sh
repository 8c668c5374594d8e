#!/bin/sh
# front_door.sh CASE: runs one test of the Makefile and of the scripts that it calls. CASE is the name of a function
# below without its `case_`.
#
# Long because there is a case for each command and for each thing that can go wrong with it.
#
# Cases that build something do so in a small source tree of their own, whose bootstrap is a stub. The tree's path is
# long and contains many characters that could cause problems in a shell, make or CMake.
set -eu
repository=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tree="$folder/a long path with blanks and umlauts (äöü)"
tree="$tree/100% of what else = ~ a name + may hold @HOME@ {even} this! and then goes on for a while"
# The settings of a make that runs this test must not affect the make that the test runs.
unset MAKEFLAGS MAKELEVEL MFLAGS ARGS BUILD CMAKE_ARGS 2>/dev/null || true

fail() {
  echo "FAILED: $*" >&2
  cat "$folder/output" "$folder/errors" >&2 || true
  exit 1
}

# run_make FOLDER ARGUMENTS…: sets status. Writes standard output to $folder/output and standard error to
# $folder/errors.
run_make() {
  status=0
  (cd "$1" && shift && make "$@") >"$folder/output" 2>"$folder/errors" </dev/null || status=$?
}

expect_status() { [ "$status" = "$1" ] || fail "exit status $status instead of $1"; }
expect_output() { grep -qF -- "$1" "$folder/output" || fail "did not print: $1"; }
expect_error() { grep -qF -- "$1" "$folder/errors" || fail "did not say: $1"; }

# installs STATEMENT: makes the small tree's bootstrap do this instead of installing anything.
installs() {
  printf 'import sys\n\n\ndef install(groups):\n    %s\n' "$1" >"$tree/common/bootstrap/install.py"
}

small_tree() {
  mkdir -p "$tree/common/bootstrap" "$tree/common/book" "$tree/chapters/01_first" "$tree/chapters/12_last"
  cp "$repository/Makefile" "$tree"
  cp "$repository"/common/bootstrap/*.* "$tree/common/bootstrap"
  cp "$repository/common/book/__init__.py" "$repository/common/book/manifest.py" \
    "$repository/common/book/files.py" "$tree/common/book"
  installs "return True"
  cat >"$tree/chapters/chapters.json" <<'JSON'
{"schema": 1, "chapters": [
  {"number": 1, "folder": "01_first", "title": "The \"first\" one", "parent": null, "kind": "ladder", "predict": [],
   "exercise": "reduce.cuh", "task": "do it.",
   "beside": [{"name": "other", "title": "no chapter", "number": "7"}], "libraries": ["superopt"]},
  { "title" : "The last: {[,]}", "number" : 12, "folder":"12_last", "predict": ["number"], "kind": "study",
   "exercise": "reduce.cuh", "task": "do that." }
]}
JSON
  cat >"$tree/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(small LANGUAGES CXX)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
add_executable(chapter1 main.cpp)
CMAKE
  cat >"$tree/main.cpp" <<'CPP'
#include <cstdio>
int main(int count, char** arguments) {
  for (int i = 1; i < count; ++i) std::printf("<%s>", arguments[i]);
  return count == 4 ? 3 : 0;
}
CPP
}

case_alone_prints_the_help() {
  run_make "$repository"
  expect_status 0
  expect_output "make test"
  expect_output "make profileN"
  [ "$(wc -l <"$folder/output")" -le 30 ] || fail "more than 30 lines"
}

case_lists_every_chapter() {
  run_make "$repository" chapters
  expect_status 0
  for chapter in "$repository"/chapters/[0-9]*_*/; do
    number=$(basename "$chapter" | sed 's/_.*//; s/^0*\([0-9]\)/\1/')
    expect_output "make chapter$number "
  done
}

# Every target for users is in `make help-all`, and everything that it names exists.
case_names_every_target() {
  run_make "$repository" help-all
  expect_status 0
  sed -n 's/^\([a-z-]*\)%: FORCE$/\1N/p; s/^\([a-z][a-z -]*\):$/\1/p' "$repository/Makefile" | tr ' ' '\n' |
    grep -v '^help\|^stepN$' >"$folder/targets"
  for target in $(cat "$folder/targets") testN profileN limitN hintN diffN resetN watchN predictN pageN; do
    grep -q "make $target\b" "$folder/output" || fail "does not name $target"
  done
  for target in $(grep -o 'make [a-z-]*N\?' "$folder/output" | sed 's/make //; s/N$/3/' | sort -u); do
    case $target in step | "") continue ;; esac
    (cd "$repository" && make -n "$target") >/dev/null 2>"$folder/errors" || fail "names $target, which does not exist"
  done
}

case_takes_the_titles_from_the_manifest() {
  small_tree
  run_make "$tree" chapters
  expect_status 0
  printf '  make chapter1   The "first" one\n  make chapter12  The last: {[,]}\n' | cmp -s - "$folder/output" ||
    fail "the chapters are not those of the manifest"
}

# The machine has nothing but make and the tools of every Debian system.
case_helps_on_a_bare_machine() {
  mkdir "$folder/bin"
  for tool in sh make awk sed cut grep dirname cat; do ln -s "$(command -v $tool)" "$folder/bin/$tool"; done
  PATH="$folder/bin" run_make "$repository" help
  expect_status 0
  expect_output "make test-all"
  PATH="$folder/bin" run_make "$repository" help-all
  expect_status 0
  expect_output "make gradeN"
}

case_names_the_chapters_where_there_is_no_such_one() {
  small_tree
  for wrong in chapter2 chapter99 chapterx chapter-1; do
    run_make "$tree" $wrong
    expect_status 2
    expect_error "There is no chapter ${wrong#chapter}. There are: 1 12"
  done
}

case_builds_and_runs_a_chapter_with_its_arguments() {
  small_tree
  run_make "$tree" chapter1 ARGS="--json 'a b'"
  expect_status 0
  [ "$(cat "$folder/output")" = "<--json><a b>" ] || fail "standard output is not the program's alone"
  expect_error "Configuring in build"
  run_make "$tree" chapter01
  expect_status 0
  [ ! -s "$folder/errors" ] || fail "said something although nothing was to be done"
}

# two_builds: two chapters share a header, and each takes a second to compile. Both builds start at the same time, from
# an empty folder.
two_builds() {
  small_tree
  printf '#!/bin/sh\ntouch "%s/compiling"\nsleep 1\nexec "$@"\n' "$folder" >"$folder/slow"
  chmod +x "$folder/slow"
  echo 'add_executable(chapter12 main.cpp)' >>"$tree/CMakeLists.txt"
  printf '#include <cstdio>\n#include "answer.hpp"\nint main() { std::puts(answer); }\n' >"$tree/main.cpp"
  echo 'inline const char* answer = "before";' >"$tree/answer.hpp"
  (cd "$tree" && make chapter1 CMAKE_ARGS="-DCMAKE_CXX_COMPILER_LAUNCHER=$folder/slow") >"$folder/first" 2>&1 &
  run_make "$tree" chapter12 CMAKE_ARGS="-DCMAKE_CXX_COMPILER_LAUNCHER=$folder/slow"
  expect_status 0
  wait $! || fail "the other build failed: $(cat "$folder/first")"
  [ "$(cat "$folder/first" "$folder/errors" | grep -c "Another build is running in build/.*; waiting")" = 1 ] ||
    fail "not one of the two builds waited and said so: $(cat "$folder/first")"
  # The recorded dependencies of each object must still be there, because otherwise a changed header is not compiled.
  sleep 0.1
  echo 'inline const char* answer = "after";' >"$tree/answer.hpp"
  for chapter in chapter1 chapter12; do
    run_make "$tree" $chapter
    expect_status 0
    expect_output "after"
  done
}

case_builds_one_after_the_other_where_two_are_started() { two_builds; }

# Kills a build while it compiles. The next build has to wait for the build tool that it has started.
case_builds_after_another_build_was_killed() {
  two_builds
  rm "$folder/compiling"
  echo 'inline const char* answer = "at last";' >"$tree/answer.hpp"
  (cd "$tree" && exec sh common/bootstrap/bootstrap.sh build chapter1) >/dev/null 2>&1 &
  until [ -e "$folder/compiling" ]; do sleep 0.1; done
  kill -9 $!
  wait $! || true
  run_make "$tree" chapter1
  expect_status 0
  expect_output "at last"
}

case_does_not_wait_for_itself() {
  small_tree
  cd "$tree"
  lock="common/bootstrap/bootstrap.sh lock"
  timeout 20 sh $lock build sh $lock build sh -c 'echo inside; exit 7' >"$folder/output" 2>"$folder/errors" || status=$?
  expect_status 7
  expect_output "inside"
}

# Uses the real bootstrap. apt is a stub that must not be called.
case_refuses_a_path_in_which_nothing_can_be_built() {
  mkdir "$folder/bin"
  printf '#!/bin/sh\ntouch "%s/called"\n' "$folder" | tee "$folder/bin/apt-get" >"$folder/bin/sudo"
  chmod +x "$folder/bin/apt-get" "$folder/bin/sudo"
  tree=$folder/good
  small_tree
  cp "$repository/common/bootstrap/install.py" "$tree/common/bootstrap"
  tab=$(printf '\t')
  line_break='
'
  for character in , ';' : '#' '$' '`' "'" '"' '\' '<' '>' '|' '*' '?' '[' ']' '&' '^' "$line_break" "$tab"; do
    place="$folder/a${character}b"
    mv "$tree" "$place"
    PATH="$folder/bin:$PATH" run_make "$place" chapter1
    expect_status 2
    case $character in
      "$line_break") expect_error "The path of this workbook holds a line break" ;;
      "$tab") expect_error "The path of this workbook holds a tab" ;;
      *) expect_error "The path of this workbook holds the character “$character”" ;;
    esac
    expect_error "move the workbook elsewhere, and run make again"
    [ ! -e "$place/build" ] && [ ! -e "$folder/called" ] || fail "did something before it refused"
    mv "$place" "$tree"
  done
}

case_hands_on_the_exit_status_of_a_chapter() {
  small_tree
  run_make "$tree" chapter1 ARGS="one two three"
  expect_status 2
  expect_error "Error 3"
}

case_profiles_a_chapter_with_its_arguments() {
  small_tree
  run_make "$tree" profile1 ARGS="reference"
  expect_status 0
  [ "$(cat "$folder/output")" = "<--profile><reference>" ] || fail "standard output is not the program's alone"
  run_make "$tree" profile2
  expect_status 2
  expect_error "There is no chapter 2. There are: 1 12"
}

case_shows_machine_code_with_its_arguments() {
  small_tree
  printf 'import sys\nprint(sys.argv[1:])\nsys.exit(2)\n' >"$tree/common/book/__main__.py"
  echo 'add_executable(sass main.cpp)
add_custom_target(machine_code)' >>"$tree/CMakeLists.txt"
  run_make "$tree" sass01 ARGS="--loop 1"
  expect_status 2
  expect_output "['sass', '1', '--loop', '1']"
  [ -x "$tree/build/bin/chapter1" ] && [ -x "$tree/build/bin/sass" ] || fail "chapter and reader are not built"
  run_make "$tree" sass2
  expect_status 2
  expect_error "There is no chapter 2. There are: 1 12"
}

case_grades_one_chapter() {
  small_tree
  printf 'import sys\nprint(sys.argv[1:])\nsys.exit(1)\n' >"$tree/common/book/__main__.py"
  echo 'add_custom_target(exercise_host)
add_custom_target(judge12)
add_custom_target(grader)' >>"$tree/CMakeLists.txt"
  run_make "$tree" grade012 ARGS="--seed 7"
  expect_status 2
  expect_output "['grade', '--build', 'build', '--chapters', '12', '--seed', '7']"
  run_make "$tree" grade SUBMISSIONS="a class"
  expect_output "['grade', '--build', 'build', '--submissions', 'a class']"
  run_make "$tree" grade2
  expect_error "There is no chapter 2. There are: 1 12"
}

case_shows_compiler_errors_unaltered() {
  small_tree
  echo 'int main() { return banana; }' >"$tree/main.cpp"
  run_make "$tree" chapter1
  expect_status 2
  grep -q "main.cpp:1:21: error: .*banana" "$folder/errors" "$folder/output" || fail "hid the compiler's message"
}

# The compiler's messages reach the student. Those of the build tool do not, unless they are requested with V=1.
case_shows_of_a_failed_build_what_the_compiler_said_and_no_command() {
  small_tree
  run_make "$tree" chapter1 ARGS=it
  echo 'int main() { return banana; }' >"$tree/main.cpp"
  run_make "$tree" chapter1
  expect_status 2
  expect_error "banana"
  ! grep -qE "FAILED|ninja|c\+\+|g\+\+|\[[0-9]" "$folder/errors" || fail "showed more than the compiler's message"
  run_make "$tree" chapter1 V=1
  expect_status 2
  grep -qE "c\+\+|g\+\+" "$folder/errors" "$folder/output" || fail "V=1 does not show the compiler's command"
  printf '#warning "mind the gap"\nint main() {}\n' >"$tree/main.cpp"
  run_make "$tree" chapter1
  expect_status 0
  expect_error "mind the gap"
}

case_says_nothing_where_one_file_is_compiled() {
  small_tree
  run_make "$tree" chapter1 ARGS=it
  sleep 0.1
  echo 'int main() { return 0; }' >"$tree/main.cpp"
  run_make "$tree" chapter1
  expect_status 0
  [ "$(wc -l <"$folder/errors")" -le 1 ] || fail "said more than a line"
  ! grep -q "ninja\|globbed" "$folder/errors" || fail "spoke of the build tool"
  # CMake runs again, and its messages must not reach the student either.
  sleep 0.1
  echo '# changed' >>"$tree/CMakeLists.txt"
  run_make "$tree" chapter1
  expect_status 0
  [ "$(wc -l <"$folder/errors")" -le 1 ] || fail "said more than a line"
}

case_shows_the_step_on_a_terminal_and_leaves_nothing_of_it() {
  small_tree
  for kind in xterm dumb; do
    rm -rf "$tree/build"
    (cd "$tree" && TERM=$kind python3 -c 'import pty; pty.spawn(["make", "chapter1", "ARGS=it"])') \
      >"$folder/output" 2>"$folder/errors" </dev/null
    tr '\r\033' 'RE' <"$folder/output" >"$folder/plain"
    if [ $kind = xterm ]; then
      grep -qF 'RE[KBuilding [1/2]RE[KBuilding [2/2]RE[K<it>' "$folder/plain" || fail "does not show the steps"
    else
      ! grep -q 'E\[K\|\[1/' "$folder/plain" || fail "writes over lines on a terminal that cannot"
    fi
  done
}

# full_disk PROGRAM: replaces a program by one that prints pages of messages about a full disk, and fails.
full_disk() {
  mkdir -p "$folder/bin"
  rm -f "$folder/bin/$1"
  printf '#!/bin/sh\ncase "$*" in --version|*-E*|*-P*) exec %s "$@" ;; esac\nseq -f "page %%g" 300\n' \
    "$(command -v "$1")" >"$folder/bin/$1"
  printf 'echo "cc1plus: fatal error: x.s: No space left on device" >&2\nexit 1\n' >>"$folder/bin/$1"
  chmod +x "$folder/bin/$1"
}

case_tells_a_full_disk_in_a_sentence_where_cmake_meets_it() {
  small_tree
  full_disk cmake
  PATH="$folder/bin:$PATH" run_make "$tree" chapter1
  expect_status 2
  expect_error "The disk is full: nothing more can be written to build."
  expect_error "Make room on it"
  [ "$(wc -l <"$folder/errors")" -lt 10 ] || fail "showed pages"
}

case_tells_a_full_disk_in_a_sentence_where_the_compiler_meets_it() {
  small_tree
  run_make "$tree" chapter1 ARGS=it
  full_disk launcher
  printf '#!/bin/sh\nseq -f "page %%g" 300\necho "x.s: No space left on device" >&2\nexit 1\n' >"$folder/bin/launcher"
  rm -r "$tree/build"
  run_make "$tree" chapter1 CMAKE_ARGS="-DCMAKE_CXX_COMPILER_LAUNCHER=$folder/bin/launcher"
  expect_status 2
  expect_error "The disk is full: nothing more can be written to build."
  ! grep -q "page 1" "$folder/errors" || fail "showed pages"
}

case_tells_a_full_disk_by_what_is_left_on_it() {
  small_tree
  mkdir "$folder/bin"
  printf '#!/bin/sh\necho "Filesystem 1024-blocks Used Available Capacity Mounted"\necho "/dev/x 10 10 0 100%% /"\n' \
    >"$folder/bin/df"
  chmod +x "$folder/bin/df"
  echo 'message(FATAL_ERROR "cannot write")' >>"$tree/CMakeLists.txt"
  PATH="$folder/bin:$PATH" run_make "$tree" chapter1
  expect_error "It has 0 KiB left."
  ! grep -q "cannot write" "$folder/errors" || fail "showed what followed from it"
}

case_names_the_line_of_a_broken_manifest() {
  small_tree
  cp "$tree/chapters/chapters.json" "$folder/good"
  for edit in '2s/"title"/"title/' '2s/1,/1/' '4s/}, *$/}/' '$d' '2s/"number": 1/"number": /' 's/^]}/]}}/' '1,$d'; do
    sed "$edit" "$folder/good" >"$tree/chapters/chapters.json"
    ! cmp -s "$folder/good" "$tree/chapters/chapters.json" || fail "$edit changes nothing"
    for target in chapters chapter1; do
      run_make "$tree" $target
      expect_status 2
      expect_error "chapters/chapters.json"
      expect_error "git checkout chapters/chapters.json"
      ! grep -q "make chapter1 " "$folder/output" || fail "lists chapters of a broken manifest ($edit)"
    done
  done
  rm "$tree/chapters/chapters.json"
  run_make "$tree" chapters
  expect_status 2
  expect_error "chapters/chapters.json is not a manifest of chapters"
}

case_says_what_to_type_where_the_number_is_missing() {
  small_tree
  for word in step elsewhere chapter profile limit sass hint diff reset watch predict page; do
    run_make "$tree" $word
    expect_status 2
    expect_error "Write its number directly after the word: make ${word}3"
  done
  for words in "chapter 3" "test 3" "step 1" "hint 12" "elsewhere 7" "grade 1"; do
    run_make "$tree" $words
    expect_status 2
    expect_error "Write the number directly after the word, without a space: make ${words% *}3"
    [ ! -e "$tree/build" ] || fail "began to build something"
  done
}

case_says_that_there_is_no_such_step() {
  small_tree
  mkdir -p "$tree/docs/examples/steps"
  : >"$tree/docs/examples/steps/1_first.cu"
  for step in 2 01 1_ 1_first; do
    run_make "$tree" "step$step"
    expect_status 2
    expect_error "There is no step $step: there are 1_first.cu"
    [ ! -e "$tree/build" ] || fail "began to build something"
  done
}

case_says_that_there_is_no_such_task() {
  small_tree
  mkdir -p "$tree/docs/examples/elsewhere/solutions"
  : >"$tree/docs/examples/elsewhere/7_first.cu"
  for task in 3 07 7_ 7_first; do
    run_make "$tree" "elsewhere$task"
    expect_status 2
    expect_error "There is no task $task: there are 7_first.cu"
    [ ! -e "$tree/build" ] || fail "began to build something"
  done
}

case_judges_a_task_with_its_arguments() {
  small_tree
  mkdir -p "$tree/docs/examples/elsewhere"
  : >"$tree/docs/examples/elsewhere/7_first.cu"
  printf 'import sys\nprint(sys.argv[1:])\nsys.exit(1)\n' >"$tree/common/book/__main__.py"
  echo 'add_executable(emulate main.cpp)' >>"$tree/CMakeLists.txt"
  run_make "$tree" elsewhere7 ARGS=solution
  expect_status 2
  expect_output "['elsewhere', '7', '--build', 'build', 'solution']"
  [ -x "$tree/build/bin/emulate" ] || fail "the emulator is not built"
}

# Commands that compile nothing don't look for a compiler and don't install anything.
case_asks_for_no_compiler_where_nothing_is_compiled() {
  small_tree
  installs 'print("bootstrap", *groups, file=sys.stderr)'
  printf 'import sys\nprint(sys.argv[1:])\n' | tee "$tree/common/book/__main__.py" >"$tree/common/book/story.py"
  printf '#!/bin/sh\nexit 77\n' >"$tree/common/book/python.sh"
  for target in hint1 next reset1 diff1 progress chapters story predict1 page1; do
    run_make "$tree" $target
    expect_status 0
    ! grep -q bootstrap "$folder/errors" || fail "make $target looks for a compiler"
  done
  run_make "$tree" story
  expect_error "The figure is left out"
  # If Python is missing, only Python is requested.
  mkdir "$folder/bin"
  for tool in sh make awk sed cut grep dirname cat; do ln -s "$(command -v $tool)" "$folder/bin/$tool"; done
  PATH="$folder/bin" run_make "$tree" hint1
  expect_status 2
  expect_error "  python3 "
}

# Generated files that depend on all files of a kind are checked only if they are needed. A build of a chapter doesn't
# check them.
build_quick() {
  (cd "$tree" && sh common/bootstrap/bootstrap.sh build quick) >"$folder/output" 2>"$folder/errors" ||
    fail "does not build"
}

case_finds_files_that_have_come() {
  small_tree
  mkdir -p "$tree/common/cmake" "$tree/parts"
  cp "$repository/common/cmake/SourceLists.cmake" "$tree/common/cmake"
  cat >>"$tree/CMakeLists.txt" <<'CMAKE'
include(common/cmake/SourceLists.cmake)
workbook_files(parts parts/*.txt)
file(WRITE "${CMAKE_BINARY_DIR}/made.txt" "${parts}\n")
add_custom_target(quick)
CMAKE
  touch "$tree/parts/one.txt"
  build_quick
  grep -q "one.txt" "$tree/build/made.txt" || fail "does not know the first file"
  touch "$tree/parts/two.txt"
  run_make "$tree" chapter1 ARGS=it
  ! grep -q "Configuring" "$folder/errors" || fail "a chapter looked for files"
  ! cmake -P "$tree/build/source_lists.cmake" 2>"$folder/errors" || fail "a new file is not seen"
  tr '\n' ' ' <"$folder/errors" | grep -q "two.txt" || fail "does not name the new file"
  build_quick
  grep -q "two.txt" "$tree/build/made.txt" || fail "does not know the second file"
  cmake -P "$tree/build/source_lists.cmake" || fail "still misses a file"
}

case_shows_why_cmake_failed_and_tries_again() {
  small_tree
  cp "$tree/CMakeLists.txt" "$folder/good"
  echo 'message(FATAL_ERROR "no such luck")' >>"$tree/CMakeLists.txt"
  run_make "$tree" chapter1
  expect_status 2
  expect_error "no such luck"
  cp "$folder/good" "$tree/CMakeLists.txt"
  run_make "$tree" chapter1
  expect_status 0
}

case_configures_again_once_where_the_bootstrap_found_more() {
  small_tree
  cat >>"$tree/CMakeLists.txt" <<'CMAKE'
include("${CMAKE_BINARY_DIR}/bootstrap.cmake" OPTIONAL)
if(MORE)
  add_executable(chapter12 main.cpp)
endif()
CMAKE
  run_make "$tree" chapter1
  sleep 0.1
  echo 'set(MORE YES)' >"$tree/build/bootstrap.cmake"
  run_make "$tree" chapter12 ARGS=it
  expect_status 0
  expect_output "<it>"
  expect_error "Configuring in build again"
  ! grep -q "Re-running CMake" "$folder/errors" || fail "configured twice"
  run_make "$tree" chapter12
  [ ! -s "$folder/errors" ] || fail "said something although nothing was to be done"
}

case_builds_without_ninja() {
  unset CXX # it may name a compiler that the folder of tools below lacks
  small_tree
  mkdir "$folder/bin"
  for tool in sh make cmake c++ cc g++ gcc as ld ar ranlib nproc awk sed ls head sort tr basename dirname mkdir cat rm \
    uname printf grep cut mv rmdir touch; do
    ! command -v $tool >/dev/null || ln -s "$(command -v $tool)" "$folder/bin/$tool"
  done
  ln -s "$(python3 -c 'import sys; print(sys.executable)')" "$folder/bin/python3"
  PATH="$folder/bin" run_make "$tree" chapter1 ARGS=it
  expect_status 0
  expect_error "Unix Makefiles"
  expect_output "<it>"
}

case_builds_after_the_tree_was_moved() {
  small_tree
  run_make "$tree" chapter1
  mv "$tree" "$folder/moved"
  run_make "$folder/moved" chapter1 ARGS=it
  expect_status 0
  expect_output "<it>"
}

case_takes_another_build_folder() {
  small_tree
  run_make "$tree" chapter1 BUILD=other CMAKE_ARGS="-DCMAKE_BUILD_TYPE=Debug" ARGS=it
  expect_status 0
  expect_output "<it>"
  [ ! -e "$tree/build" ] || fail "made the usual build folder"
  grep -q "CMAKE_BUILD_TYPE.*=Debug" "$tree/other/CMakeCache.txt" || fail "did not hand CMAKE_ARGS to CMake"
}

"case_$1"
