#!/usr/bin/env bash
# record.sh FOLDER COMMIT: on a machine with a GPU, builds everything that times or verifies, runs it, and leaves JSON and CSV
# in FOLDER. What it writes is copied to plots/data and tests/data by hand, after a look at it.
set -u
out=$1 commit=$2
cmake -S . -B build-gpu -DCMAKE_BUILD_TYPE=Release ${RECORD_CMAKE_ARGS-} >"$out/configure.txt" 2>&1 || { tail -20 "$out/configure.txt"; exit 1; }
cmake --build build-gpu -j "$(nproc)" --target ladder test_ladder chapter7 >"$out/build.txt" 2>&1 || { grep -E 'error|Error' "$out/build.txt" | head -20; exit 1; }
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
WORKBOOK_TEST_DEVICE=gpu build-gpu/bin/test_ladder 2>&1 | tail -15
build-gpu/bin/ladder --device gpu --counts "2^10,2^12,2^14,2^16,2^18,2^20,2^22,2^24,2^26,2^28,2^29,2^30,2^31,2147483659" --commit "$commit" --json "$out/ladder_int.json"
build-gpu/bin/ladder --device gpu --type float --counts "2^20,2^28" --commit "$commit" --json "$out/ladder_float.json" | tail -16
build-gpu/bin/ladder --device gpu --type double --counts "2^20,2^28" --commit "$commit" --json "$out/ladder_double.json" | tail -16
build-gpu/bin/chapter7 --device auto --count 2^26
metrics=l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
metrics+=,smsp__sass_inst_executed_op_shared_ld.sum,smsp__sass_inst_executed_op_shared_st.sum
metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum
ncu --clock-control none --csv --metrics "$metrics" build-gpu/bin/ladder --device gpu --counts 2^22 --repetitions 0 >"$out/ncu.csv" 2>"$out/ncu.err"
wc -l "$out/ncu.csv"
