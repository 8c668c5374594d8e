#!/bin/sh
# compile.sh TARGET: configures where needed and builds the target. Part of build.sh, which has seen to the tools
# and runs this under the lock.
set -u
build_dir=${WORKBOOK_BUILD_DIR:-build}
target=$1

# make's own flags (such as a job server that it does not share with us) are not for the build below.
unset MAKEFLAGS MAKELEVEL MFLAGS

# configure ARGUMENTS…: runs CMake; what it says is shown where it fails.
configure() {
  local said
  said=$build_dir/bootstrap/configure.txt
  if ! cmake -S . -B "$build_dir" "$@" >"$said" 2>&1; then
    cat "$said"
    return 1
  fi
  touch "$build_dir/bootstrap/configured"
}

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
  configure -G "$generator" ${WORKBOOK_CMAKE_ARGS-} || {
    # A half-made cache would be taken for a whole one next time.
    rm -f "$build_dir/CMakeCache.txt"
    exit 1
  }
  echo "Building (the first time takes some minutes; then only what has changed is built) …"
elif [ "$build_dir/bootstrap.cmake" -nt "$build_dir/bootstrap/configured" ]; then
  # The bootstrap has found more than last time, such as the library that runs the tests: there are more targets now.
  echo "Configuring in $build_dir again …"
  configure || exit 1
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
