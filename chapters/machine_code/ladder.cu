// One instance of the kernels that the lessons' sections on machine code speak of, for chapters 0 to 11: ints, or
// floats where the lesson has floats, in blocks of 128 threads. The build assembles them for several architectures;
// nothing runs them.

#include "10_private_arrays/kernels.cuh"
#include "11_launch_bounds/versions.cuh"
#include "device/operators.cuh"
#include "solutions/00_ceiling/reduce.cuh"
#include "solutions/01_interleaved_addressing/reduce.cuh"
#include "solutions/02_strided_index/reduce.cuh"
#include "solutions/03_sequential_addressing/reduce.cuh"
#include "solutions/04_first_add_during_load/reduce.cuh"
#include "solutions/05_unroll_last_warp/reduce.cuh"
#include "solutions/06_complete_unrolling/reduce.cuh"
#include "solutions/07_many_per_thread/reduce.cuh"
#include "solutions/08_vector_loads/reduce.cuh"
#include "solutions/09_warp_shuffles/reduce.cuh"
#include "solutions/10_private_arrays/private_arrays.cuh"
#include "solutions/11_launch_bounds/launch_bounds.cuh"

template __global__ void chapter0::solution::reduce_single_thread(const int*, int*, std::size_t);
template __global__ void chapter0::solution::reduce_atomic(const int*, int*, std::size_t);
template __global__ void chapter1::solution::reduce_interleaved(const int*, int*, std::size_t);
template __global__ void chapter2::solution::reduce_strided(const int*, int*, std::size_t);
template __global__ void chapter3::solution::reduce_sequential(const int*, int*, std::size_t);
template __global__ void chapter4::solution::reduce_first_add(const int*, int*, std::size_t);
template __global__ void chapter5::solution::reduce_unrolled_warp(const int*, int*, std::size_t);
template __global__ void chapter6::solution::reduce_unrolled<128>(const int*, int*, std::size_t);
template __global__ void chapter7::solution::reduce_many_per_thread<128>(const int*, int*, std::size_t);
template __global__ void chapter8::solution::reduce_vector_loads<128>(const int*, int*, std::size_t);
template __global__ void chapter9::solution::reduce_shuffles(const int*, int*, std::size_t, workbook::plus);
template __global__ void chapter9::solution::reduce_shuffles(const float*, float*, std::size_t, workbook::plus);

template __global__ void chapter10::gather_static(const float*, const unsigned*, float*, std::size_t, unsigned);
template __global__ void chapter10::gather_local(const float*, const unsigned*, float*, std::size_t, unsigned);
template __global__ void chapter10::gather_from_warp(const float*, const unsigned*, float*, std::size_t, unsigned);
template __global__ void chapter10::solution::gather(const float*, const unsigned*, float*, std::size_t, unsigned);

using chapter11::base, chapter11::wide_both;
template __global__ void chapter11::unbounded<base>(const double*, const double*, double*, unsigned, unsigned,
                                                    std::size_t);
template __global__ void chapter11::bounded<base, 512, 2>(const double*, const double*, double*, unsigned, unsigned,
                                                          std::size_t);
template __global__ void chapter11::unbounded<wide_both>(const double*, const double*, double*, unsigned, unsigned,
                                                         std::size_t);
template __global__ void chapter11::bounded<wide_both, 512, 2>(const double*, const double*, double*, unsigned,
                                                               unsigned, std::size_t);
template __global__ void chapter11::solution::largest_sums(const double*, const double*, double*, unsigned, unsigned,
                                                           std::size_t);
