// Claims to be NCCL 2.28.3, but every call fails.
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
int ncclGetUniqueId(void*) {
  return 3;
}
// NCCL's type of an address has 128 bytes, and is passed by value.
struct place {
  char bytes[128];
};
int ncclCommInitRank(void**, int, place, int) {
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
int ncclReduce() {
  return 3;
}
}
