// What somebody else's project would write: no option of nvcc but the language's version and where the headers are.

#include "device/half.cuh"
#include "device/reduce.cuh"
#include "device/reproducible_sum.cuh"

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
