// Instances of the reduction in one launch, for the tuning program.

#include <algorithm>
#include <array>

#include <cub/device/device_reduce.cuh>

#include "reductions/reduce.cuh"
#include "reductions/tune/variants.hpp"

namespace workbook {
namespace {

constexpr std::array depths = {1u, 2u, 4u, 8u};
constexpr std::array block_sizes = {128u, 256u, 512u, 1024u};
constexpr const char* hints[] = {"usual", "streaming", "read-only"};
constexpr const char* agreements[] = {"", ", ticket", ", packed", ", sums of blocks only"};

/// Words in the workspace that blocks share. They are 32 bytes apart, so that variants do not disturb each other.
struct shared_words {
  unsigned ticket;
  alignas(32) unsigned long long sum_and_count;
};

__global__ void nothing() {}

/// A sum like reduce_one_launch, with chapter 12's ticket instead of mailboxes.
template <unsigned Depth, bool OneRound, caching Hint, typename T>
__global__ void __launch_bounds__(1024) reduce_ticket(reduce_input<T> input, T* out, T* partials, unsigned* ticket) {
  __shared__ bool last;
  const unsigned tid = threadIdx.x;
  T sum = block_reduce(thread_reduce<Depth, OneRound, Hint, T>(input, plus{}), plus{});
  if (tid == 0) {
    partials[blockIdx.x] = sum;
    __threadfence();                                           // a block that sees this ticket sees this partial result
    last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;  // counts to the last block's number, then to 0
    if (last) __threadfence();                                 // the other results are read after their tickets
  }
  __syncthreads();  // all threads know whether the block is the last; the tile of block_reduce is free again
  if (!last) return;
  sum = 0;
  for (unsigned i = tid; i < gridDim.x; i += blockDim.x) sum += partials[i];
  sum = block_reduce(sum, plus{});
  if (tid == 0) *out = sum;
}

/// For ints. The upper half of the word is the sum, which may wrap, and the lower half is the count of blocks.
template <unsigned Depth, bool OneRound, caching Hint>
__global__ void __launch_bounds__(1024) reduce_packed(reduce_input<int> input, int* out, unsigned long long* word) {
  const int sum = block_reduce(thread_reduce<Depth, OneRound, Hint, int>(input, plus{}), plus{});
  if (threadIdx.x == 0) {
    const auto before = atomicAdd(word, static_cast<unsigned long long>(static_cast<unsigned>(sum)) << 32 | 1ull);
    if (static_cast<unsigned>(before) == gridDim.x - 1) {
      *out = static_cast<int>(static_cast<unsigned>(before >> 32) + static_cast<unsigned>(sum));
      *word = 0;
    }
  }
}

/// Each block stores its sum, and these sums are not added up.
template <unsigned Depth, bool OneRound, caching Hint, typename T>
__global__ void __launch_bounds__(1024) reduce_blocks_only(reduce_input<T> input, T* partials) {
  const T sum = block_reduce(thread_reduce<Depth, OneRound, Hint, T>(input, plus{}), plus{});
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

template <unsigned Depth, bool OneRound, caching Hint, typename T>
void launch_instance(const variant& v, const T* in, T* out, std::size_t n, void* workspace) {
  auto* const words = static_cast<shared_words*>(workspace);
  auto* const partials = reinterpret_cast<T*>(words + 1);
  const reduce_input<T> input(in, n);
  if constexpr (Hint == caching::usual) {
    if (v.by == agreement::ticket) {
      reduce_ticket<Depth, OneRound, Hint><<<v.grid_size, v.block_size>>>(input, out, partials, &words->ticket);
      return;
    }
    if (v.by == agreement::none) {
      reduce_blocks_only<Depth, OneRound, Hint><<<v.grid_size, v.block_size>>>(input, partials);
      return;
    }
    if constexpr (std::is_same_v<T, int>) {
      if (v.by == agreement::packed) {
        reduce_packed<Depth, OneRound, Hint><<<v.grid_size, v.block_size>>>(input, out, &words->sum_and_count);
        return;
      }
    }
  }
  // Mailboxes must be empty, so they have their own part of the workspace.
  auto* const boxes = reinterpret_cast<mailbox<T>*>(static_cast<std::byte*>(workspace) + variants_workspace_bytes / 4);
  reduce_one_launch<Depth, OneRound, Hint><<<v.grid_size, v.block_size>>>(input, out, boxes, plus{});
}

template <caching Hint, typename T>
void launch_depth(const variant& v, const T* in, T* out, std::size_t n, void* workspace) {
  const auto with = [&]<unsigned Depth>(std::integral_constant<unsigned, Depth>) {
    if (v.one_round) return launch_instance<Depth, true, Hint>(v, in, out, n, workspace);
    launch_instance<Depth, false, Hint>(v, in, out, n, workspace);
  };
  if (v.depth == 1) return with(std::integral_constant<unsigned, 1>{});
  if (v.depth == 2) return with(std::integral_constant<unsigned, 2>{});
  if (v.depth == 8) return with(std::integral_constant<unsigned, 8>{});
  with(std::integral_constant<unsigned, 4>{});
}

/// Returns the grid sizes to try for one block size: powers of two, and whole numbers of threads per SM.
std::vector<unsigned> grids_for(std::size_t loads, unsigned block_size, unsigned multiprocessors) {
  const std::size_t most = std::max<std::size_t>(1, ceil_div(loads, block_size));
  std::vector<unsigned> grids;
  for (unsigned grid = 1; grid <= 1024; grid *= 2) grids.push_back(grid);
  for (const unsigned threads : {256u, 512u, 1024u, 1536u, 2048u, 4096u, 8192u, 16384u}) {
    if (threads >= block_size) grids.push_back(multiprocessors * (threads / block_size));
  }
  std::erase_if(grids, [&](unsigned grid) {
    // Leaves out grids that are too large, or so small for their loads that they can only be slow.
    return grid > most || (grid < multiprocessors && loads > std::size_t{grid} * block_size * 32);
  });
  std::sort(grids.begin(), grids.end());
  grids.erase(std::unique(grids.begin(), grids.end()), grids.end());
  return grids;
}

}  // namespace

std::string describe(const variant& v) {
  return std::to_string(v.grid_size) + " x " + std::to_string(v.block_size) + ", " + std::to_string(v.depth) +
         (v.depth == 1 ? " load, " : " loads, ") + hints[v.hint] + (v.one_round ? ", one round" : "") +
         agreements[static_cast<std::size_t>(v.by)];
}

std::vector<variant> variants_for(std::size_t loads, unsigned multiprocessors, bool packed) {
  std::vector<variant> all, floors;
  for (const unsigned block_size : block_sizes) {
    for (const unsigned grid : grids_for(loads, block_size, multiprocessors)) {
      const std::size_t threads = std::size_t{grid} * block_size;
      for (const unsigned depth : depths) {
        // If a thread has fewer loads than can be in flight, the result would be the same launch again.
        if (depth > 1 && threads * (depth / 2) >= loads) continue;
        if (grid > 8192) continue;  // the workspace has no room for more partial results
        const bool one_round = threads * depth >= loads && loads < std::size_t{1} << 24;
        for (unsigned hint = 0; hint < 3; ++hint) all.push_back({depth, hint, block_size, grid, one_round});
        floors.push_back({depth, 0, block_size, grid, one_round, agreement::none});
        if (grid == 1) continue;
        all.push_back({depth, 0, block_size, grid, one_round, agreement::ticket});
        if (packed) all.push_back({depth, 0, block_size, grid, one_round, agreement::packed});
      }
    }
  }
  all.insert(all.end(), floors.begin(), floors.end());
  return all;
}

void launch_nothing() {
  nothing<<<1, 32>>>();
}

template <typename T>
void launch_variant(const variant& v, const T* in, T* out, std::size_t n, void* workspace) {
  if (v.hint == 1) return launch_depth<caching::streaming>(v, in, out, n, workspace);
  if (v.hint == 2) return launch_depth<caching::read_only>(v, in, out, n, workspace);
  launch_depth<caching::usual>(v, in, out, n, workspace);
}

template <typename T>
void launch_as_shipped(const T* in, T* out, std::size_t n, void* workspace) {
  // Uses the part of the workspace that the variants don't use, because its words have a different meaning for them.
  reduce<T>(in, out, n, static_cast<std::byte*>(workspace) + variants_workspace_bytes / 2);
}

template <typename T>
std::size_t library_workspace_bytes(std::size_t n) {
  std::size_t bytes = 0;
  // cudaGetLastError finds a failure.
  (void)cub::DeviceReduce::Sum(nullptr, bytes, static_cast<const T*>(nullptr), static_cast<T*>(nullptr), n);
  return bytes;
}

template <typename T>
void launch_library(const T* in, T* out, std::size_t n, void* workspace) {
  std::size_t bytes = library_workspace_bytes<T>(n);
  (void)cub::DeviceReduce::Sum(workspace, bytes, in, out, n);
}

template <typename T>
variant shipped_variant(std::size_t n) {
  const reduce_shape shape = shape_of_reduce(reduce_input<T>(nullptr, n));
  return {shape.depth, shape.depth == 2 ? 1u : 0u, shape.block_size, shape.grid_size, shape.one_round};
}

#define WORKBOOK_INSTANCES(T)                                                               \
  template void launch_variant(const variant&, const T*, T*, std::size_t, void* workspace); \
  template void launch_as_shipped(const T*, T*, std::size_t, void* workspace);              \
  template std::size_t library_workspace_bytes<T>(std::size_t);                             \
  template void launch_library(const T*, T*, std::size_t, void* workspace);                 \
  template variant shipped_variant<T>(std::size_t);

WORKBOOK_INSTANCES(int)
WORKBOOK_INSTANCES(float)
WORKBOOK_INSTANCES(double)

}  // namespace workbook
