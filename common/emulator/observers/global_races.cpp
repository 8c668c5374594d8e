#include "emulator/observers/global_races.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace emulator::observers {
namespace {

/// An access is compared with so many others of the same place.
constexpr std::size_t most_partners = 256;

struct range {
  std::uint64_t begin;
  std::uint64_t end;
};

/// The union of all that is written, sorted.
std::vector<range> written_ranges(const std::vector<global_access>& all) {
  std::vector<range> writes;
  for (const global_access& a : all) {
    if (a.is(global_access::writes)) writes.push_back({a.begin, a.end()});
  }
  std::sort(writes.begin(), writes.end(), [](const range& a, const range& b) { return a.begin < b.begin; });
  std::vector<range> joint;
  for (const range& w : writes) {
    if (!joint.empty() && w.begin <= joint.back().end)
      joint.back().end = std::max(joint.back().end, w.end);
    else
      joint.push_back(w);
  }
  return joint;
}

/// Drops what touches nothing that is written: most of what kernels read.
void keep_written(std::vector<global_access>& all) {
  const std::vector<range> written = written_ranges(all);
  const auto untouched = [&](const global_access& a) {
    if (written.empty() || a.begin >= written.back().end || a.end() <= written.front().begin) return true;
    const auto after = std::upper_bound(written.begin(), written.end(), a.begin,
                                        [](std::uint64_t address, const range& r) { return address < r.end; });
    return after == written.end() || after->begin >= a.end();
  };
  all.erase(std::remove_if(all.begin(), all.end(), untouched), all.end());
}

/// Says whether the access is one like any other in the eyes of another block.
bool weak_outside(const global_access& a) {
  return !a.is(global_access::strong) || a.is(global_access::block_only);
}

class comparison {
 public:
  comparison(std::vector<global_access>& all, block_order* order,
             const std::function<block_identity(std::uint64_t)>& identify, incident_table& found)
      : all_(all), order_(order), identify_(identify), found_(found) {}

  void run() {
    keep_written(all_);
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
      // Those that cannot conflict are not even looked at: readers with readers, strong ones with strong ones.
      for (std::size_t with = 0; with < std::size(open_); ++with) {
        if (may_conflict(kind_of(a), with)) compare_with(a, open_[with]);
      }
      open_[kind_of(a)].push_back(&a);
    }
  }

 private:
  // Weak reads, weak writes, strong reads, strong writes (atomics too), and the last two within a block only.
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
      if (++partners > most_partners) return;
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
    incident race;
    race.kind = reads ? incident_kind::global_read_and_write : incident_kind::global_write_and_write;
    race.pc = one->pc;
    race.other_pc = other->pc;
    race.block = identify_(one->block);
    race.other_block = other->block;
    race.thread = one->thread_at(address);
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

void find_global_races(std::vector<global_access>& all, block_order* order,
                       const std::function<block_identity(std::uint64_t)>& identify, incident_table& found) {
  comparison(all, order, identify, found).run();
}

}  // namespace emulator::observers
