// A mistake that the compiler reports.
__global__ void wrong(int* values) {
  values[threadIdx.x] = undeclared;
}

int main() {
  return 0;
}
