// covers: device library | all atomics on global and shared memory, with block scope and system scope

#include <cstdio>

typedef unsigned long long u64;

struct words {
  int added, subtracted, smallest, largest, swapped;
  unsigned int inc, dec, all, any, parity, exchanged;
  long long smallest64, largest64;
  u64 added64, all64, any64, parity64, swapped64;
  float addedf;
  double addedd;
  unsigned short swapped16[2];
};

__device__ void use(words* w, int t) {
  atomicAdd(&w->added, t);
  atomicSub(&w->subtracted, t);
  atomicMin(&w->smallest, -t);
  atomicMax(&w->largest, t - 5);
  atomicInc(&w->inc, 9u);
  atomicDec(&w->dec, 6u);
  atomicAnd(&w->all, ~(1u << t % 32));
  atomicOr(&w->any, 1u << t % 32);
  atomicXor(&w->parity, static_cast<unsigned int>(t));
  atomicMin(&w->smallest64, -(1ll << 40) * t);
  atomicMax(&w->largest64, (1ll << 40) * t);
  atomicAdd(&w->added64, 1ull << 33);
  atomicAnd(&w->all64, ~(1ull << t));
  atomicOr(&w->any64, 1ull << t);
  atomicXor(&w->parity64, static_cast<u64>(t) << 32);
  atomicAdd_block(&w->addedf, 0.5f);
  atomicAdd_system(&w->addedd, 0.25);
  // Compare-and-swap loops that begin with a guess: for an int, for 64 bits, and for each half of a word.
  for (int old = 0, seen;; old = seen) {
    seen = atomicCAS(&w->swapped, old, old + 2);
    if (seen == old) break;
  }
  for (u64 old = 0, seen;; old = seen) {
    seen = atomicCAS(&w->swapped64, old, old + (1ull << 35));
    if (seen == old) break;
  }
  unsigned short* half = &w->swapped16[t & 1];
  for (unsigned short old = 0, seen;; old = seen) {
    seen = atomicCAS(half, old, static_cast<unsigned short>(old + 3));
    if (seen == old) break;
  }
  if (t == 7) atomicExch(&w->exchanged, 77u);
}

__global__ void on_global(words* w) {
  use(w, threadIdx.x);
}

__global__ void on_shared(words* w, const words* start) {
  __shared__ words mine;
  if (threadIdx.x == 0) mine = *start;
  __syncthreads();
  use(&mine, threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) *w = mine;
}

static int wrong = 0;
template <typename T>
static void expect(const char* what, T got, T want) {
  if (got != want && ++wrong) std::printf("%s is wrong\n", what);
}

static void compare(const words& w) {
  expect("add", w.added, 2016);  // 0 + … + 63
  expect("sub", w.subtracted, -2016);
  expect("min", w.smallest, -63);
  expect("max", w.largest, 58);
  expect("inc", w.inc, 64u % 10u);
  expect("dec", w.dec, (7u - 64u % 7u) % 7u);
  expect("and", w.all, 0u);
  expect("or", w.any, 0xffffffffu);
  expect("xor", w.parity, 0u);
  expect("exch", w.exchanged, 77u);
  expect("min 64", w.smallest64, -(1ll << 40) * 63);
  expect("max 64", w.largest64, (1ll << 40) * 63);
  expect("add 64", w.added64, static_cast<u64>(64) << 33);
  expect("and 64", w.all64, 0ull);
  expect("or 64", w.any64, ~0ull);
  expect("xor 64", w.parity64, 0ull);
  expect("add float", w.addedf, 32.0f);
  expect("add double", w.addedd, 16.0);
  expect("cas", w.swapped, 128);
  expect("cas 64", w.swapped64, static_cast<u64>(64) << 35);
  expect("cas 16", w.swapped16[0], static_cast<unsigned short>(96));
  expect("cas 16", w.swapped16[1], static_cast<unsigned short>(96));
}

int main() {
  words *start, *out;
  cudaMallocManaged(&start, sizeof(words));
  cudaMallocManaged(&out, sizeof(words));
  *start = {};
  start->all = 0xffffffffu;
  start->all64 = ~0ull;
  *out = *start;
  on_global<<<1, 64>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  compare(*out);
  on_shared<<<1, 64>>>(out, start);
  if (cudaDeviceSynchronize() != cudaSuccess) return 3;
  compare(*out);
  return wrong != 0;
}
