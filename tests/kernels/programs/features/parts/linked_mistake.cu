// The other file of separate_compilation_mistake.cu.

// Only the index determines which element is written.

__device__ void put(int* values, int i) {
  values[i] = i;
}
