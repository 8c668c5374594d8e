// A library of that name that is not NCCL.
extern "C" int ncclGetVersion(int* version) {
  *version = 22803;
  return 0;
}
