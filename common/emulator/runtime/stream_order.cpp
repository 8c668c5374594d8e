#include "emulator/runtime/stream_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "emulator/memory/devices.hpp"
#include "emulator/runtime/current_call.hpp"
#include "emulator/runtime/device.hpp"
#include "emulator/runtime/process_memory.hpp"

namespace emulator::runtime {
namespace {

/// The maximum number of pieces of work that later ones are compared with.
constexpr std::size_t max_pending = 256;

const char* verb(const std::string& what, memory::touch how) {
  if (what == "cudaFreeAsync" || what == "cudaGraphAddMemFreeNode") return "frees";
  if (what == "cudaMallocAsync" || what == "cudaMallocFromPoolAsync" || what == "cudaGraphAddMemAllocNode")
    return "allocates";
  if (how == memory::touch::atomic) return "changes with atomics";
  return how == memory::touch::read || how == memory::touch::polled ? "reads" : "writes";
}

std::string words_for(const memory::allocation& in) {
  return in.name.empty() ? fmt::format("allocation {} ({} bytes)", in.serial, in.size_bytes)
                         : fmt::format("variable {} ({} bytes)", in.name, in.size_bytes);
}

}  // namespace

std::uint64_t& work_clock::operator[](unsigned long long stream) {
  const auto place = std::lower_bound(entries_.begin(), entries_.end(), entry{stream, 0});
  if (place != entries_.end() && place->first == stream) return place->second;
  return entries_.insert(place, {stream, 0})->second;
}

void work_clock::join(const work_clock& other) {
  auto place = entries_.begin();
  for (const entry& theirs : other.entries_) {
    while (place != entries_.end() && place->first < theirs.first) ++place;
    if (place != entries_.end() && place->first == theirs.first)
      place->second = std::max(place->second, theirs.second);
    else
      place = entries_.insert(place, theirs);
  }
}

bool work_clock::reaches(unsigned long long stream, std::uint64_t number) const {
  const auto place = std::lower_bound(entries_.begin(), entries_.end(), entry{stream, 0});
  return place != entries_.end() && place->first == stream && place->second >= number;
}

bool stream_order::watches() const {
  return watches_ && device::instance().current_options().racecheck;
}

stream_order::stream_state& stream_order::state_of(const stream_record& stream) {
  stream_state& state = streams_[stream.id];
  state.device = stream.device;
  state.blocking = stream.blocks();
  return state;
}

/// Returns the time before the next piece of work of the stream.
work_clock stream_order::begin_of(const stream_record& stream) {
  stream_state& own = state_of(stream);
  work_clock after = own.end;
  after.join(host_);
  if (timeline::instance().is_legacy(stream)) {
    for (const auto& [id, other] : streams_)
      if (other.blocking && other.device == stream.device) after.join(other.end);
  } else if (own.blocking) {
    const memory::on_device owner(stream.device);
    stream_state& legacy = streams_[timeline::instance().find(cudaStreamLegacy)->id];
    legacy.device = stream.device;
    after.join(legacy.end);
  }
  return after;
}

cudaError_t stream_order::run(const stream_record& stream, bool host_waits, const std::function<cudaError_t()>& work) {
  // Nested work, such as a library's copy inside a call, is part of the outer work.
  if (!watches() || current_ != nullptr) return work();
  auto now = std::make_unique<piece_of_work>();
  stream_state& own = state_of(stream);
  now->stream = stream.id;
  now->after = begin_of(stream);
  now->number = now->after[stream.id] = ++own.count;
  now->host_waits = host_waits;
  if (const call_in_progress* call = call_in_progress::innermost()) {
    now->where = call->stack();
    now->what = call->name();
  }
  const cudaError_t error = carry_out(*now, work);
  own.end = now->after;
  forget_reached();
  if (now->under_way) {
    ++version_;
    pending_.push_back(std::move(now));
    return error;
  }
  compare_with_all(*now);
  own.end.join(now->after);
  if (!now->host_waits) {
    keep(std::move(now));
    return error;
  }
  host_.join(now->after);
  forget_reached();
  return error;
}

cudaError_t stream_order::carry_out(piece_of_work& now, const std::function<cudaError_t()>& work) {
  current_ = &now;
  try {
    const cudaError_t error = work();
    current_ = nullptr;
    return error;
  } catch (...) {
    current_ = nullptr;
    throw;
  }
}

work_clock stream_order::begin_graph(const stream_record& stream) {
  return watches_ ? begin_of(stream) : work_clock{};
}

cudaError_t stream_order::run_node(const node& which, work_clock& clock, const std::function<cudaError_t()>& work) {
  if (!watches() || current_ != nullptr) return work();
  auto now = std::make_unique<piece_of_work>();
  stream_state& own = streams_[which.place];
  own.device = which.device;
  own.blocking = false;
  now->stream = which.place;
  now->after = clock;
  now->after.join(own.end);  // the same node of an earlier launch
  now->number = now->after[which.place] = ++own.count;
  now->where = which.where;
  now->what = which.what;
  now->in_graph = true;
  const cudaError_t error = carry_out(*now, work);
  forget_reached();
  compare_with_all(*now);
  own.end = now->after;
  clock = now->after;
  keep(std::move(now));
  return error;
}

void stream_order::end_graph(const stream_record& stream, const work_clock& end) {
  if (watches_) state_of(stream).end.join(end);
}

/// Stores work so that later work can be compared with it.
void stream_order::keep(std::unique_ptr<piece_of_work> work) {
  ++version_;
  pending_.push_back(std::move(work));
  if (pending_.size() > max_pending) {
    const auto oldest = std::find_if(pending_.begin(), pending_.end(), [](const auto& p) { return !p->under_way; });
    if (oldest != pending_.end()) pending_.erase(oldest);
  }
}

/// Removes the work that the host has waited for, because everything later is ordered after it.
void stream_order::forget_reached() {
  version_ +=
      std::erase_if(pending_, [this](const auto& p) { return !p->under_way && host_.reaches(p->stream, p->number); });
}

void stream_order::compare_with_all(piece_of_work& now) {
  std::vector<std::pair<const piece_of_work*, memory::touched_bytes::meeting>> meetings;
  for (const auto& other : pending_) {
    // Unfinished work is compared when it ends.
    if (other.get() == &now || other->under_way || now.after.reaches(other->stream, other->number) ||
        other->after.reaches(now.stream, now.number))
      continue;
    meetings.emplace_back(other.get(), now.touched.meeting_with(other->touched));
  }
  // Work that has polled the changes of other work is ordered after that work, and after everything that precedes it.
  for (const auto& [other, meeting] : meetings) {
    if (meeting.learns) now.after.join(other->after);
  }
  for (const auto& [other, meeting] : meetings) {
    if (meeting.met && !now.after.reaches(other->stream, other->number)) tell(now, *other, *meeting.met);
  }
}

stream_order::under_way stream_order::pause() {
  if (current_ != nullptr) current_->under_way = true;
  return current_;
}

void stream_order::resume(under_way which, const std::function<void()>& part) {
  piece_of_work* const before = current_;
  if (which != nullptr) current_ = which;
  part();
  current_ = before;
}

void stream_order::end(under_way which) {
  if (which == nullptr) return;
  ++version_;
  which->under_way = false;
  compare_with_all(*which);
  streams_[which->stream].end.join(which->after);
}

void stream_order::tell(const piece_of_work& now, const piece_of_work& before,
                        const memory::touched_bytes::conflict& met) {
  const memory::allocation* in = process_memory().memory.find(met.address);
  if (in == nullptr) return;
  call_finding found{.what = {.kind = finding_kind::stream_race}, .where = now.where};
  const bool of_graph = now.in_graph && before.in_graph;
  found.what.message = fmt::format("{} {} byte {} of {}, which {} in ", now.what, verb(now.what, met.here),
                                   met.address - in->begin, words_for(*in), before.what);
  found.other = {before.where,
                 fmt::format(" {}: nothing orders the two, because {}.", verb(before.what, met.there),
                             of_graph ? "no edge of the graph leads from one to the other, nor do streams or events "
                                        "order them"
                                      : "they are in different streams")};
  found.what.cure =
      of_graph
          ? "Make the first a dependency of the second (cudaGraphAddDependencies, or the list of dependencies when "
            "the node is added); in a capture, record an event after the first and let the second's stream wait "
            "for it."
          : "Record an event after the first and let the second's stream wait for it (cudaStreamWaitEvent), let "
            "the host wait between the two, or put both into one stream. A stream made with cudaStreamNonBlocking "
            "does not wait for the default stream either.";
  device::instance().add_call_finding(std::move(found));
}

std::vector<memory::touched_bytes::host_page> stream_order::pages_of_host() {
  std::vector<memory::touched_bytes::host_page> all;
  for (const auto& piece : pending_) {
    if (piece->under_way) continue;
    if (!piece->pages) piece->touched.add_host_pages(process_memory().memory, piece->pages.emplace());
    all.insert(all.end(), piece->pages->begin(), piece->pages->end());
  }
  return all;
}

stream_order::host_meeting stream_order::host_meets(std::uintptr_t address, bool writes) {
  const auto bit = [](memory::touch how) { return 1u << static_cast<unsigned>(how); };
  const unsigned changes = bit(memory::touch::write) | bit(memory::touch::word);
  const unsigned bad = writes ? changes | bit(memory::touch::read) : changes;
  const unsigned talks = bit(memory::touch::atomic) | bit(memory::touch::polled);
  const memory::allocation* const in = process_memory().memory.find(address);
  host_meeting found;
  for (const auto& piece : pending_) {
    if (in == nullptr || piece->under_way || piece->host_is_told) continue;
    const unsigned kinds = piece->touched.touches_at(*in, address);
    if ((kinds & talks) != 0) {
      if (found.work == nullptr && !writes) found = {piece.get(), true};
    } else if ((kinds & bad) != 0) {
      piece->host_is_told = true;
      return {piece.get(), false};
    }
  }
  return found;
}

void stream_order::host_has_seen(const void* work) {
  for (const auto& piece : pending_)
    if (piece.get() == work) host_.join(piece->after);
  forget_reached();
}

void stream_order::tell_of_host(const void* work, std::uintptr_t address, bool writes, call_stack where) {
  const memory::allocation* const in = process_memory().memory.find(address);
  const auto piece = std::find_if(pending_.begin(), pending_.end(), [=](const auto& p) { return p.get() == work; });
  if (in == nullptr || piece == pending_.end()) return;
  const unsigned kinds = (*piece)->touched.touches_at(*in, address);
  const bool changes = (kinds & ~(1u << static_cast<unsigned>(memory::touch::read))) != 0;
  call_finding found{.what = {.kind = finding_kind::host_race}, .where = std::move(where)};
  found.what.message = fmt::format("The host {} byte {} of {}, which {} in ", writes ? "writes" : "reads",
                                   address - in->begin, words_for(*in), (*piece)->what);
  found.other = {(*piece)->where,
                 fmt::format(" {}: it has not waited for that.",
                             verb((*piece)->what, changes ? memory::touch::write : memory::touch::read))};
  found.what.cure =
      "Let the host wait before it accesses the memory: cudaStreamSynchronize, cudaEventSynchronize or "
      "cudaDeviceSynchronize.";
  device::instance().add_call_finding(std::move(found));
}

void stream_order::record(const event_record& event, const stream_record& stream) {
  if (watches_) events_[&event] = begin_of(stream);
}

void stream_order::wait(const stream_record& stream, const event_record& event) {
  if (const auto found = events_.find(&event); found != events_.end()) state_of(stream).end.join(found->second);
}

void stream_order::host_waited_for(const stream_record& stream) {
  if (!watches_) return;
  host_.join(begin_of(stream));
  forget_reached();
}

void stream_order::host_waited_for(const event_record& event) {
  if (const auto found = events_.find(&event); found != events_.end()) host_.join(found->second);
  forget_reached();
}

void stream_order::host_waited_for_all() {
  for (const auto& [id, stream] : streams_) host_.join(stream.end);
  version_ += std::erase_if(pending_, [](const auto& p) { return !p->under_way; });
}

void stream_order::host_waited_for_device(int number) {
  for (const auto& [id, stream] : streams_)
    if (stream.device == number) host_.join(stream.end);
  forget_reached();
}

void stream_order::clear() {
  host_waited_for_all();
  events_.clear();
  streams_.clear();
  host_ = {};
}

}  // namespace emulator::runtime
