// A library that has NCCL's file name but is not NCCL.
extern "C" int ncclGetVersion(int* version) {
  *version = 22803;
  return 0;
}
