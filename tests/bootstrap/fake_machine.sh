# A machine that consists of stubs, for the tests of the bootstrap. Nothing real is read, installed or changed.
#
# The stubs are shell scripts in $machine/bin. PATH contains only this folder, which also has links to the plain tools
# that the bootstrap uses. $machine/prefix takes the place of /usr. Stubs append the arguments of each call to
# $machine/calls.

set -eu
repository=$(cd "$(dirname "$0")/../.." && pwd)
real_python=$(python3 -c 'import sys; print(sys.executable)')
machine=$(mktemp -d)
trap 'rm -rf "$machine"' EXIT

fail() {
  echo "FAILED: $*" >&2
  echo "--- its output:" >&2
  cat "$machine/output" >&2 || true
  echo "--- calls:" >&2
  cat "$machine/calls" >&2 || true
  exit 1
}

# stub NAME: makes a program from the script on standard input. A link to the real tool is removed first, because
# writing through the link would overwrite the system's own tool. Every stub of Python can run the bootstrap.
stub() {
  rm -f "$machine/bin/$1"
  {
    echo '#!/bin/sh'
    echo "machine='$machine'"
    [ "$1" != python3 ] || echo "case \"\$*\" in '-m bootstrap'*) exec '$real_python' -B \"\$@\" ;; esac"
    cat
  } >"$machine/bin/$1"
  chmod +x "$machine/bin/$1"
}

empty_machine() {
  mkdir -p "$machine/bin" "$machine/prefix" "$machine/home"
  : >"$machine/calls"
  local tool
  for tool in sh awk cat chmod cksum cmp cp date dirname env flock grep head ln ls mkdir mv printf rm rmdir sed sleep \
    sort tail touch tr uname
  do
    ln -s "$(command -v "$tool")" "$machine/bin/$tool"
  done
  echo 'echo 0' | stub id
  echo 'exit 1' | stub python3
}

have_compiler() {
  stub g++ <<STUB
case "\$*" in
  *-dump*) echo $1 ;;
  *) echo "g++ (Test) $1" ;;
esac
STUB
}

have_cmake() { echo "echo 'cmake version $1'" | stub cmake; }

# Adds a Python whose pip "installs" a CUDA compiler, the style checkers, a library to race against, and the packages
# that pack a wheel.
have_python() {
  stub python3 <<'STUB'
echo "python3 $*" >>"$machine/calls"
case "$*" in
  "-m pip --version") echo "pip 23.0.1 from nowhere (python 3.11)" ;;
  "-m pip install"*)
    while [ "$1" != --target ]; do shift; done
    if [ -e "$machine/offline" ]; then
      mkdir -p "$2/nvidia/cu13/bin"
      cat "$machine/offline"
      grep -q "Errno 28" "$machine/offline" || echo "ERROR: Could not find a version that satisfies the requirement"
      exit 1
    fi
    mkdir -p "$2/nvidia/cu13/bin" "$2/nvidia/cu13/lib"
    case "$*" in *cuda_wheels_13.5.txt*) release=13.5 ;; *) release=13.0 ;; esac
    # $machine/fails_RELEASE contains the errors that this release prints when it compiles; if it is missing, it works.
    cat >"$2/nvidia/cu13/bin/nvcc" <<NVCC
#!/bin/sh
case "\$*" in
  --version) echo "Cuda compilation tools, release $release, V$release.88" ;;
  *) ! cat "$machine/fails_$release" 2>/dev/null ;;
esac
NVCC
    chmod +x "$2/nvidia/cu13/bin/nvcc"
    mkdir -p "$2/nvidia/cu13/include/cccl/cub"
    touch "$2/nvidia/cu13/include/cccl/cub/version.cuh"
    mkdir -p "$2/scikit_build_core" "$2/bin" "$2/clang_format/data/bin"
    for tool in bin/ruff bin/mypy bin/zizmor clang_format/data/bin/clang-format; do
      printf '#!/bin/sh\n' >"$2/$tool"
      chmod +x "$2/$tool"
    done
    ;;
esac
STUB
}

have_library() {
  mkdir -p "$machine/prefix/lib/cmake/$1"
  touch "$machine/prefix/lib/cmake/$1/$1Config.cmake"
}

# have_nvcc FOLDER VERSION [EXIT_STATUS_OF_COMPILING [WORDS_OF_COMPILING]]: adds an nvcc.
have_nvcc() {
  mkdir -p "$1"
  cat >"$1/nvcc" <<STUB
#!/bin/sh
case "\$*" in
  --version) echo "Cuda compilation tools, release $2, V$2.0" ;;
  *) echo "${4-}" && exit ${3:-0} ;;
esac
STUB
  chmod +x "$1/nvcc"
}

have_ninja() { echo 'echo 1.11' | stub ninja; }

have_z3() {
  mkdir -p "$machine/prefix/include"
  touch "$machine/prefix/include/z3++.h"
}

have_everything_but_cuda() {
  local library
  have_compiler 12.2.0
  have_cmake 3.25.1
  have_python
  have_ninja
  for library in fmt asmjit CLI11 nlohmann_json benchmark; do have_library "$library"; done
}

have_everything() {
  have_everything_but_cuda
  have_nvcc "$machine/prefix/cuda/bin" 13.0
}

# Adds an apt that knows the packages only after its lists have been updated, and that installs what it is asked for.
have_apt() {
  stub apt-cache <<'STUB'
[ -e "$machine/lists" ]
STUB
  stub apt-get <<'STUB'
echo "apt-get DEBIAN_FRONTEND=$DEBIAN_FRONTEND $*" >>"$machine/calls"
case "$*" in
  *update) touch "$machine/lists" ;;
  *" -s "*)
    for word; do package=$word; done
    echo "Inst $package (1.0 Debian [amd64])"
    ;;
  *" download "*)
    [ ! -e "$machine/broken_apt" ] || { cat "$machine/broken_apt" && exit 100; }
    while [ "$1" != download ]; do shift; done
    shift
    for word; do touch "${word}_1.0_amd64.deb"; done
    ;;
  *install*)
    [ -e "$machine/lists" ] || exit 100
    if [ -e "$machine/broken_apt" ]; then
      cat "$machine/broken_apt"
      [ -s "$machine/broken_apt" ] || echo "E: Unable to fetch some archives"
      exit 100
    fi
    if [ -e "$machine/no_doxygen" ]; then
      case " $* " in *" doxygen "*) exit 100 ;; esac
    fi
    for word; do
      case $word in
        doxygen) printf '#!/bin/sh\n' >"$machine/bin/doxygen" && chmod +x "$machine/bin/doxygen" ;;
        chromium) printf '#!/bin/sh\n' >"$machine/bin/chromium" && chmod +x "$machine/bin/chromium" ;;
        graphviz) printf '#!/bin/sh\n' >"$machine/bin/dot" && chmod +x "$machine/bin/dot" ;;
        cmake) printf '#!/bin/sh\necho cmake version 3.25.1\n' >"$machine/bin/cmake" ;;
        g++) printf '#!/bin/sh\ncase "$*" in *-dump*) echo 12.2.0 ;; *) echo g++ ;; esac\n' >"$machine/bin/g++" ;;
        ninja-build) printf '#!/bin/sh\n' >"$machine/bin/ninja" ;;
        libfmt-dev) config=fmt ;;
        libasmjit-dev) config=asmjit ;;
        libcli11-dev) config=CLI11 ;;
        nlohmann-json3-dev) config=nlohmann_json ;;
        catch2) config=Catch2 ;;
        libbenchmark-dev) config=benchmark ;;
        libseccomp-dev) mkdir -p "$machine/prefix/include" && touch "$machine/prefix/include/seccomp.h" ;;
        openmpi-bin) printf '#!/bin/sh\n' >"$machine/bin/mpirun" && chmod +x "$machine/bin/mpirun" ;;
        libopenmpi-dev) printf '#!/bin/sh\n' >"$machine/bin/mpicxx" && chmod +x "$machine/bin/mpicxx" ;;
        libz3-dev) mkdir -p "$machine/prefix/include" && touch "$machine/prefix/include/z3++.h" ;;
      esac
      if [ -n "${config-}" ]; then
        mkdir -p "$machine/prefix/lib/x86_64-linux-gnu/cmake/$config"
        touch "$machine/prefix/lib/x86_64-linux-gnu/cmake/$config/${config}Config.cmake"
        config=
      fi
    done
    chmod +x "$machine"/bin/cmake "$machine"/bin/g++ "$machine"/bin/ninja 2>/dev/null || true
    ;;
esac
STUB
}

# Makes the user someone other than root, with an apt whose packages can be unpacked: cmake and fmt then appear in the
# folder into which they are unpacked.
have_no_root() {
  have_apt
  touch "$machine/lists"
  echo 'echo 1000' | stub id
  stub apt-cache </dev/null
  stub dpkg-deb <<'STUB'
echo "dpkg-deb $*" >>"$machine/calls"
folder=$3/usr
case $2 in
  */cmake_*) mkdir -p "$folder/bin" && printf '#!/bin/sh\necho cmake version 3.25.1\n' >"$folder/bin/cmake" &&
    chmod +x "$folder/bin/cmake" ;;
  */libfmt-dev_*) mkdir -p "$folder/lib/cmake/fmt" && touch "$folder/lib/cmake/fmt/fmtConfig.cmake" ;;
esac
STUB
}

# bootstrap [NAME=VALUE…] [-- GROUP…]: runs the bootstrap on this machine. Sets status, and writes the output to
# $machine/output.
bootstrap() {
  local variables
  variables=
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    variables="$variables $1"
    shift
  done
  [ $# -eq 0 ] || shift
  status=0
  env -i PATH="$machine/bin" HOME="$machine/home" LC_ALL=C WORKBOOK_BUILD_DIR="$machine/build" \
    WORKBOOK_PREFIXES="$machine/prefix" $variables \
    sh "$repository/common/bootstrap/bootstrap.sh" install "$@" >"$machine/output" 2>&1 </dev/null || status=$?
}

expect_status() { [ "$status" = "$1" ] || fail "exit status $status instead of $1"; }
expect_said() { grep -qF -- "$1" "$machine/output" || fail "did not say: $1"; }
expect_silence() { [ ! -s "$machine/output" ] || fail "was not silent"; }
expect_called() { grep -qF -- "$1" "$machine/calls" || fail "did not call: $1"; }
expect_not_called() { ! grep -qF -- "$1" "$machine/calls" || fail "called: $1"; }
expect_cuda_compiler() {
  grep -qF "set(CMAKE_CUDA_COMPILER \"$1\"" "$machine/build/bootstrap.cmake" || {
    cat "$machine/build/bootstrap.cmake" >&2
    fail "CMake is not told to take $1"
  }
}
