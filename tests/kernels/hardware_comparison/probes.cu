// The probe kernels. The compiler keeps every load, because a store that never happens depends on all loaded bytes.
// Long because each kernel is next to the list of its launches, and all of them are one collection.

#include "kernels/hardware_comparison/probes.hpp"

#include <memory>

#include "reductions/buffer.hpp"
#include "reductions/vector.cuh"

namespace probes {
namespace {

constexpr unsigned blocks = 16, threads = 256;
constexpr std::size_t arena_bytes = std::size_t{64} << 20;

/// A type of `Bytes` bytes, which one access moves.
template <unsigned Bytes>
using piece_t = typename workbook::word_of<Bytes>::type;

__device__ unsigned sum(unsigned v) {
  return v;
}
__device__ unsigned sum(uint2 v) {
  return v.x ^ v.y;
}
__device__ unsigned sum(uint4 v) {
  return v.x ^ v.y ^ v.z ^ v.w;
}
template <typename T>
__device__ T of(unsigned v) {
  if constexpr (sizeof(T) == 16)
    return {v, v, v, v};
  else if constexpr (sizeof(T) == 8)
    return {v, v};
  else
    return static_cast<T>(v);
}

/// The sum is never this value, because the arena holds zeros.
constexpr unsigned never = 0x5eed5eed;

template <unsigned Bytes>
__global__ void global_load(const piece_t<Bytes>* in, unsigned* out, unsigned stride, unsigned active) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 32 >= active) return;
  if (sum(in[std::size_t{i} * stride]) == never) *out = 1;
}

/// Only the lanes whose bit is set load a word.
__global__ void global_load_lanes(const unsigned* in, unsigned* out, unsigned lanes) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if ((lanes >> threadIdx.x % 32 & 1) != 0 && in[i] == never) *out = 1;
}

/// Lane k reads the word of lane k ^ `swap`.
__global__ void global_load_permuted(const unsigned* in, unsigned* out, unsigned swap) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i ^ swap] == never) *out = 1;
}

/// The compiler predicates the body. Half of the warps have no lane that loads.
__global__ void global_load_predicated(const unsigned* in, unsigned* out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = 0;
  if (i < n) v = in[i];
  if (v == never) *out = 1;
}

template <int Hint>
__global__ void global_load_hinted(const uint4* in, unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint4 v = Hint == 0 ? __ldg(in + i) : Hint == 1 ? __ldcs(in + i) : Hint == 2 ? __ldcg(in + i) : __ldlu(in + i);
  if (sum(v) == never) *out = 1;
}

__global__ void global_load_volatile(const volatile unsigned* in, unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] == never) *out = 1;
}

template <unsigned Bytes>
__global__ void global_store(piece_t<Bytes>* out, unsigned stride, unsigned active) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 32 >= active) return;
  out[std::size_t{i} * stride] = of<piece_t<Bytes>>(0);
}

/// All lanes of a warp store to one word.
__global__ void global_store_same(unsigned* out) {
  out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = 0;
}

/// Makes additions whose result is not used. Lane k adds to word k * stride.
__global__ void global_reduction(unsigned* out, unsigned stride, unsigned active) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 32 >= active) return;
  atomicAdd(out + std::size_t{i} * stride, 0u);
}

/// Makes exchanges whose result is used.
__global__ void global_atomic(unsigned* out, unsigned* kept, unsigned stride, unsigned active) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 32 >= active) return;
  if (atomicExch(out + std::size_t{i} * stride, 0u) == never) *kept = 1;
}

/// Each group of `lanes_a_word` neighbouring lanes applies atomicExch to one word.
__global__ void global_atomic_meeting(unsigned* out, unsigned* kept, unsigned lanes_a_word) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (atomicExch(out + i / lanes_a_word, 0u) == never) *kept = 1;
}

/// Does the same with an addition whose result is not used.
template <typename T>
__global__ void global_reduction_meeting(T* out, unsigned lanes_a_word) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(out + i / lanes_a_word, T{});
}

/// All threads add to one word. The compiler sees that the address is uniform, so it may add up within the warp first.
template <typename T>
__global__ void global_reduction_uniform(T* out, const T* in) {
  atomicAdd(out, in[blockIdx.x * blockDim.x + threadIdx.x]);
}

/// The first `crowd` lanes access one word. Each other lane has its own word, and these begin two sectors further on.
template <bool Returns>
__global__ void global_atomic_uneven(unsigned* out, unsigned* kept, unsigned crowd) {
  const unsigned lane = threadIdx.x % 32;
  unsigned* const mine = out + blockIdx.x * 64 + (lane < crowd ? 0 : 16 + lane);
  if constexpr (Returns) {
    if (atomicExch(mine, 0u) == never) *kept = 1;
  } else {
    atomicAdd(mine, 0u);
  }
}

/// Lane k exchanges word k % words, so lanes with the same word aren't neighbours.
__global__ void global_atomic_round_robin(unsigned* out, unsigned* kept, unsigned words) {
  if (atomicExch(out + blockIdx.x * 64 + threadIdx.x % words, 0u) == never) *kept = 1;
}

/// Neighbouring lanes, `lanes_a_word` at a time, compare and swap the same word of 8 bytes.
__global__ void global_atomic_wide_meeting(unsigned long long* out, unsigned* kept, unsigned lanes_a_word) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (atomicCAS(out + i / lanes_a_word, 0ull, 0ull) == never) *kept = 1;
}

/// Compares and swaps 8 bytes per lane.
__global__ void global_atomic_wide(unsigned long long* out, unsigned* kept, unsigned stride) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (atomicCAS(out + std::size_t{i} * stride, 0ull, 0ull) == never) *kept = 1;
}

constexpr unsigned shared_bytes = 32768;

template <unsigned Bytes>
__global__ void shared_load(unsigned* out, unsigned stride, unsigned active, unsigned offset) {
  __shared__ piece_t<Bytes> tile[shared_bytes / Bytes];
  tile[threadIdx.x] = of<piece_t<Bytes>>(0);
  __syncthreads();
  if (threadIdx.x % 32 >= active) return;
  unsigned v = 0;
  for (unsigned k = 0; k < 8; ++k) v ^= sum(tile[(threadIdx.x * stride + k + offset) % (shared_bytes / Bytes)]);
  if (v == never) *out = 1;
}

template <unsigned Bytes>
__global__ void shared_store(unsigned* out, unsigned stride, unsigned active) {
  __shared__ piece_t<Bytes> tile[shared_bytes / Bytes];
  if (threadIdx.x % 32 < active)
    for (unsigned k = 0; k < 8; ++k) tile[(threadIdx.x * stride + k) % (shared_bytes / Bytes)] = of<piece_t<Bytes>>(k);
  __syncthreads();
  if (sum(tile[threadIdx.x]) == never) *out = 1;
}

/// Every lane of a warp reads the warp's word or, if a mask is given, one of a few words.
__global__ void shared_broadcast(unsigned* out, unsigned mask, unsigned step) {
  __shared__ unsigned tile[shared_bytes / 4];
  tile[threadIdx.x] = 0;
  __syncthreads();
  unsigned v = 0;
  for (unsigned k = 0; k < 8; ++k) v ^= tile[(threadIdx.x & mask) * 32 + k * step];
  if (v == never) *out = 1;
}

/// Loads neighbouring words. The assembler merges these loads into wider ones.
__global__ void shared_neighbours(unsigned* out, unsigned mask) {
  __shared__ unsigned tile[shared_bytes / 4];
  tile[threadIdx.x] = 0;
  __syncthreads();
  unsigned v = 0;
  for (unsigned k = 0; k < 8; ++k) v ^= tile[(threadIdx.x & mask) * 32 + k];
  if (v == never) *out = 1;
}

/// Writes a square of 32 x 32 words by rows and reads it by columns. `RowWords` of 33 avoids bank conflicts.
template <unsigned RowWords>
__global__ void shared_columns(unsigned* out) {
  __shared__ unsigned tile[32 * RowWords];
  const unsigned x = threadIdx.x % 32, y = threadIdx.x / 32;
  for (unsigned k = y; k < 32; k += 8) tile[k * RowWords + x] = k;
  __syncthreads();
  unsigned v = 0;
  for (unsigned k = y; k < 32; k += 8) v ^= tile[x * RowWords + k];
  if (v == never) *out = 1;
}

/// Uses an array of 64 words in local memory. The index is known only at run time, and is either the same for all lanes
/// or different.
__global__ void local_array(const unsigned* in, unsigned* out, unsigned step, unsigned lanes_apart) {
  unsigned mine[64];
  for (unsigned k = 0; k < 64; ++k) mine[(k * step) % 64] = in[k];
  unsigned v = 0;
  for (unsigned k = 0; k < 16; ++k) v ^= mine[(k * step + threadIdx.x * lanes_apart) % 64];
  if (v == never) *out = 1;
}

/// Loads through a generic pointer, which points to shared or to global memory depending on the warp.
__global__ void generic_load(const unsigned* in, unsigned* out, unsigned which) {
  __shared__ unsigned tile[threads];
  tile[threadIdx.x] = 0;
  __syncthreads();
  const unsigned* p = threadIdx.x / 32 % 2 < which ? tile : in;
  if (p[threadIdx.x] == never) *out = 1;
}

/// Collects the launches and owns their memory.
class collection {
 public:
  collection()
      : memory_(std::make_shared<workbook::device_bytes>(arena_bytes)),
        out_(std::make_shared<workbook::device_bytes>(16)) {
    workbook::check(cudaMemset(memory_->data(), 0, memory_->size_bytes()));
    workbook::check(cudaMemset(out_->data(), 0, out_->size_bytes()));
  }
  template <typename T>
  [[nodiscard]] T* memory(std::size_t offset = 0) const {
    return reinterpret_cast<T*>(memory_->data()) + offset;
  }
  [[nodiscard]] unsigned* out() const { return reinterpret_cast<unsigned*>(out_->data()); }

  template <typename Launch>
  void add(std::string name, Launch launch, std::string differs = "") {
    // The launch shares ownership of the memory that it uses.
    list_.push_back({std::move(name), [launch, memory = memory_, out = out_] { launch(); }, std::move(differs)});
  }
  [[nodiscard]] std::vector<probe> take() { return std::move(list_); }

 private:
  std::shared_ptr<workbook::device_bytes> memory_, out_;
  std::vector<probe> list_;
};

std::string words(const std::string& kind, unsigned bytes, const std::string& what, unsigned value) {
  return kind + ", " + std::to_string(bytes) + (bytes == 1 ? " byte, " : " bytes, ") + what + " " +
         std::to_string(value);
}

template <unsigned Bytes>
void add_global(collection& c) {
  for (const unsigned stride : {1u, 2u, 3u, 4u, 5u, 8u, 16u, 32u, 64u}) {
    c.add(words("global load", Bytes, "stride", stride), [=, in = c.memory<piece_t<Bytes>>(), out = c.out()] {
      global_load<Bytes><<<blocks, threads>>>(in, out, stride, 32);
    });
    c.add(words("global store", Bytes, "stride", stride),
          [=, to = c.memory<piece_t<Bytes>>()] { global_store<Bytes><<<blocks, threads>>>(to, stride, 32); });
  }
  for (const unsigned offset : {1u, 3u, 7u}) {
    c.add(words("global load", Bytes, "elements behind the boundary", offset),
          [=, in = c.memory<piece_t<Bytes>>(offset), out = c.out()] {
            global_load<Bytes><<<blocks, threads>>>(in, out, 1, 32);
          });
  }
  for (const unsigned active : {1u, 2u, 7u, 8u, 9u, 15u, 16u, 17u, 31u}) {
    c.add(words("global load", Bytes, "lanes", active), [=, in = c.memory<piece_t<Bytes>>(), out = c.out()] {
      global_load<Bytes><<<blocks, threads>>>(in, out, 1, active);
    });
    c.add(words("global store", Bytes, "lanes", active),
          [=, to = c.memory<piece_t<Bytes>>()] { global_store<Bytes><<<blocks, threads>>>(to, 1, active); });
  }
}

void add_global_patterns(collection& c) {
  for (const unsigned lanes : {0x0000ffffu, 0x55555555u, 0x80000001u, 0x0f0f0f0fu, 0x00000000u}) {
    c.add(words("global load", 4, "lanes by mask", lanes),
          [=, in = c.memory<unsigned>(), out = c.out()] { global_load_lanes<<<blocks, threads>>>(in, out, lanes); });
  }
  for (const unsigned swap : {1u, 16u, 31u, 32u}) {
    c.add(words("global load", 4, "lanes swapped by", swap),
          [=, in = c.memory<unsigned>(), out = c.out()] { global_load_permuted<<<blocks, threads>>>(in, out, swap); });
  }
  c.add("global load, stride 0",
        [in = c.memory<unsigned>(), out = c.out()] { global_load<4><<<blocks, threads>>>(in, out, 0, 32); });
  for (const unsigned n : {0u, 1u, 1000u, blocks * threads / 2}) {
    c.add(words("global load", 4, "under a condition, n =", n),
          [=, in = c.memory<unsigned>(), out = c.out()] { global_load_predicated<<<blocks, threads>>>(in, out, n); });
  }
  for (const unsigned block_size : {1u, 31u, 33u, 45u, 96u, 1000u}) {
    c.add(words("global load", 4, "threads per block", block_size),
          [=, in = c.memory<unsigned>(), out = c.out()] { global_load<4><<<blocks, block_size>>>(in, out, 1, 32); });
  }
  c.add("global load, __ldg",
        [in = c.memory<uint4>(), out = c.out()] { global_load_hinted<0><<<blocks, threads>>>(in, out); });
  c.add("global load, __ldcs",
        [in = c.memory<uint4>(), out = c.out()] { global_load_hinted<1><<<blocks, threads>>>(in, out); });
  c.add("global load, __ldcg",
        [in = c.memory<uint4>(), out = c.out()] { global_load_hinted<2><<<blocks, threads>>>(in, out); });
  c.add("global load, __ldlu",
        [in = c.memory<uint4>(), out = c.out()] { global_load_hinted<3><<<blocks, threads>>>(in, out); });
  c.add("global load, volatile",
        [in = c.memory<unsigned>(), out = c.out()] { global_load_volatile<<<blocks, threads>>>(in, out); });
  c.add("global store, all lanes to one word",
        [to = c.memory<unsigned>()] { global_store_same<<<blocks, threads>>>(to); });
}

void add_atomics(collection& c) {
  for (const unsigned stride : {1u, 2u, 8u, 32u}) {
    c.add(words("global reduction", 4, "stride", stride),
          [=, to = c.memory<unsigned>()] { global_reduction<<<blocks, threads>>>(to, stride, 32); });
    c.add(words("global atomic", 4, "stride", stride),
          [=, to = c.memory<unsigned>(), out = c.out()] { global_atomic<<<blocks, threads>>>(to, out, stride, 32); });
    c.add(words("global atomic", 8, "stride", stride), [=, to = c.memory<unsigned long long>(), out = c.out()] {
      global_atomic_wide<<<blocks, threads>>>(to, out, stride);
    });
  }
  for (const unsigned active : {1u, 7u, 17u}) {
    c.add(words("global reduction", 4, "lanes", active),
          [=, to = c.memory<unsigned>()] { global_reduction<<<blocks, threads>>>(to, 1, active); });
    c.add(words("global atomic", 4, "lanes", active),
          [=, to = c.memory<unsigned>(), out = c.out()] { global_atomic<<<blocks, threads>>>(to, out, 1, active); });
  }
  for (const unsigned lanes_a_word : {2u, 3u, 4u, 32u, 256u}) {
    const std::string meeting = "lanes that meet in a word";
    c.add(words("global atomic", 4, meeting, lanes_a_word), [=, to = c.memory<unsigned>(), out = c.out()] {
      global_atomic_meeting<<<blocks, threads>>>(to, out, lanes_a_word);
    });
    c.add(words("global atomic", 8, meeting, lanes_a_word), [=, to = c.memory<unsigned long long>(), out = c.out()] {
      global_atomic_wide_meeting<<<blocks, threads>>>(to, out, lanes_a_word);
    });
    c.add(words("global reduction", 4, meeting, lanes_a_word),
          [=, to = c.memory<unsigned>()] { global_reduction_meeting<<<blocks, threads>>>(to, lanes_a_word); });
    c.add(words("global reduction of floats", 4, meeting, lanes_a_word),
          [=, to = c.memory<float>()] { global_reduction_meeting<<<blocks, threads>>>(to, lanes_a_word); });
    c.add(words("global reduction of doubles", 8, meeting, lanes_a_word),
          [=, to = c.memory<double>()] { global_reduction_meeting<<<blocks, threads>>>(to, lanes_a_word); });
  }
  for (const unsigned crowd : {2u, 5u, 16u, 31u}) {
    c.add(words("global atomic", 4, "lanes that crowd in one of the words", crowd),
          [=, to = c.memory<unsigned>(), out = c.out()] {
            global_atomic_uneven<true><<<blocks, threads>>>(to, out, crowd);
          });
    c.add(words("global reduction", 4, "lanes that crowd in one of the words", crowd),
          [=, to = c.memory<unsigned>(), out = c.out()] {
            global_atomic_uneven<false><<<blocks, threads>>>(to, out, crowd);
          });
  }
  for (const unsigned in_turn : {3u, 8u, 12u, 16u}) {
    c.add(words("global atomic", 4, "words that lanes take in turn", in_turn),
          [=, to = c.memory<unsigned>(), out = c.out()] {
            global_atomic_round_robin<<<blocks, threads>>>(to, out, in_turn);
          });
  }
  c.add(
      "global reduction, all threads to one word",
      [to = c.memory<unsigned>(), in = c.memory<unsigned>(64)] {
        global_reduction_uniform<<<blocks, threads>>>(to, in);
      },
      "the assembler adds up integers in the warp if it sees that all lanes have the same address: one lane is left");
  c.add("global reduction of floats, all threads to one word",
        [to = c.memory<float>(), in = c.memory<float>(64)] { global_reduction_uniform<<<blocks, threads>>>(to, in); });
}

template <unsigned Bytes>
void add_shared(collection& c) {
  for (const unsigned stride : {1u, 2u, 3u, 4u, 5u, 8u, 16u, 17u, 32u, 33u, 64u}) {
    c.add(words("shared load", Bytes, "stride", stride),
          [=, out = c.out()] { shared_load<Bytes><<<blocks, threads>>>(out, stride, 32, 0); });
    c.add(words("shared store", Bytes, "stride", stride),
          [=, out = c.out()] { shared_store<Bytes><<<blocks, threads>>>(out, stride, 32); });
  }
  for (const unsigned active : {1u, 5u, 8u, 9u, 16u, 17u}) {
    c.add(words("shared load, stride 2", Bytes, "lanes", active),
          [=, out = c.out()] { shared_load<Bytes><<<blocks, threads>>>(out, 2, active, 0); });
    c.add(words("shared store, stride 2", Bytes, "lanes", active),
          [=, out = c.out()] { shared_store<Bytes><<<blocks, threads>>>(out, 2, active); });
  }
  c.add(words("shared load", Bytes, "elements behind the boundary", 1),
        [=, out = c.out()] { shared_load<Bytes><<<blocks, threads>>>(out, 1, 32, 1); });
}

void add_shared_patterns(collection& c) {
  for (const unsigned mask : {0u, 1u, 3u, 7u, 31u})
    c.add(words("shared load", 4, "different words in a bank", mask + 1),
          [=, out = c.out()] { shared_broadcast<<<blocks, threads>>>(out, mask, 1); });
  c.add(
      "shared load, 8 neighbouring words per lane, one after the other",
      [out = c.out()] { shared_neighbours<<<blocks, threads>>>(out, 31); },
      "the assembler merges four loads of neighbouring words by a lane into one load of 16 bytes");
  c.add("shared square of 32 words a row", [out = c.out()] { shared_columns<32><<<blocks, threads>>>(out); });
  c.add("shared square of 33 words a row", [out = c.out()] { shared_columns<33><<<blocks, threads>>>(out); });
}

void add_local(collection& c) {
  for (const unsigned lanes_apart : {0u, 1u, 2u, 5u}) {
    c.add("local array, lanes " + std::to_string(lanes_apart) + " elements apart",
          [=, in = c.memory<unsigned>(), out = c.out()] { local_array<<<blocks, threads>>>(in, out, 5, lanes_apart); });
  }
  c.add("local array, 40 threads per block",
        [in = c.memory<unsigned>(), out = c.out()] { local_array<<<blocks, 40>>>(in, out, 3, 1); });
  for (const unsigned which : {0u, 1u, 2u}) {
    c.add("generic load, " + std::to_string(which) + " of 2 warps from shared memory",
          [=, in = c.memory<unsigned>(), out = c.out()] { generic_load<<<blocks, threads>>>(in, out, which); });
  }
}

}  // namespace

std::vector<probe> all() {
  collection c;
  add_global<1>(c);
  add_global<2>(c);
  add_global<4>(c);
  add_global<8>(c);
  add_global<16>(c);
  add_global_patterns(c);
  add_atomics(c);
  add_shared<4>(c);
  add_shared<8>(c);
  add_shared<16>(c);
  add_shared_patterns(c);
  add_local(c);
  return c.take();
}

}  // namespace probes
