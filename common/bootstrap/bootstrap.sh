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
#   grade         what inspects the submissions of a class, and what isolates them
#   style         formatters, linters and type checkers
#   docs, plots   what makes the site and draws the plots
#   wheel         what packs the emulator into a Python wheel
#   races         the newest CUB, for the programs that race the reductions against it
#
# Packages are installed by apt; without root they are unpacked into build/packages. If no nvcc from 12.4 on works, a
# CUDA compiler is installed from Python wheels into build/cuda, without root, as the style checkers are into
# build/style. The results are written to build/bootstrap.cmake, which CMake reads. The next run only reads stamps.
#
#   WORKBOOK_BUILD_DIR           a different build folder (default: build)
#   WORKBOOK_NO_INSTALL=1        install nothing: print what is missing, and fail
#   WORKBOOK_IGNORE_SYSTEM_CUDA=1  use no CUDA compiler but the one in the build folder
#   WORKBOOK_PREFIXES            where packages are searched, in addition to $CMAKE_PREFIX_PATH ("/usr/local /usr")
#   CXX, CUDA_HOME               your own compilers, tried first
#
# Exit status: 0 everything is there; 1 something is missing, and the output shows what to install; 2 bad usage.
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

# The inputs of a stamp in addition to the files that it lists: these scripts, and the variables that control the
# search.
stamp_key() {
  local prefix name
  {
    cat "$here"/*.sh "$here"/*.txt "$here"/probe.cu
    echo "${CXX-} ${CUDA_HOME-} ${CMAKE_PREFIX_PATH-} ${WORKBOOK_IGNORE_SYSTEM_CUDA-} $prefixes"
    # A CUDA Toolkit that was installed since may be a better choice, or a g++ that works with an older one.
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
# Waits until other builds and installations in this folder have ended, then checks everything again.
[ -n "$locked" ] || exec sh "$here/lock.sh" "$build_dir" sh "$here/bootstrap.sh" --locked $groups

: >"$log"

say() { printf '%s\n' "$*"; }

# last_lines FILE: prints its last lines; a line that was repeated after a second try is printed once.
last_lines() { awk '!seen[$0]++' "$1" | tail -n 8; }

# version_at_least HAVE WANT
version_at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# found GROUP PATH: records that the group depends on this file.
found() { printf '%s\n' "$2" >>"$state_dir/$1.found"; }

# Writes standard input to the file if that changes it, so that CMake doesn't run again for nothing. If the disk is
# full, the old content remains.
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
# Requests the packages of all groups at once, so that apt runs once.
look_for_groups
provide_packages

# A group that lacks something doesn't hold up the others, unless nothing can be built.
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
  # An optional package may be installed by other means later, so it is looked for each time.
  case " $wishes " in *" $group "*) continue ;; esac
  {
    echo "$key"
    cat "$state_dir/$group.found" 2>/dev/null
  } >"$state_dir/$group.stamp"
  rm -f "$state_dir/$group.found"
done
write_cmake_facts || status=1
exit $status
