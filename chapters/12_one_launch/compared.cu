// The rows of chapter 12's table beside reference and exercise.

#include "12_one_launch/compared.cuh"

#include "12_one_launch/compared.hpp"
#include "device/compensated.cuh"
#include "device/reduce.cuh"
#include "workbook/kept_workspace.hpp"
#include "workbook/rung.cuh"

namespace chapter12 {
namespace {

using namespace workbook;

/// Additions on the longest way where `adders` sums are added one after the other to those of a thread.
std::size_t chain(std::size_t n, std::size_t block_size, std::size_t adders_a_block) {
  // Floats: four elements a load. Doubles have more blocks, and so fewer additions a thread.
  const std::size_t blocks = std::max(grid_size_for<float>(n, static_cast<unsigned>(block_size)),
                                      grid_size_for<double>(n, static_cast<unsigned>(block_size)));
  const std::size_t fewest = grid_size_for<float>(n, static_cast<unsigned>(block_size));
  return ceil_div(n, fewest * block_size) + 4 + 10 + blocks * adders_a_block;
}

template <adder By>
reduction atomics(std::string name) {
  reduction r = make_rung(std::move(name), role::compared, 12,
                          [](const auto* in, auto* total, std::size_t n, unsigned block_size) {
                            return reduce_by_atomics<By>(in, total, n, block_size);
                          });
  r.rejects = reject_unless_whole_warps;
  r.depth = [](std::size_t n, unsigned block_size) {
    return chain(n, block_size, By == adder::thread ? block_size : By == adder::warp ? block_size / 32 : 1);
  };
  return r;
}

/// `workbook::reduce` with accumulators of another type than the elements: `Wide<T>`.
template <template <typename> typename Wide, typename Op>
reduction accumulating(std::string name) {
  reduction r;
  r.name = std::move(name);
  r.as = role::compared;
  r.chapter = 12;
  const auto kept = std::make_shared<kept_workspace>();
  const auto call = [kept]<typename T>(const T* in, T* out, std::size_t n) {
    void* storage = kept->reserve(reduce_workspace_bytes<Wide<T>>());
    if (storage != nullptr) reduce<Wide<T>>(in, out, n, storage, nullptr, Op{});
  };
  r.wholes = {whole<int>(call), whole<unsigned>(call), whole<long long>(call), whole<float>(call), whole<double>(call)};
  r.reset = [kept] { kept->release(); };
  // Rounded once, from about twice the precision: what the additions before lose is less than another unit.
  r.depth = [](std::size_t, unsigned) { return 2; };
  return r;
}

/// Integers need no compensation: they are exact as they are.
template <typename T>
using with_its_error = std::conditional_t<std::is_floating_point_v<T>, compensated<T>, T>;

/// Compensated where T is floating point.
struct plus_with_error : plus {
  using plus::operator();
  template <typename T>
  __host__ __device__ constexpr compensated<T> operator()(compensated<T> a, compensated<T> b) const {
    return plus_compensated{}(a, b);
  }
};

}  // namespace

std::size_t depth_of_last_block(std::size_t n, unsigned block_size) {
  std::size_t most = 0;
  for (const std::size_t per_load : {elements_per_load<float>, elements_per_load<double>}) {
    const std::size_t wanted = n == 0 ? 1 : ceil_div(n, 2 * block_size * per_load);
    const std::size_t grid = std::min<std::size_t>(wanted, resident_blocks(block_size));
    // Two loads a step, an element of the slow path, the sums beside each other; two trees of at most 10 steps.
    const std::size_t of_a_thread = 2 * ceil_div(n, 2 * grid * block_size * per_load) + 1 + per_load;
    most = std::max(most, of_a_thread + 10 + ceil_div(grid, block_size) + 10);
  }
  return most;
}

std::vector<reduction> compared_rungs() {
  reduction grid_sync = make_rung("reduce_grid_sync", role::compared, 12,
                                  [](const auto* in, auto* partials, std::size_t n, unsigned block_size) {
                                    return reduce_by_grid_sync(in, partials, n, block_size);
                                  });
  grid_sync.rejects = reject_unless_whole_warps;
  grid_sync.depth = [](std::size_t n, unsigned block_size) { return chain(n, block_size, 1); };
  reduction final = one_launch_reduction();
  final.as = role::compared;
  return {atomics<adder::thread>("atomic a thread"),
          atomics<adder::warp>("atomic a warp"),
          atomics<adder::block>("atomic a block"),
          grid_sync,
          final,
          accumulating<with_its_error, plus_with_error>("compensated")};
}

}  // namespace chapter12
