#!/bin/sh
# compile.sh TARGET: configures if necessary, and builds the target. build.sh, which has installed the tools by then,
# runs this script under the lock.
set -u
here=common/bootstrap
build_dir=${WORKBOOK_BUILD_DIR:-build}
target=$1
. "$here/disk.sh"
. "$here/quietly.sh"
. "$here/place.sh"

# The build below must not inherit make's own flags, such as a job server that make does not share with it.
unset MAKEFLAGS MAKELEVEL MFLAGS

# configure ARGUMENTS…: runs CMake, and shows its output if it fails.
configure() {
  local said
  said=$build_dir/bootstrap/configure.txt
  if ! cmake -S . -B "$build_dir" "$@" >"$said" 2>&1; then
    say_disk_is_full "$build_dir" "$said" || cat "$said"
    return 1
  fi
  touch "$build_dir/bootstrap/configured"
}

# If a build folder was moved or copied with the source tree, its cache still contains the old path.
if [ -f "$build_dir/CMakeCache.txt" ] &&
  ! grep -qxF -e "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" -e "CMAKE_HOME_DIRECTORY:INTERNAL=$(pwd -P)" \
    "$build_dir/CMakeCache.txt"; then
  forget_configuration "$build_dir"
fi

if ! [ -f "$build_dir/CMakeCache.txt" ] || ! { [ -f "$build_dir/build.ninja" ] || [ -f "$build_dir/Makefile" ]; }; then
  generator="Unix Makefiles"
  if command -v ninja >/dev/null; then generator=Ninja; fi
  echo "Configuring in $build_dir ($generator) …"
  # WORKBOOK_CMAKE_ARGS is split into words on purpose.
  configure -G "$generator" ${WORKBOOK_CMAKE_ARGS-} || {
    # The next run would take an incomplete cache for a complete one.
    rm -f "$build_dir/CMakeCache.txt"
    exit 1
  }
  echo "Building (the first time takes some minutes; then only what has changed is built) …"
elif [ "$build_dir/bootstrap.cmake" -nt "$build_dir/bootstrap/configured" ]; then
  # The bootstrap has found more than last time, such as the library that runs the tests, so CMake can now make more
  # targets.
  echo "Configuring in $build_dir again …"
  configure || exit 1
fi

# As many jobs as there are cores, but at most one per 1.5 GiB of memory: nvcc needs more than 1 GiB for a large header.
jobs=$(nproc 2>/dev/null || echo 2)
memory_gib=$(awk '/^MemAvailable/ { print int($2 / 1024 / 1024 / 1.5) }' /proc/meminfo 2>/dev/null)
if [ "${memory_gib:-0}" -lt "$jobs" ]; then jobs=${memory_gib:-1}; fi
if [ "$jobs" -lt 1 ]; then jobs=1; fi

# CMake finds new files only if it searches again. Chapters have no lists of files, so they don't need that.
case $target in
  chapter[0-9]* | judge[0-9]*) ;;
  *)
    if [ -f "$build_dir/source_lists.cmake" ] && ! cmake -P "$build_dir/source_lists.cmake" >/dev/null 2>&1; then
      echo "Configuring in $build_dir again, for files that have come or gone …"
      configure || exit 1
    fi
    ;;
esac

# build: builds the target, and prints no more than necessary; V=1 shows everything.
build() {
  if [ -f "$build_dir/build.ninja" ]; then
    if [ -n "${V-}" ]; then
      as_owner ninja -C "$build_dir" -j "$jobs" -v "$target"
    else
      quietly as_owner env NINJA_STATUS="$step_mark%f %t " ninja -C "$build_dir" -j "$jobs" "$target"
    fi
  elif [ -n "${V-}" ]; then
    as_owner cmake --build "$build_dir" --target "$target" -j "$jobs" -- VERBOSE=1
  else
    quietly as_owner cmake --build "$build_dir" --target "$target" -j "$jobs" -- -s
  fi
}

build
