// Host code without a kernel, for several_files.cu.
int sum_of(const int* values, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += values[i];
  return sum;
}
