#!/bin/sh
# The emulator's tests, and a short pass of fuzzing, with sanitizers: sanitized.sh [address,undefined|thread] [all]
#
# Builds what it needs in build-SANITIZER beside the ordinary build. Without `all` only what is quick to compile and
# where bytes from outside are read: the fat binary reader, the PTX parser, device memory.
set -eu
cd "$(dirname "$0")/../.."
sanitizer=${1:-address,undefined}
folder=build-$(echo "$sanitizer" | tr , -)

cmake -S . -B "$folder" -DWORKBOOK_SANITIZE="$sanitizer" -DWORKBOOK_NATIVE=OFF -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS_RELEASE=-O1 >"$folder.log" 2>&1 || { cat "$folder.log" >&2; exit 1; }
rm -f "$folder.log"
tests="emulator_ptx emulator_fat_binary emulator_memory"
programs="fuzz_fat_binary"
if [ "${2:-}" = all ]; then
  tests="$tests emulator_observers emulator_instructions emulator_runtime"
  programs="$programs fuzz_ptx"
fi
targets=$programs
for test in $tests; do targets="$targets test_$test"; done
# shellcheck disable=SC2086  # a list of names
cmake --build "$folder" --parallel "$(nproc)" --target $targets
pattern=$(echo "$tests $programs" | tr ' ' '|')
ctest --test-dir "$folder" --output-on-failure --timeout 300 -R "^($pattern)\$"
