// Blocks, or warps of a block, hand data to each other by flags, tickets, locks and counters.

#include <cooperative_groups.h>

#include "check.hpp"

namespace {

using mutants::array;
using mutants::numbers;

__device__ int load_acquire(const int* from) {
  int value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}
__device__ void store_release(int* to, int value) {
  asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}
__device__ int add_acq_rel(int* to, int value) {
  int old;
  asm volatile("atom.acq_rel.gpu.global.add.s32 %0, [%1], %2;" : "=r"(old) : "l"(to), "r"(value) : "memory");
  return old;
}
__device__ int load_acquire_in_block(const int* from) {
  int value;
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(from));
  asm volatile("ld.acquire.cta.shared.s32 %0, [%1];" : "=r"(value) : "r"(at) : "memory");
  return value;
}
__device__ void store_release_in_block(int* to, int value) {
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("st.release.cta.shared.s32 [%0], %1;" ::"r"(at), "r"(value) : "memory");
}

// The last block that takes a ticket adds up the partial sums of all blocks.
__global__ void sum_by_last_block(const int* in, int* partials, unsigned* ticket, int* out, int n) {
  __shared__ int tile[128];
  __shared__ bool last;
  const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  tile[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (int stride = 64; stride > 0; stride /= 2) {
    if (tid < stride) tile[tid] += tile[tid + stride];
    __syncthreads();
  }
  if (tid == 0) {
    partials[blockIdx.x] = tile[0];
    __threadfence();
    last = atomicAdd(ticket, 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last && tid == 0) {
    int sum = 0;
    for (unsigned k = 0; k < gridDim.x; ++k) sum += partials[k];
    *out = sum;
  }
}

// Block 0 fills an array and sets a flag, for which all other blocks wait.
__global__ void wait_for_flag(const int* in, int* data, int* flag, int* out) {
  const int tid = threadIdx.x;
  if (blockIdx.x == 0) {
    data[tid] = 3 * in[tid];
    __syncthreads();
    if (tid == 0) store_release(flag, 1);
  } else {
    if (tid == 0) {
      while (load_acquire(flag) == 0) {
      }
    }
    __syncthreads();
    out[(blockIdx.x - 1) * blockDim.x + tid] = data[(tid + 1) % blockDim.x];
  }
}

// The same, but with volatile accesses and fences.
__global__ void wait_for_volatile_flag(const int* in, int* data, volatile int* flag, int* out) {
  const int tid = threadIdx.x;
  if (blockIdx.x == 0) {
    data[tid] = in[tid] - 5;
    __threadfence();
    __syncthreads();
    if (tid == 0) *flag = 1;
  } else {
    if (tid == 0) {
      while (*flag == 0) {
      }
      __threadfence();
    }
    __syncthreads();
    out[(blockIdx.x - 1) * blockDim.x + tid] = data[(tid + 31) % blockDim.x];
  }
}

// A lock protects a plain counter and a plain sum.
__global__ void add_under_lock(const int* in, int* lock, int* sums) {
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    sums[0] += 1;
    sums[1] += in[blockIdx.x];
    __threadfence();
    atomicExch(lock, 0);
  }
}

// Blocks fetch pieces of work until none is left.
__global__ void fetch_work(const int* in, int* next, int* out, int pieces, int n) {
  __shared__ int piece;
  for (;;) {
    if (threadIdx.x == 0) piece = atomicAdd(next, 1);
    __syncthreads();
    const int mine = piece;
    __syncthreads();
    if (mine >= pieces) break;
    const int i = mine * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * 2 + 1;
  }
}

// Each block waits for the sum of the previous blocks, and passes on the sum that includes its own.
__global__ void scan_in_a_chain(const int* in, int* sums, int* flags, int* out, int n) {
  __shared__ int tile[64];
  __shared__ int before;
  const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  tile[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (int offset = 1; offset < 64; offset *= 2) {
    const int other = tid >= offset ? tile[tid - offset] : 0;
    __syncthreads();
    tile[tid] += other;
    __syncthreads();
  }
  if (tid == 63) {
    int sum = 0;
    if (blockIdx.x > 0) {
      while (load_acquire(&flags[blockIdx.x - 1]) == 0) {
      }
      sum = sums[blockIdx.x - 1];
    }
    before = sum;
    sums[blockIdx.x] = sum + tile[63];
    store_release(&flags[blockIdx.x], 1);
  }
  __syncthreads();
  if (i < n) out[i] = before + tile[tid];
}

// All blocks meet twice at a hand-written barrier.
__global__ void meet_by_hand(const int* in, int* a, int* b, int* arrived) {
  const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid, threads = gridDim.x * blockDim.x;
  a[i] = in[i] + 1;
  __syncthreads();
  if (tid == 0) {
    add_acq_rel(&arrived[0], 1);
    while (load_acquire(&arrived[0]) != static_cast<int>(gridDim.x)) {
    }
  }
  __syncthreads();
  b[i] = a[threads - 1 - i];
  __syncthreads();
  if (tid == 0) {
    add_acq_rel(&arrived[1], 1);
    while (load_acquire(&arrived[1]) != static_cast<int>(gridDim.x)) {
    }
  }
  __syncthreads();
  a[i] = b[(i + 77) % threads];
}

// One warp produces and another one consumes, through a slot of shared memory and two counters.
__global__ void pass_through_slot(const int* in, int* out, int turns) {
  __shared__ int slot[32];
  __shared__ int filled, emptied;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) filled = emptied = 0;
  __syncthreads();
  for (int k = 0; k < turns; ++k) {
    if (warp == 0) {
      while (load_acquire_in_block(&emptied) != k) {
      }
      slot[lane] = in[k * 32 + lane];
      __syncwarp();
      if (lane == 0) store_release_in_block(&filled, k + 1);
    } else {
      while (load_acquire_in_block(&filled) != k + 1) {
      }
      out[k * 32 + lane] = slot[31 - lane];
      __syncwarp();
      if (lane == 0) store_release_in_block(&emptied, k + 1);
    }
  }
}

// Two steps alternate, with a barrier of the whole grid after each.
__global__ void smooth_in_step(int* a, int* b, int n) {
  const auto grid = cooperative_groups::this_grid();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int turn = 0; turn < 2; ++turn) {
    if (i < n) b[i] = a[i] + a[(i + 77) % n];
    grid.sync();
    if (i < n) a[i] = b[i] - b[(i + n - 77) % n];
    grid.sync();
  }
}

// The block that takes the last ticket writes the result. The ticket's atomic has acquire-release order.
__global__ void largest_by_ticket(const int* in, int* found, int* ticket, int* out) {
  if (threadIdx.x != 0) return;
  int largest = in[blockIdx.x * 8];
  for (int k = 1; k < 8; ++k) largest = max(largest, in[blockIdx.x * 8 + k]);
  found[blockIdx.x] = largest;
  if (add_acq_rel(ticket, 1) != static_cast<int>(gridDim.x) - 1) return;
  for (unsigned b = 0; b < gridDim.x; ++b) largest = max(largest, found[b]);
  *out = largest;
}

bool sums_by_last_block() {
  bool right = true;
  for (const int n : {1000, 1024}) {
    const std::vector<int> in = numbers(n);
    int sum = 0;
    for (const int x : in) sum += x;
    const array<int> a(in), partials(std::vector<int>(8)), out(std::vector<int>(1));
    const array<unsigned> ticket(std::vector<unsigned>(1));
    sum_by_last_block<<<8, 128>>>(a.get(), partials.get(), ticket.get(), out.get(), n);
    right = right && out.holds({sum});
  }
  return right;
}

bool waits_for_flag() {
  const std::vector<int> in = numbers(64);
  std::vector<int> expected(3 * 64);
  for (int k = 0; k < 3 * 64; ++k) expected[k] = 3 * in[(k + 1) % 64];
  const array<int> a(in), data(std::vector<int>(64)), flag(std::vector<int>(1)), out(std::vector<int>(3 * 64));
  wait_for_flag<<<4, 64>>>(a.get(), data.get(), flag.get(), out.get());
  return out.holds(expected);
}

bool waits_for_volatile_flag() {
  const std::vector<int> in = numbers(64);
  std::vector<int> expected(3 * 64);
  for (int k = 0; k < 3 * 64; ++k) expected[k] = in[(k + 31) % 64] - 5;
  const array<int> a(in), data(std::vector<int>(64)), flag(std::vector<int>(1)), out(std::vector<int>(3 * 64));
  wait_for_volatile_flag<<<4, 64>>>(a.get(), data.get(), flag.get(), out.get());
  return out.holds(expected);
}

bool adds_under_lock() {
  const std::vector<int> in = numbers(6);
  int sum = 0;
  for (const int x : in) sum += x;
  const array<int> a(in), lock(std::vector<int>(1)), sums(std::vector<int>(2));
  add_under_lock<<<6, 32>>>(a.get(), lock.get(), sums.get());
  return sums.holds({6, sum});
}

bool fetches_work() {
  const int n = 500;
  const std::vector<int> in = numbers(n);
  std::vector<int> expected(n);
  for (int i = 0; i < n; ++i) expected[i] = in[i] * 2 + 1;
  const array<int> a(in), next(std::vector<int>(1)), out(std::vector<int>(static_cast<std::size_t>(n)));
  fetch_work<<<3, 64>>>(a.get(), next.get(), out.get(), 8, n);
  return out.holds(expected);
}

bool scans_in_a_chain() {
  const int n = 300;
  const std::vector<int> in = numbers(n);
  std::vector<int> expected(n);
  for (int i = 0; i < n; ++i) expected[i] = in[i] + (i > 0 ? expected[i - 1] : 0);
  const array<int> a(in), sums(std::vector<int>(5)), flags(std::vector<int>(5)), out(std::vector<int>(std::size_t{n}));
  scan_in_a_chain<<<5, 64>>>(a.get(), sums.get(), flags.get(), out.get(), n);
  return out.holds(expected);
}

bool meets_by_hand() {
  const int n = 4 * 64;
  const std::vector<int> in = numbers(n);
  std::vector<int> expected(n);
  for (int i = 0; i < n; ++i) expected[i] = in[n - 1 - (i + 77) % n] + 1;
  const array<int> from(in), a(std::vector<int>(std::size_t{n})), b(std::vector<int>(std::size_t{n})),
      arrived(std::vector<int>(2));
  meet_by_hand<<<4, 64>>>(from.get(), a.get(), b.get(), arrived.get());
  return a.holds(expected);
}

bool passes_through_slot() {
  const int turns = 3;
  const std::vector<int> in = numbers(32 * turns);
  std::vector<int> expected(32 * turns);
  for (int k = 0; k < 32 * turns; ++k) expected[k] = in[k / 32 * 32 + 31 - k % 32];
  const array<int> a(in), out(std::vector<int>(std::size_t{32 * turns}));
  pass_through_slot<<<1, 64>>>(a.get(), out.get(), turns);
  return out.holds(expected);
}

bool smooths_in_step() {
  int n = 200;
  std::vector<int> a = numbers(n), b(n);
  const array<int> device_a(a), device_b(b);
  for (int turn = 0; turn < 2; ++turn) {
    for (int i = 0; i < n; ++i) b[i] = a[i] + a[(i + 77) % n];
    for (int i = 0; i < n; ++i) a[i] = b[i] - b[(i + n - 77) % n];
  }
  int *pa = device_a.get(), *pb = device_b.get();
  void* arguments[] = {&pa, &pb, &n};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(smooth_in_step), dim3(4), dim3(64), arguments, 0, nullptr);
  return device_a.holds(a);
}

bool finds_largest_by_ticket() {
  const std::vector<int> in = numbers(40);
  int largest = in[0];
  for (const int x : in) largest = x > largest ? x : largest;
  const array<int> a(in), found(std::vector<int>(5)), ticket(std::vector<int>(1)), out(std::vector<int>(1));
  largest_by_ticket<<<5, 32>>>(a.get(), found.get(), ticket.get(), out.get());
  return out.holds({largest});
}

constexpr mutants::one_case cases[] = {
    {"sum_by_last_block", sums_by_last_block},
    {"wait_for_flag", waits_for_flag},
    {"wait_for_volatile_flag", waits_for_volatile_flag},
    {"add_under_lock", adds_under_lock},
    {"fetch_work", fetches_work},
    {"scan_in_a_chain", scans_in_a_chain},
    {"meet_by_hand", meets_by_hand},
    {"pass_through_slot", passes_through_slot},
    {"smooth_in_step", smooths_in_step},
    {"largest_by_ticket", finds_largest_by_ticket},
};

}  // namespace

int main(int argc, char** argv) {
  return mutants::run(argc, argv, cases);
}
