// What somebody else's project would write: no option of nvcc but the language's version and where the headers are.

#include "device/half.cuh"
#include "device/reduce.cuh"

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
