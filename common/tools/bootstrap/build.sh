#!/bin/sh
# build.sh TARGET: everything between a fresh clone and a built target. Called by the Makefile; talks on standard error.
set -u
exec >&2
cd "$(dirname "$0")/../../.." || exit 1
build_dir=${WORKBOOK_BUILD_DIR:-build}
target=$1

groups="build cuda"
# The tests read machine code; this is a list of words on purpose.
[ "$target" != all ] || groups="$groups sass"
[ "$target" != grader ] || groups="$groups grade"
sh common/tools/bootstrap/bootstrap.sh $groups || exit 1
# The tests of plots and pages want these; where they cannot be had, those tests are skipped, and say so.
[ "$target" != all ] || sh common/tools/bootstrap/bootstrap.sh plots docs ||
  echo "Without these, the tests of plots and of the documentation are skipped."
[ "$target" != all ] || sh common/tools/bootstrap/bootstrap.sh grade ||
  echo "Without it, the grader is left out, and its tests are skipped."

# make's own flags (such as a job server that it does not share with us) are not for the build below.
unset MAKEFLAGS MAKELEVEL MFLAGS

# A build folder that came along when the tree was moved or copied knows the old place.
if [ -f "$build_dir/CMakeCache.txt" ] &&
  ! grep -qxF -e "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" -e "CMAKE_HOME_DIRECTORY:INTERNAL=$(pwd -P)" \
    "$build_dir/CMakeCache.txt"; then
  rm -rf "$build_dir/CMakeCache.txt" "$build_dir/CMakeFiles"
fi

if ! [ -f "$build_dir/CMakeCache.txt" ] || ! { [ -f "$build_dir/build.ninja" ] || [ -f "$build_dir/Makefile" ]; }; then
  generator="Unix Makefiles"
  if command -v ninja >/dev/null; then generator=Ninja; fi
  echo "Configuring in $build_dir ($generator) …"
  # WORKBOOK_CMAKE_ARGS is a list of words on purpose.
  configured=$build_dir/bootstrap/configure.txt
  if ! cmake -S . -B "$build_dir" -G "$generator" ${WORKBOOK_CMAKE_ARGS-} >"$configured" 2>&1; then
    cat "$configured"
    # A half-made cache would be taken for a whole one next time.
    rm -f "$build_dir/CMakeCache.txt"
    exit 1
  fi
  echo "Building (the first time takes some minutes; then only what has changed is built) …"
fi

# As many jobs as there are cores, but nvcc on a large header wants more than a gigabyte.
jobs=$(nproc 2>/dev/null || echo 2)
memory_gib=$(awk '/^MemAvailable/ { print int($2 / 1024 / 1024 / 1.5) }' /proc/meminfo 2>/dev/null)
if [ "${memory_gib:-0}" -lt "$jobs" ]; then jobs=${memory_gib:-1}; fi
if [ "$jobs" -lt 1 ]; then jobs=1; fi

if [ -f "$build_dir/build.ninja" ]; then
  case $(ninja -C "$build_dir" -n "$target" 2>/dev/null | tail -n 1) in
    *"no work to do."*) exit 0 ;;
  esac
  exec ninja -C "$build_dir" -j "$jobs" "$target"
fi
exec cmake --build "$build_dir" --target "$target" -j "$jobs" -- -s
