// Calls a library that is not linked, the driver, and a function of the runtime that does not exist yet.
extern "C" int cublasCreate_v2(void** handle);
extern "C" int cuInit(unsigned flags);
extern "C" int cudaFutureFunction(int);

int main() {
  void* handle = nullptr;
  return cublasCreate_v2(&handle) + cuInit(0) + cudaFutureFunction(1);
}
