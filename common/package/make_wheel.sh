#!/bin/sh
# make_wheel.sh BUILD [BUILT [FOLDER]]: packs the emulator into a Python wheel, and prints its path.
#
#   BUILD    the build folder that contains the tools (`bootstrap.sh install wheel`)
#   BUILT    a build folder in which `emulate` is built; by default, BUILD/for_wheel is made, for any x86-64 processor
#   FOLDER   the folder for the wheel (default: BUILD/wheel)
set -eu
cd "$(dirname "$0")/../.."
build_dir=$1
build_path=$(cd "$build_dir" && pwd)
# Libraries may have been unpacked there, without root.
export CMAKE_PREFIX_PATH="$build_path/packages/usr${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}"

built=${2-}
if [ -z "$built" ]; then
  built=$build_dir/for_wheel
  mkdir -p "$built/bootstrap"
  cmp -s "$build_dir/bootstrap.cmake" "$built/bootstrap.cmake" || cp "$build_dir/bootstrap.cmake" "$built/"
  WORKBOOK_BUILD_DIR=$built WORKBOOK_CMAKE_ARGS=-DWORKBOOK_NATIVE=OFF \
    sh common/bootstrap/bootstrap.sh compile emulate
fi
built=$(cd "$built" && pwd)
folder=${3:-$build_dir/wheel}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

# Function names differ between major versions of CUDA, so the wheel's build tag is CUDA's major version.
nvcc=$(sed -n 's/^CMAKE_CUDA_COMPILER:[A-Z]*=//p' "$built/CMakeCache.txt")
cuda=$("$nvcc" --version | sed -n 's/.*release \([0-9]*\)\..*/\1/p')

cd common/package/wheel
export PYTHONPATH="$build_path/wheel_tools${PYTHONPATH:+:$PYTHONPATH}"
said=$(
  python3 - "$folder" "$built" "${cuda}cuda" 2>&1 <<'PYTHON'
import sys
from scikit_build_core.build import build_wheel

folder, built, tag = sys.argv[1:]
name = build_wheel(folder, {"cmake.define.WORKBOOK_BUILD": built, "wheel.build-tag": tag})
print(f"{folder}/{name}")
PYTHON
) || {
  printf '%s\n' "$said" >&2
  exit 1
}
printf '%s\n' "$said" | tail -n 1
