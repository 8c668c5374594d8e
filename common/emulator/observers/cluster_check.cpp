#include "emulator/observers/cluster_check.hpp"

#include <algorithm>

#include "emulator/observers/global_access_log.hpp"
#include "emulator/observers/init_check.hpp"
#include "emulator/observers/thread_order.hpp"

namespace emulator::observers {
namespace {

void raise(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& by) {
  if (into.size() < by.size()) into.resize(by.size(), 0);
  for (std::size_t k = 0; k < by.size(); ++k) into[k] = std::max(into[k], by[k]);
}

void raise(std::vector<std::vector<std::uint32_t>>& into, const std::vector<std::vector<std::uint32_t>>& by) {
  for (std::size_t k = 0; k < by.size(); ++k) raise(into[k], by[k]);
}

/// Returns true if the kernel has accesses to shared memory that are narrower than a word.
bool has_narrow_accesses(const kernel_facts& facts) {
  return std::any_of(facts.instructions.begin(), facts.instructions.end(), [](const instruction_facts& i) {
    return (i.classes & (class_shared | class_generic)) != 0 && i.element_bytes != 0 && i.element_bytes < 4;
  });
}

}  // namespace

/// An access while it is checked.
struct cluster_check::request {
  const memory_event* event = nullptr;
  std::uint32_t rank = 0, warp = 0, owner = 0;
  access_level level = access_level::ordinary;
  bool reads = false, plain_write = false;
  [[nodiscard]] std::uint32_t thread(unsigned lane) const { return warp * warp_size + lane; }
};

cluster_check::cluster_check(const kernel_facts& facts, std::uint32_t size, const block_identity& block)
    : facts_(facts),
      size_(size),
      threads_(block.warp_count * warp_size),
      cell_bytes_(has_narrow_accesses(facts) ? 1 : 4),
      members_(size),
      cells_(size),
      common_(size),
      arrived_(size, std::vector<std::uint32_t>(threads_, 0)),
      touched_since_(size, false),
      waiting_(std::size_t{size} * block.warp_count, 0),
      views_(std::size_t{size} * threads_) {}

/// Returns true if the recorded access is ordered before everything that a thread with these floors does now.
bool cluster_check::covers(const view& floors, const record& of) const {
  const std::vector<std::uint32_t>& known = floors[of.who / threads_];
  return !known.empty() && of.stamp < known[of.who % threads_];
}

bool cluster_check::knows(std::uint32_t rank, std::uint32_t thread, const record& of) {
  const shared_view& own = view_of(rank, thread);
  return covers(common_, of) || (own != nullptr && covers(*own, of));
}

/// Returns true if the thread can know that a block has begun.
bool cluster_check::has_begun(std::uint32_t rank, std::uint32_t thread, std::uint32_t owner) {
  if (phases_ != 0 || rank == owner) return true;
  const shared_view& own = view_of(rank, thread);
  return own != nullptr && !(*own)[owner].empty();
}

incident cluster_check::incident_of(const request& r, incident_kind kind, unsigned lane, std::uint64_t address) const {
  incident one = incident_at(kind, r.event->pc, members_[r.rank].identity, r.thread(lane));
  one.other_block = one.owner = members_[r.owner].identity.linear;
  one.address = address;
  one.bytes = std::min<std::uint32_t>(r.event->bytes_per_lane, 4);
  one.is_distributed = true;
  return one;
}

/// Reports a race with an access by another block, unless something orders the two. Returns true if it has reported
/// one.
bool cluster_check::conflict(const request& r, const record& other, incident_kind kind, std::uint64_t address,
                             unsigned lane) {
  if (other.who == nobody || other.who / threads_ == r.rank || !levels_conflict(r.level, other.level)) return false;
  if (knows(r.rank, r.thread(lane), other)) return false;
  incident one = incident_of(r, kind, lane, address);
  one.other_pc = other.pc;
  one.other_block = members_[other.who / threads_].identity.linear;
  one.other_thread = other.who % threads_;
  one.is_atomic = r.level == access_level::strong || other.level == access_level::strong;
  one.is_volatile = !one.is_atomic && (r.level == access_level::volatile_ || other.level == access_level::volatile_);
  members_[r.rank].found->add(one);
  return true;
}

bool cluster_check::check_cell(const request& r, const cell& c, std::uint64_t address, unsigned lane) {
  const incident_kind after_write = r.reads ? incident_kind::read_after_write : incident_kind::write_after_write;
  if (conflict(r, c.write, after_write, address, lane)) return true;
  for (const record& other : c.atomics)
    if (conflict(r, other, after_write, address, lane)) return true;
  if (r.reads) return false;
  for (const record& other : c.reads)
    if (conflict(r, other, incident_kind::write_after_read, address, lane)) return true;
  return false;
}

/// Stores an access in a free entry, or in place of an older access by the same block, or of one that all threads are
/// ordered after. If there is no such entry, the access is dropped.
void cluster_check::keep(record (&kept)[2], const record& one) const {
  for (record& k : kept) {
    if (k.who != nobody && k.who / threads_ != one.who / threads_) continue;
    k = one;
    return;
  }
  for (record& k : kept) {
    if (!covers(common_, k)) continue;
    k = one;
    return;
  }
}

cluster_check::request cluster_check::request_of(std::uint32_t rank, std::uint32_t warp, const memory_event& event,
                                                 std::uint32_t owner) const {
  request r;
  r.event = &event;
  r.rank = rank;
  r.warp = warp;
  r.owner = owner;
  r.level = level_of(event);
  r.reads = event.access == access_kind::load;
  r.plain_write = event.access == access_kind::store && r.level != access_level::strong;
  return r;
}

void cluster_check::access(std::uint32_t rank, std::uint32_t warp, const memory_event& event, std::uint32_t owner) {
  const member& mine = members_[rank];
  if (owner != rank && members_[owner].reads != nullptr) members_[owner].reads->access_of(mine.identity, warp, event);
  const request r = request_of(rank, warp, event, owner);
  if (mine.order != nullptr) compare(r);
  if (mine.order != nullptr && r.level != access_level::ordinary) synchronise(r);
}

void cluster_check::begin_copy(std::uint32_t rank, std::uint32_t warp, const memory_event& event, std::uint32_t owner) {
  if (members_[rank].order != nullptr) compare(request_of(rank, warp, event, owner));
}

void cluster_check::hand_over(std::uint32_t rank, std::uint32_t thread, std::uint32_t owner, std::uint64_t object,
                              bool odd) {
  const std::uint64_t location = std::uint64_t{owner} << 32 | object / 4;
  if (members_[rank].order != nullptr) pass_on(rank, thread, location + (odd ? 1 : 0), /*release=*/true);
}

/// Compares the lanes' accesses with those by other blocks to the same cells, and stores them.
void cluster_check::compare(const request& r) {
  const memory_event& event = *r.event;
  const std::uint32_t rank = r.rank, warp = r.warp, owner = r.owner;
  const member& mine = members_[rank];
  const std::uint64_t all = mine.identity.shared_bytes;
  if (cells_[owner].empty()) cells_[owner].resize((all + cell_bytes_ - 1) / cell_bytes_);
  touched_since_[rank] = touched_since_[rank] || (waiting_[rank * (threads_ / warp_size) + warp] & event.mask) != 0;
  for (const unsigned l : lanes_in(event.mask)) {
    if (!has_begun(rank, r.thread(l), owner)) {
      mine.found->add(incident_of(r, incident_kind::block_not_begun, l, event.addresses[l]));
      break;
    }
  }
  for (const unsigned l : lanes_in(event.mask)) {
    const record one{rank * threads_ + r.thread(l), mine.order->stamps(warp)[l], event.pc, r.level};
    bool told = false;
    const std::uint64_t end = event.addresses[l] + event.bytes_per_lane;
    for (std::uint64_t at = event.addresses[l]; at < end; at = (at / cell_bytes_ + 1) * cell_bytes_) {
      cell& c = cells_[owner][at / cell_bytes_];
      told = told || check_cell(r, c, at, l);
      if (r.plain_write)
        c.write = one;
      else
        keep(r.reads ? c.reads : c.atomics, one);
    }
  }
}

/// Applies the order made by a flag or an `mbarrier`, as `race_check::synchronise` does within a block.
void cluster_check::synchronise(const request& r) {
  const memory_event& event = *r.event;
  const std::uint8_t ordering = facts_.instructions[event.pc].ordering;
  const bool acquire = (ordering & ordering_acquire) != 0, release = (ordering & ordering_release) != 0;
  for (const unsigned l : lanes_in(event.mask)) {
    const std::uint32_t thread = r.thread(l);
    std::uint64_t location = std::uint64_t{r.owner} << 32 | event.addresses[l] / 4;
    if (event.phases != nullptr) {
      if ((event.phases->still_waits >> l & 1u) != 0) continue;
      const std::uint32_t odd = event.phases->odd >> l & 1u;
      if ((event.phases->completes >> l & 1u) != 0) {
        pass_on(r.rank, thread, location + odd, release);
        if (const auto found = passed_on_.find(location + odd); found != passed_on_.end()) {
          const view known = found->second;
          view& there = passed_on_.try_emplace(location + (odd ^ 1u), view(size_)).first->second;
          raise(there, known);
        }
        continue;
      }
      location += odd;
    }
    if (event.access != access_kind::store) {
      const auto found = passed_on_.find(location);
      if (found != passed_on_.end() && acquire)
        learn(r.rank, thread, found->second);
      else if (found != passed_on_.end())
        raise(received_.try_emplace(r.rank * threads_ + thread, view(size_)).first->second, found->second);
    }
    if (event.access != access_kind::load) pass_on(r.rank, thread, location, release);
  }
}

void cluster_check::pass_on(std::uint32_t rank, std::uint32_t thread, std::uint64_t location, bool release) {
  thread_order& order = *members_[rank].order;
  const std::uint32_t until = release ? order.release_stamp(thread) : order.fence_stamp(thread);
  if (until == 0) return;
  view& there = passed_on_.try_emplace(location, view(size_)).first->second;
  std::vector<std::uint32_t> known = order.known_to(thread);
  known[thread] = std::max(known[thread], until);
  raise(there[rank], known);
  if (const shared_view& own = view_of(rank, thread); own != nullptr) raise(there, *own);
}

/// Adds what others have released to a thread's knowledge. This may include accesses by the thread's own block that
/// another block knew about.
void cluster_check::learn(std::uint32_t rank, std::uint32_t thread, const view& more) {
  if (!more[rank].empty()) members_[rank].order->learn(thread, more[rank]);
  const auto known = [](const std::vector<std::uint32_t>& floors) { return !floors.empty(); };
  if (std::count_if(more.begin(), more.end(), known) == (known(more[rank]) ? 1 : 0)) return;
  view of_others = more;
  of_others[rank].clear();
  shared_view& own = view_of(rank, thread);
  if (own != nullptr) raise(of_others, *own);
  own = std::make_shared<const view>(std::move(of_others));
  any_view_ = true;
}

void cluster_check::fence(std::uint32_t rank, std::uint32_t warp, std::uint32_t mask) {
  if (received_.empty()) return;
  for (const unsigned l : lanes_in(mask)) {
    const std::uint32_t thread = warp * warp_size + l;
    const auto found = received_.find(rank * threads_ + thread);
    if (found == received_.end()) continue;
    const view more = std::move(found->second);
    received_.erase(found);
    learn(rank, thread, more);
  }
}

/// Adds the knowledge of the lanes to `joint`.
void cluster_check::meet(std::uint32_t rank, std::uint32_t warp, std::uint32_t mask, view& joint) const {
  const view* last = nullptr;
  for (const unsigned l : lanes_in(mask)) {
    const std::uint32_t thread = warp * warp_size + l;
    const view* const own = views_[std::size_t{rank} * threads_ + thread].get();
    if (own != nullptr && own != last) raise(joint, *own);
    last = own;
  }
}

void cluster_check::warp_barrier(std::uint32_t rank, std::uint32_t warp, std::uint32_t mask) {
  std::vector<std::uint32_t> masks(threads_ / warp_size, 0);
  masks[warp] = mask;
  block_barrier(rank, masks);
}

void cluster_check::block_barrier(std::uint32_t rank, std::span<const std::uint32_t> masks) {
  if (!any_view_) return;
  view joint(size_);
  for (std::uint32_t w = 0; w < masks.size(); ++w) meet(rank, w, masks[w], joint);
  const auto all = std::make_shared<const view>(std::move(joint));
  for (std::uint32_t w = 0; w < masks.size(); ++w)
    for (const unsigned l : lanes_in(masks[w])) view_of(rank, w * warp_size + l) = all;
}

void cluster_check::arrive(std::uint32_t rank, std::uint32_t warp, std::uint32_t mask, bool releases) {
  thread_order* const order = members_[rank].order;
  if (order == nullptr) return;
  waiting_[rank * (threads_ / warp_size) + warp] |= mask;
  if (!releases) {
    // This arrival orders nothing, neither what the thread did before it nor what it does afterwards.
    touched_since_[rank] = true;
    return;
  }
  const std::uint32_t stamp = order->arrive_at_cluster(warp, mask);
  for (const unsigned l : lanes_in(mask)) arrived_[rank][warp * warp_size + l] = stamp;
  members_[rank].global->cut();
}

void cluster_check::open(std::uint64_t cluster) {
  ++phases_;
  std::fill(waiting_.begin(), waiting_.end(), 0u);
  // All threads that wait get the same knowledge, `common_`. It includes everything that any of them learned by flags
  // before it arrived.
  for (std::uint32_t rank = 0; rank < size_; ++rank) {
    member& one = members_[rank];
    if (one.order == nullptr) continue;
    raise(common_[rank], arrived_[rank]);
    std::fill(arrived_[rank].begin(), arrived_[rank].end(), 0u);
    // If no thread of the block has accessed shared memory since it arrived, the barrier acts like one of the block.
    if (touched_since_[rank])
      one.order->learn_all(common_[rank]);
    else
      one.order->raise_floor();
    touched_since_[rank] = false;
  }
  for (const bool learns : {false, true})
    for (const member& one : members_)
      if (one.order != nullptr) one.global->cluster_barrier(cluster, learns);
}

void cluster_check::leave(std::uint32_t rank, bool well) {
  member left = members_[rank];
  if (well && left.order != nullptr) {
    view all(size_);
    for (std::uint32_t w = 0; w < threads_ / warp_size; ++w) meet(rank, w, 0xffffffffu, all);
    for (std::size_t k = 0; k < cells_[rank].size(); ++k) {
      const cell& c = cells_[rank][k];
      for (const record* of : {&c.write, &c.reads[0], &c.reads[1], &c.atomics[0], &c.atomics[1]}) {
        if (of->who == nobody || of->who / threads_ == rank || covers(common_, *of) || covers(all, *of)) continue;
        incident one =
            incident_at(incident_kind::block_leaves, of->pc, members_[of->who / threads_].identity, of->who % threads_);
        one.other_block = one.owner = left.identity.linear;
        one.address = k * cell_bytes_;
        one.bytes = 4;
        one.is_distributed = true;
        left.found->add(one);
      }
    }
  }
  // The block's observer may continue with another block, but reports still need the identity of this one.
  members_[rank] = {.identity = left.identity};
}

}  // namespace emulator::observers
