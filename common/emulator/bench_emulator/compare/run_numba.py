#!/usr/bin/env python3
"""run_numba.py COUNT ROUNDS: chapter 1's kernel in Numba's CUDA simulator; CPU milliseconds, one line per round."""

import os
import sys
import time

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
import numpy as np
from numba import cuda, int32

BLOCK = 128


@cuda.jit
def reduce_interleaved(values, partials, n):
    tile = cuda.shared.array(BLOCK, int32)
    tid = cuda.threadIdx.x
    i = cuda.blockIdx.x * cuda.blockDim.x + tid
    tile[tid] = values[i] if i < n else 0
    cuda.syncthreads()
    stride = 1
    while stride < cuda.blockDim.x:
        if tid % (2 * stride) == 0:
            tile[tid] += tile[tid + stride]
        cuda.syncthreads()
        stride *= 2
    if tid == 0:
        partials[cuda.blockIdx.x] = tile[0]


def reduce(values):
    while True:
        blocks = (len(values) + BLOCK - 1) // BLOCK
        partials = np.zeros(blocks, dtype=np.int32)
        reduce_interleaved[blocks, BLOCK](values, partials, len(values))
        if blocks == 1:
            return int(partials[0])
        values = partials


def main(count, rounds):
    values = (np.arange(count, dtype=np.int64) * 7919 % 2001 - 1000).astype(np.int32)
    for _ in range(rounds):
        begin = time.process_time()
        if reduce(values) != int(values.sum(dtype=np.int32)):
            sys.exit("the sum is wrong")
        print(f"{1e3 * (time.process_time() - begin):.4f}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
