#!/bin/sh
# bootstrap.sh COMMAND ARGUMENT…: finds Python, or installs it, and runs the program that does everything else
# (__main__.py). `bootstrap.sh --help` prints its commands.
#
# Exit status: that of the program; 1 if there is no Python (the output shows what to install).
set -u
cd "$(dirname "$0")/../.." || exit 1
build_dir=${WORKBOOK_BUILD_DIR:-build}
case $build_dir in /*) packages=$build_dir/packages ;; *) packages=$PWD/$build_dir/packages ;; esac
if [ -d "$packages/usr/bin" ]; then PATH=$packages/usr/bin:$PATH; fi
export PATH

# give_up REASON: prints how to install Python by hand, and fails.
give_up() {
  {
    echo "The workbook needs this, and it is not here ($1):"
    echo
    echo "  python3                runs the workbook's own commands"
    echo
    if ! command -v apt-get >/dev/null; then
      echo "Install what your system calls this package."
    elif [ "$(id -u)" = 0 ]; then
      echo "To install it:  apt-get install python3"
    elif command -v sudo >/dev/null; then
      echo "To install it:  sudo apt-get install python3"
    else
      echo "Ask the administrator of this machine to run:  apt-get install python3"
    fi
    echo "Then run make again."
  } >&2
  exit 1
}

# install_python SUDO: installs it with apt, which asks no questions and waits for another apt.
install_python() {
  set -- $1 env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 -qq
  echo "The workbook installs what it needs${as_root:+, with $as_root}:"
  echo "  python3                runs the workbook's own commands"
  if ! apt-cache show python3 >/dev/null 2>&1; then
    echo "  reading the package lists …"
    "$@" update
  fi
  "$@" install -y --no-install-recommends python3 >/dev/null && return
  "$@" update && "$@" install -y --no-install-recommends python3 >/dev/null
}

# Downloads Python and what it depends on without root, and unpacks it into the build folder. No package's scripts are
# run. python3's own link to the interpreter is in python3-minimal.
unpack_python() {
  local names package
  echo "The workbook needs python3, and unpacks it into $build_dir/packages ($1)."
  mkdir -p "$packages/python"
  names=$(apt-get -qq -o Debug::NoLocking=1 -s --no-install-recommends install python3 |
    sed -n 's/^Inst \([^ ]*\).*/\1/p')
  [ -n "$names" ] && (cd "$packages/python" && apt-get -qq -o Debug::NoLocking=1 download $names) || return 1
  for package in "$packages"/python/*.deb; do dpkg-deb -x "$package" "$packages" || return 1; done
  rm -rf "$packages/python"
  PATH=$packages/usr/bin:$PATH
}

if ! command -v python3 >/dev/null; then
  as_root=
  [ -z "${WORKBOOK_NO_INSTALL-}" ] || give_up "WORKBOOK_NO_INSTALL is set"
  command -v apt-get >/dev/null || give_up "no apt-get here to install it"
  {
    if [ "$(id -u)" = 0 ]; then
      install_python ""
    elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
      as_root=sudo
      install_python sudo
    elif ! command -v sudo >/dev/null; then
      unpack_python "not root, and there is no sudo"
    else
      unpack_python "not root, and sudo would ask for a password"
    fi
  } >&2
  command -v python3 >/dev/null || give_up "apt-get could not install it"
fi
PYTHONPATH=common${PYTHONPATH:+:$PYTHONPATH} exec python3 -m bootstrap "$@"
