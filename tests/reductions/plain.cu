// Compiled as in a user's project: nvcc gets only options for the language's version and the path of the headers.

#include "reductions/by_key.cuh"
#include "reductions/columns.cuh"
#include "reductions/half.cuh"
#include "reductions/reduce.cuh"
#include "reductions/reproducible_sum.cuh"
#include "reductions/rows.cuh"
#include "reductions/segments.cuh"

void sum_of_bytes(const unsigned char* in, unsigned long long* out, std::size_t n, void* workspace, cudaStream_t s) {
  workbook::reduce<unsigned long long>(in, out, n, workspace, s);
}

void smallest(const __half* in, __half* out, std::size_t n, void* workspace, cudaStream_t s) {
  workbook::reduce<__half>(in, out, n, workspace, s, workbook::minimum{});
}

void first_of_the_largest(const float* in, workbook::indexed<float>* out, std::size_t n, void* workspace,
                          cudaStream_t s) {
  workbook::reduce<workbook::indexed<float>>(workbook::indexed_input<float>(in, n), out, workspace, s,
                                             workbook::arg_max{});
}

void the_same_bits_everywhere(const float* in, float* out, std::size_t n, void* workspace, cudaStream_t s) {
  workbook::reproducible_sum(in, out, n, workspace, s);
}

void a_part_of_them(const double* in, workbook::binned_sum<double, 2>* out, std::size_t n, void* workspace) {
  workbook::reproducible_sum<2>(in, out, n, workspace);
}

void sums_of_rows_and_columns(const float* in, double* of_rows, float* of_columns, void* workspace, cudaStream_t s) {
  workbook::reduce_rows<double>(in, of_rows, 100, 200, 256, workspace, s);
  workbook::reduce_columns<float>(in, of_columns, 100, 200, 256, workspace, s, workbook::maximum{});
}

void sums_of_segments(const signed char* in, const long long* offsets, int* out, void* workspace, cudaStream_t s) {
  workbook::reduce_segments<int>(in, offsets, out, 100, 200, workspace, s);
}

void sums_by_key(const int* keys, const float* in, int* unique, float* sums, int* runs, void* workspace,
                 cudaStream_t s) {
  workbook::reduce_by_key<float>(keys, in, 100, unique, sums, runs, workspace, s);
}
