// racecheck in global memory: compares the accesses of a launch after it has ended.

#include "emulator/observers/global_races.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>
#include <tuple>
#include <utility>

namespace emulator::observers {
namespace {

/// An access is compared with at most this number of others at the same place.
constexpr std::size_t max_partners = 256;

struct range {
  std::uint64_t begin;
  std::uint64_t end;
};

/// Returns the union of all ranges that are written, sorted. For scattered writes it includes the bytes in between.
std::vector<range> written_ranges(const global_accesses& all) {
  std::vector<range> writes;
  const auto add = [&](const global_access& a) {
    if (a.is(global_access::writes)) writes.push_back({a.begin, a.end()});
  };
  for (const global_access& a : all.rows) add(a);
  for (const scattered_access& a : all.scattered) add(a.hull);
  const auto below = [](const range& a, const range& b) { return a.begin < b.begin; };
  if (!std::is_sorted(writes.begin(), writes.end(), below)) std::sort(writes.begin(), writes.end(), below);
  std::vector<range> joint;
  for (const range& w : writes) {
    if (!joint.empty() && w.begin <= joint.back().end)
      joint.back().end = std::max(joint.back().end, w.end);
    else
      joint.push_back(w);
  }
  return joint;
}

/// Removes accesses that don't overlap any write, such as most of a kernel's reads. Converts the remaining scattered
/// accesses to rows.
void keep_written(global_accesses& all) {
  const std::vector<range> written = written_ranges(all);
  const auto touched = [&](const global_access& a) {
    if (written.empty() || a.begin >= written.back().end || a.end() <= written.front().begin) return false;
    const auto after = std::upper_bound(written.begin(), written.end(), a.begin,
                                        [](std::uint64_t address, const range& r) { return address < r.end; });
    return after != written.end() && after->begin < a.end();
  };
  std::erase_if(all.rows, [&](const global_access& a) { return !touched(a); });
  all.expand([&](const scattered_access& a) { return touched(a.hull); });
}

/// A set of bytes of a range. Each mark represents 1 << shift neighbouring bytes.
class marks {
 public:
  marks(std::uint64_t begin, std::uint64_t end, unsigned shift)
      : begin_(begin), shift_(shift), bits_(((end - begin) >> shift) / 64 + 1) {}
  /// Returns true if any byte of an access is marked.
  [[nodiscard]] bool any(const global_access& a) const {
    std::uint64_t found = 0;
    for_words(a, [&](std::size_t word, std::uint64_t mask) { found |= bits_[word] & mask; });
    return found != 0;
  }
  void mark(const global_access& a) {
    for_words(a, [&](std::size_t word, std::uint64_t mask) { bits_[word] |= mask; });
  }

 private:
  template <typename Act>
  void for_words(const global_access& a, Act act) const {
    const std::uint64_t last = (a.end() - 1 - begin_) >> shift_;
    for (std::uint64_t at = (a.begin - begin_) >> shift_; at <= last; at = (at / 64 + 1) * 64) {
      const std::uint64_t upper = last / 64 == at / 64 ? 63 - last % 64 : 0;
      act(static_cast<std::size_t>(at / 64), ~std::uint64_t{0} << at % 64 & ~std::uint64_t{0} >> upper);
    }
  }

  std::uint64_t begin_;
  unsigned shift_;
  std::vector<std::uint64_t> bits_;
};

/// Returns true if the access is an ordinary one as far as other blocks are concerned.
bool weak_outside(const global_access& a) {
  return !a.is(global_access::strong) || a.is(global_access::block_only);
}

/// Returns true if it is certain that no two accesses conflict, because accesses that touch the same byte all read, or
/// are all strong. Doesn't sort the accesses, because sorting dominates if lanes write far apart. False means that it
/// isn't known.
bool proven_disjoint(const std::vector<global_access>& all) {
  // The maximum number of words of marks per access. If more are needed, sorting is cheaper.
  constexpr std::uint64_t words_per_access = 8;
  std::uint64_t begin = ~std::uint64_t{0}, end = 0, together = 0, length = 0;
  for (const global_access& a : all) {
    begin = std::min(begin, a.begin);
    end = std::max(end, a.end());
    length += a.length;
    together |= a.begin | a.length;
  }
  if (all.empty()) return true;
  const auto shift = static_cast<unsigned>(std::countr_zero(together));
  if ((std::max(end - begin, length) >> shift) / 64 > words_per_access * all.size()) return false;
  marks weak(begin, end, shift), strong(begin, end, shift);
  for (const global_access& a : all) {
    const bool is_weak = weak_outside(a);
    if (is_weak && !a.is(global_access::writes)) continue;
    if (weak.any(a) || (is_weak && strong.any(a))) return false;
    (is_weak ? weak : strong).mark(a);
  }
  return std::none_of(all.begin(), all.end(), [&](const global_access& a) {
    return weak_outside(a) && !a.is(global_access::writes) && (weak.any(a) || strong.any(a));
  });
}

class comparison {
 public:
  comparison(std::vector<global_access>& all, block_order* order,
             const std::function<block_identity(std::uint64_t)>& identify, incident_table& found)
      : all_(all), order_(order), identify_(identify), found_(found) {}

  void run() {
    std::sort(all_.begin(), all_.end(), [](const global_access& a, const global_access& b) {
      return std::tie(a.begin, a.block, a.number, a.length) < std::tie(b.begin, b.block, b.number, b.length);
    });
    std::uint64_t at = 0;
    for (const global_access& a : all_) {
      if (a.begin != at) {
        for (std::vector<const global_access*>& list : open_) {
          std::erase_if(list, [&](const global_access* o) { return o->end() <= a.begin; });
        }
        at = a.begin;
      }
      // Accesses that cannot conflict aren't compared: reads with reads, and strong ones with strong ones.
      for (std::size_t with = 0; with < std::size(open_); ++with) {
        if (may_conflict(kind_of(a), with)) compare_with(a, open_[with]);
      }
      open_[kind_of(a)].push_back(&a);
    }
  }

 private:
  // Returns 0 to 5 for weak reads, weak writes, strong reads, strong writes (including atomics), and strong reads and
  // writes at block scope.
  static std::size_t kind_of(const global_access& a) {
    return (a.is(global_access::block_only) ? 4u
            : a.is(global_access::strong)   ? 2u
                                            : 0u) +
           (a.is(global_access::writes) ? 1u : 0u);
  }
  static bool may_conflict(std::size_t a, std::size_t b) {
    const bool one_writes = (a & 1u) != 0 || (b & 1u) != 0;
    const bool both_strong = (a & ~std::size_t{1}) == 2 && (b & ~std::size_t{1}) == 2;
    return one_writes && !both_strong;
  }

  void compare_with(const global_access& a, const std::vector<const global_access*>& others) {
    std::size_t partners = 0;
    for (const global_access* o : others) {
      if (++partners > max_partners) return;
      if (a.block == o->block)
        compare_in_block(a, *o);
      else
        compare_blocks(a, *o);
    }
  }

  void compare_blocks(const global_access& a, const global_access& b) {
    if (order_ != nullptr) {
      const global_access& earlier = a.stretch < b.stretch ? a : b;
      const bool writes_weakly = earlier.is(global_access::writes) && weak_outside(earlier);
      const auto how = writes_weakly ? block_order::relation::acquired : block_order::relation::seen;
      if (order_->ordered(a.stretch, b.stretch, how)) return;
    }
    report(a, b, std::max(a.begin, b.begin));
  }

  void compare_in_block(const global_access& a, const global_access& b) {
    if (a.stretch != b.stretch) return;
    if (a.is(global_access::strong) && b.is(global_access::strong)) return;
    if (a.begin == b.begin && a.thread == b.thread && a.bytes == b.bytes) return;
    const std::uint64_t end = std::min(a.end(), b.end());
    for (std::uint64_t at = std::max(a.begin, b.begin); at < end; at += std::min(a.bytes, b.bytes)) {
      if (a.thread_at(at) / warp_size == b.thread_at(at) / warp_size) continue;
      report(a, b, at);
      return;
    }
  }

  void report(const global_access& a, const global_access& b, std::uint64_t address) {
    const global_access* one = &a;
    const global_access* other = &b;
    const bool reads = !a.is(global_access::writes) || !b.is(global_access::writes);
    if (reads ? one->is(global_access::writes)
              : std::tie(one->block, one->number) < std::tie(other->block, other->number)) {
      std::swap(one, other);
    }
    const incident_kind kind = reads ? incident_kind::global_read_and_write : incident_kind::global_write_and_write;
    incident race = incident_at(kind, one->pc, identify_(one->block), one->thread_at(address));
    race.other_pc = other->pc;
    race.other_block = other->block;
    race.other_thread = other->thread_at(address);
    race.address = address;
    race.bytes = one->bytes;
    race.is_atomic = one->is(global_access::strong) != other->is(global_access::strong);
    race.is_block_only = one->is(global_access::strong) && other->is(global_access::strong);
    found_.add(race);
  }

  std::vector<global_access>& all_;
  block_order* order_;
  const std::function<block_identity(std::uint64_t)>& identify_;
  incident_table& found_;
  std::vector<const global_access*> open_[6];
};

}  // namespace

void find_global_races(global_accesses& all, block_order* order,
                       const std::function<block_identity(std::uint64_t)>& identify, incident_table& found) {
  keep_written(all);
  if (!proven_disjoint(all.rows)) comparison(all.rows, order, identify, found).run();
}

void global_races::begin_block() {
  const std::uint64_t blocks = context_.launch.block_count();
  log_.begin_block(context_.block, blocks == 0 ? log_limits{} : log_limits::for_blocks(blocks));
}

void global_races::flush(of_launch& launch) {
  global_accesses entries = log_.take_entries();
  const auto none = [](const global_accesses& of) { return of.rows.empty() && of.scattered.empty(); };
  if (!none(entries)) launch.some_block = context_.block;  // else it may be from a host thread that had no block
  if (none(launch.accesses))
    std::swap(launch.accesses, entries);
  else
    launch.accesses.append(entries);
  recycle_buffers(std::move(entries));
}

void global_races::of_launch::finish(incident_table& found) {
  const std::uint32_t(&grid)[3] = launch_.grid();
  const auto identify = [&](std::uint64_t linear) {
    block_identity block = some_block;
    block.linear = linear;
    block.index[0] = static_cast<std::uint32_t>(linear % grid[0]);
    block.index[1] = static_cast<std::uint32_t>(linear / grid[0] % grid[1]);
    block.index[2] = static_cast<std::uint32_t>(linear / grid[0] / grid[1]);
    return block;
  };
  find_global_races(accesses, launch_.order(), identify, found);
  recycle_buffers(std::exchange(accesses, {}));
}

}  // namespace emulator::observers
