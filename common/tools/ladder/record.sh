#!/usr/bin/env bash
# record.sh FOLDER COMMIT: on a machine with a GPU, builds everything that times or verifies, runs it, and leaves JSON
# and CSV in FOLDER. What it writes is copied to plots/data and tests/data by hand, after a look at it.
set -u
out=$1 commit=$2
bin=build-gpu/bin
# RECORD_CMAKE_ARGS is a list of words on purpose.
if ! cmake -S . -B build-gpu -DCMAKE_BUILD_TYPE=Release ${RECORD_CMAKE_ARGS-} >"$out/configure.txt" 2>&1; then
  tail -20 "$out/configure.txt"
  exit 1
fi
if ! cmake --build build-gpu -j "$(nproc)" \
  --target ladder test_ladder chapter7 chapter10 chapter11 >"$out/build.txt" 2>&1; then
  grep -E 'error|Error' "$out/build.txt" | head -20
  exit 1
fi
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
WORKBOOK_TEST_DEVICE=gpu $bin/test_ladder 2>&1 | tail -15

record() { # TYPE COUNTS
  $bin/ladder --device gpu --type "$1" --counts "$2" --commit "$commit" --json "$out/ladder_$1.json"
}
record int "2^10,2^12,2^14,2^16,2^18,2^20,2^22,2^24,2^26,2^28,2^29,2^30,2^31,2147483659"
record float "2^20,2^28"
record double "2^20,2^28"
$bin/chapter7 --device auto --count 2^26
# Tables of the chapters that set kernels side by side.
$bin/chapter10 --device gpu --json "$out/chapter10.json" >"$out/chapter10.txt"
for type in float double; do
  for block_size in 256 512 1024; do
    $bin/chapter11 --device gpu --type "$type" --block-size "$block_size" \
      --json "$out/chapter11_${type}_$block_size.json" >"$out/chapter11_${type}_$block_size.txt"
  done
done

loads=l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
stores=l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
shared=smsp__sass_inst_executed_op_shared_ld.sum,smsp__sass_inst_executed_op_shared_st.sum
shared+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum
ncu --clock-control none --csv --metrics "$loads,$stores,$shared" \
  $bin/ladder --device gpu --counts 2^22 --repetitions 0 >"$out/ncu.csv" 2>"$out/ncu.err"
wc -l "$out/ncu.csv"
