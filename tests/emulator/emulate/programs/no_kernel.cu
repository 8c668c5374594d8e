// Does not use CUDA at all, and has two source files.
int answer();
int main() {
  return answer() == 42 ? 0 : 1;
}
