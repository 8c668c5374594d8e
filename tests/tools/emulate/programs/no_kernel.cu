// No use of CUDA at all, and two source files.
int answer();
int main() {
  return answer() == 42 ? 0 : 1;
}
