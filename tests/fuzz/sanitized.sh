#!/bin/sh
# Runs the emulator's tests and some fuzzing with sanitizers: sanitized.sh [address,undefined|thread] [all]
#
# Builds what it needs in build-SANITIZER next to the ordinary build. Without `all`, it runs only the parts that compile
# quickly and read bytes from outside: the fat binary reader, the PTX parser, and device memory. With `all`, it runs
# every test of the emulator, the zoo of wrong kernels, and the reference kernels. For `thread`, it runs only those with
# more than one thread, on two host threads unless a test chooses the number.
set -eu
cd "$(dirname "$0")/../.."
sanitizer=${1:-address,undefined}
folder=build-$(echo "$sanitizer" | tr , -)

if command -v ninja >/dev/null; then export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}"; fi  # if the folder is new
cmake -S . -B "$folder" -DWORKBOOK_SANITIZE="$sanitizer" -DWORKBOOK_NATIVE=OFF -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS_RELEASE=-O1 >"$folder.log" 2>&1 || { cat "$folder.log" >&2; exit 1; }
rm -f "$folder.log"
tests="emulator_ptx fat_binary emulator_memory"
programs="fuzz_fat_binary"
references=
if [ "${2:-}" = all ]; then
  references=ladder
  if [ "$sanitizer" = thread ]; then
    tests="emulator_memory emulator_observers emulator_runtime wrong_kernels"
    programs=
  else
    tests="$tests emulator_access_examples emulator_explain emulator_instructions emulator_observers"
    tests="$tests emulator_report emulator_runtime emulator_runtime_rules host wrong_kernels"
    programs="$programs fuzz_ptx"
  fi
fi
targets=$programs
for test in $tests $references; do targets="$targets test_$test"; done
# shellcheck disable=SC2086  # a list of names
sh common/bootstrap/bootstrap.sh lock "$folder" cmake --build "$folder" --parallel "$(nproc)" --target $targets
# shellcheck disable=SC2086
pattern=$(echo $tests $programs | tr ' ' '|')
export EMULATOR_HOST_THREADS=2
ctest --test-dir "$folder" --output-on-failure --timeout 900 -j "$(nproc)" -R "^($pattern)\$"
# Only one test of the references has enough blocks for two threads. The ordinary build runs the others.
[ -z "$references" ] || "$folder/bin/test_$references" "no check has a finding on any reference kernel"
