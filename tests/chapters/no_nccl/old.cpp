// Claims to be NCCL 2.4.8, and has all functions that are needed.
extern "C" {
int ncclGetVersion(int* version) {
  *version = 2408;
  return 0;
}
const char* ncclGetErrorString(int) {
  return "old";
}
int ncclCommInitAll(void**, int, const int*) {
  return 1;
}
int ncclGetUniqueId() {
  return 0;
}
int ncclCommInitRank() {
  return 0;
}
int ncclCommDestroy(void*) {
  return 1;
}
int ncclGroupStart() {
  return 1;
}
int ncclGroupEnd() {
  return 1;
}
int ncclAllReduce() {
  return 1;
}
}
