#!/bin/sh
# Runs chapter 16 in several processes on this machine, with mpirun.
#
#   ranks.sh run RANKS [WORD…]      runs it on this many ranks; both programs must be built
#   ranks.sh where-there-is-mpi     builds it and runs it on four; without MPI, prints one line on how to install it
#
# Exit status: that of mpirun, which is the ranks' own; 2 for bad usage.
set -u
cd "$(dirname "$0")/../.." || exit 1
here=common/bootstrap
build_dir=${WORKBOOK_BUILD_DIR:-build}

run() {
  local ranks options
  ranks=$1
  shift
  case $ranks in
    '' | *[!0-9]* | 0*)
      echo "RANKS=$ranks: give the number of processes, such as make ranks RANKS=4" >&2
      exit 2
      ;;
  esac
  options=
  # Only Open MPI needs options for more ranks than cores, for ranks that have threads, and for root.
  case $(mpirun --version 2>&1) in
    *"Open MPI"*)
      options="--oversubscribe --bind-to none"
      [ "$(id -u)" != 0 ] || options="$options --allow-run-as-root"
      ;;
  esac
  echo "mpirun -n $ranks${options:+ $options} $build_dir/bin/chapter16${*:+ $*}"
  # $options is split into words on purpose.
  exec mpirun -n "$ranks" $options "$build_dir/bin/chapter16" "$@"
}

case ${1-} in
  run)
    shift
    run "$@"
    ;;
  where-there-is-mpi)
    echo
    if WORKBOOK_NO_INSTALL=1 sh "$here/bootstrap.sh" mpi >/dev/null 2>&1; then
      sh "$here/build.sh" ranks16 && run 4
    else
      echo "Many processes, too: \`make ranks\` installs MPI, and runs a rank for each GPU."
    fi
    ;;
  *)
    sed -n '4,5s/^# *//p' "$0" >&2
    exit 2
    ;;
esac
