// NCCL 2.28.3 by its own word, of which every call fails.
extern "C" {
int ncclGetVersion(int* version) {
  *version = 22803;
  return 0;
}
const char* ncclGetErrorString(int status) {
  return status == 3 ? "internal error of a test" : "another error";
}
int ncclCommInitAll(void**, int, const int*) {
  return 3;
}
int ncclCommDestroy(void*) {
  return 0;
}
int ncclGroupStart() {
  return 3;
}
int ncclGroupEnd() {
  return 3;
}
int ncclAllReduce() {
  return 3;
}
}
