// The other file of separate_compilation_mistake.cu.

// Nothing but the index says where it writes.

__device__ void put(int* values, int i) {
  values[i] = i;
}
