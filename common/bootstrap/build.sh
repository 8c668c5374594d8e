#!/bin/sh
# build.sh TARGET: does everything between a fresh clone and a built target. The Makefile calls it. It prints on
# standard error. With V=1 it shows every command of the build.
#
# Exit status: 0 if the target is built; 3 if something is missing and nothing was built; otherwise the build has
# failed.
set -u
exec >&2
cd "$(dirname "$0")/../.." || exit 1
here=common/bootstrap
build_dir=${WORKBOOK_BUILD_DIR:-build}
target=$1

# The groups that this target needs, and its optional groups. Without the optional groups, some tests are skipped, and
# no result is called proved.
needed="build cuda"
optional=
case $target in
  # `make test` tests this machine. The tests of the source tree, its style and its pages need more groups.
  quick)
    needed="$needed test sass grade"
    optional=proofs
    ;;
  all)
    needed="$needed test sass grade"
    optional="proofs style docs plots wheel browser mpi"
    ;;
  test_* | specimen | wrong_kernel | machine_code | *headers_compile_alone) needed="$needed test" ;;
  grader | judge*) needed="$needed grade" ;;
  ranks16 | faulty_ranks) needed="$needed mpi" ;;
  *superopt*) optional=proofs ;;
  chapter[0-9]*)
    case " $(sh "$here/help.sh" libraries "${target#chapter}") " in *" superopt "*) optional=proofs ;; esac
    ;;
esac
# $needed and $optional are split into words on purpose.
sh "$here/bootstrap.sh" $needed || exit 3
[ -z "$optional" ] || sh "$here/bootstrap.sh" $optional ||
  echo "Without these, some tests are skipped; their output says which."

. "$here/unpacked.sh"
build_path=$(cd "$build_dir" && pwd)
use_unpacked
exec sh "$here/lock.sh" "$build_dir" sh "$here/compile.sh" "$target"
