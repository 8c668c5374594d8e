// As ladder.cu, for chapter 12. A file of its own: its block_reduce is that of common/device, and chapter 9 has one
// too.

#include "solutions/12_one_launch/reduce.cuh"

template __global__ void chapter12::solution::reduce_last_block(const int*, int*, std::size_t, workbook::plus);
