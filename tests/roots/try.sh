#!/bin/sh
# try.sh SYSTEM [OPTION…]: follows the steps of README.md in a bare root of another system, and records the results.
#
#   SYSTEM             debian-12, debian-13, debian-forky, ubuntu-22.04, ubuntu-24.04 or ubuntu-26.04
#   --user             as a user without root and without sudo (git, make, g++ and python3 are there)
#   --arch arm64       another processor, under qemu-user-static
#   --native-compilers  with --arch: after the bootstrap, this machine's cc1plus, as, ld, ptxas and fatbinary replace
#                      the root's, which are ten times as slow. The record lists them
#   --with "NAME…"     additional packages
#   --env "NAME=VALUE…"  set for make, such as CXX=g++-13
#   --targets "…"      make targets: "chapter1 test" by default; the emulator's tests are `test-emulator`
#   --name NAME        of the record: tests/roots/records/NAME.json
#
# A root has git, make, g++ and nothing else. debootstrap makes it once in $ROOTS (build/roots); each run has its own
# copy, and a clone of HEAD in a folder with blanks. Needs root, two gigabytes and 5 to 20 minutes.
#
# Exit status: 0 if everything worked; 1 if something did not, which the record lists; 2 for bad usage.
set -u
tree=$(cd "$(dirname "$0")/../.." && pwd)
roots=${ROOTS:-$tree/build/roots}

system=${1-}
name=$system
user=
arch=
native=
with=
settings=
targets="chapter1 test"
[ $# -eq 0 ] || shift
while [ $# -gt 0 ]; do
  case $1 in
    --user) user=yes && name=$name-user ;;
    --arch) arch=${2-} && name=$name-$arch && shift ;;
    --native-compilers) native=yes ;;
    --with) with=${2-} && shift ;;
    --env) settings=${2-} && shift ;;
    --targets) targets=${2-} && shift ;;
    --name) name=${2-} && shift ;;
    *) system= ;;
  esac
  shift
done
# Sets the suite, and a suite that debootstrap's own scripts know. An older debootstrap can make newer suites with the
# script of an older one.
components=main
case $system in
  debian-12) set -- bookworm bookworm ;;
  debian-13) set -- trixie sid ;;
  debian-forky) set -- forky sid ;;
  ubuntu-22.04) set -- jammy gutsy ;;
  ubuntu-24.04) set -- noble gutsy ;;
  ubuntu-26.04) set -- resolute gutsy ;;
  *)
    sed -n '2,17s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
[ "$(id -u)" = 0 ] || { echo "try.sh has to run as root, because debootstrap does." >&2 && exit 2; }
command -v debootstrap >/dev/null || { echo "debootstrap is missing: apt-get install debootstrap" >&2 && exit 2; }

# make_bare ROOT ARCH SUITE SCRIPT: makes the root with debootstrap, from its default mirror; ARCH may be empty.
make_bare() {
  local keys
  [ ! -e "$1/.done" ] || return 0
  rm -rf "$1" "$roots/debootstrap"
  mkdir -p "$roots/cache"
  cp -r /usr/share/debootstrap "$roots/debootstrap"
  [ -e "$roots/debootstrap/scripts/$3" ] || ln -s "$4" "$roots/debootstrap/scripts/$3"
  keys=
  case $system in
    ubuntu-*)
      components=main,universe
      # Debian may have no package with Ubuntu's key.
      [ -r /usr/share/keyrings/ubuntu-archive-keyring.gpg ] || keys=--no-check-gpg
      ;;
  esac
  DEBOOTSTRAP_DIR=$roots/debootstrap debootstrap --variant=minbase --include=git,make,g++ --components="$components" \
    --cache-dir="$roots/cache" $keys ${2:+--arch="$2"} "$3" "$1" >"$1.log" 2>&1 || {
    tail -n 5 "$1.log" >&2
    exit 1
  }
  touch "$1/.done"
}

bare=$roots/$system${arch:+-$arch}
make_bare "$bare" "$arch" "$1" "$2"
copy=$roots/try-$name
rm -rf "$copy"
cp -a --reflink=auto "$bare" "$copy"
if [ -n "$native" ]; then
  make_bare "$roots/$system" "" "$1" "$2"
  sh "$tree/tests/roots/native_compilers.sh" "$roots/$system" "$copy" || exit 1
fi
trap 'rm -rf "$copy"' EXIT
cp /etc/resolv.conf "$copy/etc/resolv.conf"
# Debian's CUDA Toolkit is not in main.
case $system in debian-*) sed -i 's/ main$/ main contrib non-free/' "$copy/etc/apt/sources.list" ;; esac
# If this machine's connections use its own certificate authority, the root has to trust that authority, too.
if [ -n "${PIP_CERT-}" ]; then
  mkdir -p "$copy/etc/ssl/certs"
  cp "$PIP_CERT" "$copy/etc/ssl/certs/of-the-host.crt"
  settings="$settings PIP_CERT=/etc/ssl/certs/of-the-host.crt"
fi
place="/home/student/a folder with a rather long name, as courses like to give them/Übung 1"
git clone -q "$tree" "$copy$(printf '%s' "$place" | tr -d ,)"
place=$(printf '%s' "$place" | tr -d ,)

# The script that runs inside the root: it calls make and prints the facts for the record.
cat >"$copy/try.sh" <<'INSIDE'
cd "$PLACE" || exit 1
fact() { printf '%s\t%s\n' "$1" "$2" >>"$FACTS"; }
# Sets processor_seconds to the processor time of all commands so far. It must not run in a subshell, because `times`
# would count only the subshell's commands.
read_processor_seconds() {
  times >/tmp/times.txt
  # The second line is the total of all commands that have ended: 1m2.34s 0m5.67s.
  processor_seconds=$(
    awk 'NR == 2 { for (k = 1; k <= 2; ++k) { split($k, t, /[ms]/); s += 60 * t[1] + t[2] } print int(s) }' \
      /tmp/times.txt
  )
}
# run_timed NAME COMMAND…
run_timed() {
  local name begin before status
  name=$1
  shift
  begin=$(date +%s)
  read_processor_seconds
  before=$processor_seconds
  "$@" >"/tmp/$name.txt" 2>&1
  status=$?
  fact "$name.seconds" "$(($(date +%s) - begin))"
  read_processor_seconds
  fact "$name.processor_seconds" "$((processor_seconds - before))"
  fact "$name.status" "$status"
  echo "--- $*: status $status" && tail -n "${LINES_SHOWN:-15}" "/tmp/$name.txt"
}
timed() { run_timed "$1" make "$@"; }
# Prints what a chapter reports without its table of times, because that shows times from our records, too.
counts_of() { "build/bin/$1" --device emulator --all 2>/dev/null | sed '/^on an\{0,1\} /,/^$/d'; }
. /etc/os-release
fact system "$PRETTY_NAME"
fact architecture "$(uname -m)"
if [ -d /native ]; then
  run_timed bootstrap sh common/bootstrap/bootstrap.sh install build cuda test
  cp -a /native/system/. / && cp -a /native/cuda/. build/cuda/ && fact native_compilers "$(
    cd /native && find system cuda -type f ! -name '*.so*' ! -path '*/x86_64-linux-gnu/*' -printf '%f\n' | sort | xargs
  )"
fi
for target in $TARGETS; do
  case $target in
    test | test-emulator)
      # On an emulated processor, tests take longer than the Makefile's limit.
      timed "$target" ${EMULATED:+ARGS="--timeout 3600"}
      fact "$target.passed" "$(sed -n 's/.*tests passed, .* out of \([0-9]*\)$/\1/p' "/tmp/$target.txt")"
      fact "$target.failed" "$(sed -n 's/.*tests passed, \([0-9]*\) tests* failed out of.*/\1/p' "/tmp/$target.txt")"
      ;;
    docs) timed docs ;;
    *)
      timed "$target"
      fact "$target.counts" "$(counts_of "$target" | cksum)"
      ;;
  esac
done
nvcc=$(sed -n 's/^# nvcc //p' build/bootstrap.cmake)
PATH=$PWD/build/packages/usr/bin:$PATH
LD_LIBRARY_PATH=$PWD/build/packages/usr/lib/$(uname -m)-linux-gnu
export LD_LIBRARY_PATH
fact toolkit "$("$nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')"
fact compiler "$("$(sed -n 's/^# cxx //p' build/bootstrap.cmake)" -dumpfullversion -dumpversion | head -n 1)"
fact libc "$(ldd --version | sed -n '1s/.* //p')"
fact cmake "$(cmake --version | sed -n '1s/.* //p')"
fact python "$(python3 --version | sed 's/.* //')"
INSIDE

facts=$copy/facts.txt
: >"$facts"
as=root
packages="$with"
if [ -n "$user" ]; then
  as=student
  packages="$packages python3"
fi
inside="mount -t proc proc '$copy/proc'; mount --rbind /dev '$copy/dev'; mount --rbind /sys '$copy/sys' 2>/dev/null
  mkdir -p '$copy/dev/shm'
  if [ -n '$packages' ]; then
    chroot '$copy' sh -c '
      apt-get -qq update
      DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $packages' \
      >'$copy/tmp/packages.txt' 2>&1 || tail -n 5 '$copy/tmp/packages.txt'
  fi
  chroot '$copy' useradd -m -d /home/student student 2>/dev/null
  [ '$as' = root ] || chroot '$copy' chown -R student:student /home/student /facts.txt
  chroot --userspec='$as' '$copy' env -i HOME=/home/student LANG=C.UTF-8 \
    PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin PLACE='$place' FACTS=/facts.txt TARGETS='$targets' \
    EMULATED='$arch' $settings sh /try.sh"
unshare --mount --pid --fork sh -c "$inside"
[ -s "$facts" ] || { echo "The run in the root left no results." >&2 && exit 1; }
commit=$(git -C "$tree" rev-parse --short=12 HEAD)
python3 "$tree/tests/roots/record.py" "$facts" "$tree/tests/roots/records/$name.json" commit="$commit" \
  user="${user:-no}" with="$with" settings="$(printf '%s' "$settings" | sed 's/PIP_CERT=[^ ]*//')"
