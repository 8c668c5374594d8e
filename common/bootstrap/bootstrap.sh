#!/bin/sh
# Finds what the workbook needs and installs what is missing.
#
#   bootstrap.sh [GROUP…]
#
#   build, cuda   what `make chapter1` needs (these two by default)
#   book          Python, for commands that compile nothing: hints, progress, the story
#   test          the library that runs the tests
#   browser       the browser that tests open pages with
#   sass          the programs that read machine code
#   proofs        the solver of the superoptimiser
#   mpi           MPI, to run chapter 16 on several processes
#   grade         the programs that inspect a class's submissions and isolate them
#   style         formatters, linters and type checkers
#   docs, plots   the programs that make the site and draw the plots
#   wheel         the programs that pack the emulator into a Python wheel
#   races         the newest CUB, for the programs that race the reductions against it
#
# Packages are installed by apt. Without root, they are unpacked into build/packages. If no nvcc from 12.4 on works, a
# CUDA compiler is installed from Python wheels into build/cuda, and the style checkers are always installed from
# wheels, into build/style; neither needs root. The results are written to build/bootstrap.cmake, which CMake reads.
# If nothing has changed, the next run reads only the stamps.
#
#   WORKBOOK_BUILD_DIR           a different build folder (default: build)
#   WORKBOOK_NO_INSTALL=1        install nothing: print what is missing, and fail
#   WORKBOOK_IGNORE_SYSTEM_CUDA=1  use only the CUDA compiler in the build folder
#   WORKBOOK_PREFIXES            where packages are searched, in addition to $CMAKE_PREFIX_PATH ("/usr/local /usr")
#   CXX, CUDA_HOME               your own compilers, which are tried first
#
# Exit status: 0 if everything is there; 1 if something is missing (the output shows what to install); 2 for bad usage.
set -u

here=$(dirname "$0")
cd "$here/../.." || exit 1
here=common/bootstrap
build_dir=${WORKBOOK_BUILD_DIR:-build}
case $build_dir in
  /*) build_path=$build_dir ;;
  *) build_path=$PWD/$build_dir ;;
esac
# CMake doesn't accept a compiler by a relative path.
case ${CUDA_HOME-} in '' | /*) ;; *) CUDA_HOME=$PWD/$CUDA_HOME ;; esac
state_dir=$build_dir/bootstrap
prefixes=${WORKBOOK_PREFIXES:-/usr/local /usr}
log=$state_dir/log.txt

locked=
if [ "${1-}" = --locked ]; then
  locked=yes
  shift
fi
groups=${*:-build cuda}
all_groups="build cuda book test browser sass proofs mpi grade style docs plots wheel races"
for group in $groups; do
  case " $all_groups " in *" $group "*) continue ;; esac
  echo "bootstrap.sh: no group '$group'; there are: $all_groups" >&2
  exit 2
done

. "$here/place.sh"
. "$here/unpacked.sh"
refuse_place "$(pwd -P)" "The path of this workbook" && refuse_place "$build_path" "The path of the build folder" ||
  exit 1

# Prints a checksum of the inputs of a stamp in addition to the files that it lists: these scripts, and the variables
# that control the search.
stamp_key() {
  local prefix name
  {
    cat "$here"/*.sh "$here"/*.txt "$here"/probe.cu
    echo "${CXX-} ${CUDA_HOME-} ${CMAKE_PREFIX_PATH-} ${WORKBOOK_IGNORE_SYSTEM_CUDA-} $prefixes"
    # A newly installed CUDA Toolkit may be a better choice, and so may a g++ that works with an older toolkit.
    for prefix in $prefixes; do echo "$prefix"/cuda* "$prefix"/bin/nvcc*; done
    for name in g++-14 g++-13 g++-12 g++-11; do command -v "$name"; done
    # After an upgrade of the system, a different g++ has the same name.
    ls -lL --full-time "$(command -v "${CXX:-g++}")" 2>/dev/null
  } | cksum
}

# Succeeds if the group's stamp is from these scripts, and everything that it lists still exists.
stamp_holds() {
  [ -r "$state_dir/$1.stamp" ] || return 1
  {
    read -r recorded
    [ "$recorded" = "$key" ] || return 1
    while read -r path; do
      [ -e "$path" ] || return 1
    done
  } <"$state_dir/$1.stamp"
}

key=$(stamp_key)
stale=
for group in $groups; do
  stamp_holds "$group" || stale="$stale $group"
done
[ -n "$stale" ] || exit 0
# Waits until no other build or installation runs in this folder, and then checks everything again.
[ -n "$locked" ] || exec sh "$here/lock.sh" "$build_dir" sh "$here/bootstrap.sh" --locked $groups

: >"$log"

say() { printf '%s\n' "$*"; }

# last_lines FILE: prints the file's last lines. A line that a second try has repeated is printed only once.
last_lines() { awk '!seen[$0]++' "$1" | tail -n 8; }

# version_at_least HAVE WANT: succeeds if version HAVE is WANT or newer.
version_at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# found GROUP PATH: records that the group depends on this file.
found() { printf '%s\n' "$2" >>"$state_dir/$1.found"; }

# write_if_changed FILE: writes standard input to the file if that changes it, so that CMake doesn't run again without
# need. If the disk is full, the file keeps its old content.
write_if_changed() {
  cat >"$1.new" || {
    rm -f "$1.new"
    say_disk_is_full "$build_dir" || say "$1 cannot be written." >&2
    return 1
  }
  if cmp -s "$1.new" "$1" 2>/dev/null; then rm -f "$1.new"; else mv -f "$1.new" "$1"; fi
}

cxx=
nvcc=
. "$here/disk.sh"
. "$here/compiler.sh"
. "$here/packages.sh"
. "$here/wheels.sh"
. "$here/cuda.sh"

finish_unpacking
use_unpacked
# Requests the packages of all groups together, so that apt runs only once.
look_for_groups
provide_packages

# If a group lacks something, the other groups are still installed, unless nothing can be built without it.
status=0
for group in $stale; do
  case " $lacking " in
    *" $group "* | *" build "*)
      status=1
      continue
      ;;
  esac
  case $group in
    cuda | sass | style | grade | wheel | races)
      "provide_$group" || {
        status=1
        continue
      }
      ;;
  esac
  # Optional packages may be installed later by other means, so a group that lacks one is checked in every run.
  case " $wishes " in *" $group "*) continue ;; esac
  {
    echo "$key"
    cat "$state_dir/$group.found" 2>/dev/null
  } >"$state_dir/$group.stamp"
  rm -f "$state_dir/$group.found"
done
write_cmake_facts || status=1
exit $status
