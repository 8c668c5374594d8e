#!/usr/bin/env bash
# record.sh FOLDER COMMIT [PART…]: on a machine with a GPU, builds everything, runs the tests on emulator and GPU,
# times the ladder, reads ncu's counters and runs compute-sanitizer, and writes JSON, CSV and text to FOLDER. From
# there, `PYTHONPATH=common python3 -m book.collect FOLDER GPU` collects it. If a part fails, its name is printed, and
# the other parts still run. PART is one of build, tests, ladder, times, limits, studies, counters, sanitizers, gpus;
# by default, all parts but the last run. `gpus` is for a machine with several GPUs: it measures what links cost, what
# every method of chapter 16 sends, and how long that takes. RECORD_TARGETS lists what `build` builds instead of
# everything: "ladder" is enough for `ladder`, and "machine scaling ranks16" for `gpus`. RECORD_BLOCKS lists the block
# sizes of `ladder`, if not all are wanted.
set -u
out=$1 commit=$2
shift 2
build=build-gpu bin=build-gpu/bin
step() { echo; echo "== $* ($(date -u +%H:%M:%S))"; }

record() { # TYPE BLOCK_SIZE COUNTS
  local name=ladder_$1_block$2
  "$bin/ladder" --device gpu --type "$1" --block-size "$2" --counts "$3" --commit "$commit" \
    --json "$out/$name.json" >"$out/$name.txt" || echo "$name failed"
}

build() {
  step configure and build
  # RECORD_CMAKE_ARGS is split into words on purpose.
  if ! cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release ${RECORD_CMAKE_ARGS-} >"$out/configure.txt" 2>&1; then
    tail -20 "$out/configure.txt"
    return 1
  fi
  # RECORD_TARGETS is split into words on purpose.
  if ! cmake --build "$build" -j "$(nproc)" ${RECORD_TARGETS:+--target $RECORD_TARGETS} >"$out/build.txt" 2>&1; then
    grep -E 'error|Error' "$out/build.txt" | head -20
    return 1
  fi
  name_gpus
}

name_gpus() {
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | tee "$out/gpu.txt"
}

tests() {
  step the suite on this machine, on the emulator
  # Leaves out the tests of installing and of the source tree's text.
  ctest --test-dir "$build" --output-on-failure -j "$(nproc)" --timeout 300 \
    -E '^bootstrap|^house' >"$out/ctest.txt" 2>&1
  sed -n '/tests passed/,$p' "$out/ctest.txt"

  step the suite on the GPU
  export WORKBOOK_TEST_DEVICE=gpu
  for suite in timer ladder emulator_runtime operators reduce ranges buffer_pool superopt_on_device; do
    "$bin/test_$suite" '~[fault]' >"$out/test_${suite}_gpu.txt" 2>&1
    echo "$suite: status $?"
    tail -3 "$out/test_${suite}_gpu.txt"
  done
  # Each fault has its own process, because after a fault the process can no longer use the device.
  for fault in 'bounds every' 'null every' 'misaligned access every' 'trap every' 'assertion every'; do
    "$bin/test_emulator_runtime" "*$fault*" >"$out/fault_${fault// /_}.txt" 2>&1
    echo "$fault: status $?"
  done
  unset WORKBOOK_TEST_DEVICE

  step chapters as a student with a GPU sees them
  for chapter in 0 3 9 12; do
    "$bin/chapter$chapter" --device auto --count 2^26 --json "$out/chapter$chapter.json" |
      tee "$out/chapter$chapter.txt"
    echo "status $?"
  done

  # The same with students' kernels: one that never ends, and one that reads out of bounds.
  "$bin/student_program" endless_loop --device auto --count 2^22 | tee "$out/student_hangs.txt"
  "$bin/student_program" reads_past_end --device gpu --count 1000001 | tee "$out/student_faults.txt"
}

# The lessons use blocks of 256 threads, and Harris blocks of 128, so both are recorded at every size.
ladder() {
  local block_size type
  for block_size in ${RECORD_BLOCKS:-256 128 32 64 512 1024}; do
    step "the ladder and the library, in blocks of $block_size threads"
    case $block_size in
      128 | 256)
        record int "$block_size" "2^10,2^11,2^12,2^13,2^14,2^16,2^18,2^20,2^22,2^24,2^26,2^28,2^29,2^30,2^31,2147483659"
        record float "$block_size" "2^10,2^16,2^20,2^22,2^24,2^26,2^28,2^29,2^30"
        record double "$block_size" "2^10,2^16,2^20,2^22,2^24,2^26,2^28,2^29"
        ;;
      *) for type in int float double; do record "$type" "$block_size" "2^16,2^20,2^22,2^24,2^26,2^28,2^29"; done ;;
    esac
    grep -E ' (1048576|268435456|536870912|2147483648) ' "$out/ladder_int_block$block_size.txt"
  done
}

times() {
  step the reduction in one launch in every shape, and the library
  "$bin/tune" --device gpu --repetitions 61 --commit "$commit" --json "$out/tune.json" | tee "$out/tune.txt"
  # Arrays of odd sizes with a start that vector loads cannot use must be within 3 % of aligned arrays.
  "$bin/tune" --device gpu --mailboxes --screening 1 --finalists 1 --offsets 0,1,2,3 --counts "2^26,67108867,2^28" \
    --commit "$commit" --json "$out/tune_unaligned.json" | tee "$out/tune_unaligned.txt"

  step the same reduction over types of elements and accumulators, beside the library
  "$bin/race_types" --repetitions 61 --commit "$commit" --json "$out/types.json" | tee "$out/types.txt"

  step rows, columns, segments and runs of keys, beside the libraries
  "$bin/race_shapes" --repetitions 31 --commit "$commit" --json "$out/shapes.json" | tee "$out/shapes.txt"
}

limits() {
  step "the machine's facts, and what the kernels wait for"
  # latencies.json is a cost table. After it has been checked, it is copied to
  # common/machine_code/superopt/tables/h200.json.
  "$bin/machine" --name h200 --commit "$commit" --json "$out/machine.json" --cost-table "$out/latencies.json" |
    tee "$out/machine.txt"
  counts=$(seq -s , -f '2^%g' 16 30)
  "$bin/limits" --counts "$counts" --block-sizes 32,64,128,256,512,1024 --commit "$commit" \
    --json "$out/ablations.json" >"$out/ablations.txt"
  grep ' 536870912 ' "$out/ablations.txt"
}

studies() {
  step the chapters that set kernels side by side, and chapter 0 at the size of the lecture
  "$bin/chapter0" --device gpu --type float --count 2^20 --json "$out/chapter0_float_20.json" \
    >"$out/chapter0_float_20.txt"
  "$bin/chapter10" --device gpu --json "$out/chapter10.json" | tee "$out/chapter10.txt"
  for type in float double; do
    "$bin/chapter11" --device gpu --type "$type" --block-size 512 --json "$out/chapter11_${type}_512.json" |
      tee "$out/chapter11_${type}_512.txt"
  done
  for block in 256 1024; do
    "$bin/chapter11" --device gpu --type double --block-size "$block" --json "$out/chapter11_double_$block.json" |
      tee "$out/chapter11_double_$block.txt"
  done
  "$bin/chapter12" --device gpu --type float --count 2^20 --json "$out/chapter12_float_20.json" \
    >"$out/chapter12_float_20.txt"

  step chapter 14: the ends of a reduction
  "$bin/chapter14" --device gpu --json "$out/chapter14.json" | tee "$out/chapter14.txt"
  "$bin/superopt" --target sum32 --cost "$out/latencies.json" --opcodes all --quiet | tee "$out/superopt_sum32.txt"
  "$bin/superopt" --target sum16 --cost "$out/latencies.json" --quiet | tee "$out/superopt_sum16.txt"

  step chapter 15: segments, in blocks of two sizes
  for block in 128 512; do
    "$bin/chapter15" --device gpu --block-size "$block" --json "$out/chapter15_$block.json" |
      tee "$out/chapter15_$block.txt"
  done

  step pipelines beside kernels by hand and libraries, and the pool beside cudaMalloc
  "$bin/chapter13" --device gpu --type float --count 2^26 --json "$out/chapter13_float_26.json" |
    tee "$out/chapter13_float_26.txt"
  # The size in the latency story and in the lecture's figure.
  "$bin/chapter13" --device gpu --type int --count 2^29 --json "$out/chapter13_int_29.json" |
    tee "$out/chapter13_int_29.txt"
  "$bin/julia_set" --device gpu --width 1000 --image "$out/julia_set.pgm" --json "$out/julia_set.json" |
    tee "$out/julia_set.txt"
}

counters() {
  step ncu
  loads=l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
  stores=l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
  shared=smsp__sass_inst_executed_op_shared_ld.sum,smsp__sass_inst_executed_op_shared_st.sum
  shared+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum
  atomics=l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum
  atomics+=,l1tex__t_requests_pipe_lsu_mem_global_op_red.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum
  locals=smsp__sass_inst_executed_op_local_ld.sum,smsp__sass_inst_executed_op_local_st.sum
  locals+=,l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum
  ncu --clock-control none --csv --metrics "$loads,$stores,$shared,$atomics,$locals" \
    "$bin/agreement" --device gpu >"$out/ncu_probes.csv" 2>"$out/ncu_probes.err"
  wc -l "$out/ncu_probes.csv"
  ncu --clock-control none --csv --metrics "$loads,$stores,$shared" \
    "$bin/ladder" --device gpu --counts 2^22 --block-size 256 --repetitions 0 >"$out/ncu.csv" 2>"$out/ncu.err"
  wc -l "$out/ncu.csv"
}

sanitizers() {
  step compute-sanitizer on the references
  for tool in memcheck racecheck initcheck synccheck; do
    compute-sanitizer --tool "$tool" --error-exitcode 9 "$bin/ladder" --device gpu --counts 1000,70001 --repetitions 0 \
      >"$out/sanitizer_$tool.txt" 2>&1
    echo "$tool: status $?, $(grep 'SUMMARY' "$out/sanitizer_$tool.txt" | tail -1)"
  done

  step compute-sanitizer on the wrong kernels
  python3 tests/kernels/wrong_kernels/sanitize.py record "$bin/wrong_kernel" "$out/sanitizer.json"
  echo "status $?"
}

# If a program does not end in time, its results so far are kept, and the other programs still run.
gpus() {
  name_gpus
  local number
  number=$(nvidia-smi -L | wc -l)
  nvidia-smi topo -m | tee "$out/topology.txt"
  echo "$(nproc) cores, $(nvidia-smi nvlink -s -i 0 | grep -c 'GB/s') NVLinks of each GPU" | tee "$out/host.txt"

  step "what links cost, between each two GPUs"
  timeout 100 "$bin/machine" --device gpu --parts links --commit "$commit" --json "$out/links.json" >"$out/links.txt" ||
    echo "machine failed: status $?"
  tail -20 "$out/links.txt"

  step a process for each GPU
  timeout 60 mpirun -n "$number" --oversubscribe --bind-to none "$bin/ranks16" --json "$out/ranks.json" \
    --commit "$commit" 2>&1 | tee "$out/ranks.txt"

  step sums, short calls, bytes and times of all methods
  local links=
  if [ -s "$out/links.json" ]; then links="--links $out/links.json"; fi
  # $links is split into two words, or is empty.
  timeout "${RECORD_SECONDS:-600}" "$bin/scaling" --device gpu --gpus "$number" $links --commit "$commit" \
    --json "$out/scaling.json" >"$out/scaling.txt" || echo "scaling failed: status $?"
  grep -vE '^ +(8|64|512|4096) ' "$out/scaling.txt"
}

if [ $# -eq 0 ]; then set -- build tests ladder times limits studies counters sanitizers; fi
for part in "$@"; do
  case $part in
    build) build || exit 1 ;;
    tests | ladder | times | limits | studies | counters | sanitizers | gpus) "$part" ;;
    *)
      echo "record.sh: there is no part $part" >&2
      exit 2
      ;;
  esac
done
