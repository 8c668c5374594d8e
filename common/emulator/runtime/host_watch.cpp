#include "emulator/runtime/host_watch.hpp"

#include <execinfo.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "emulator/runtime/device.hpp"
#include "emulator/runtime/stream_order.hpp"
#include "host/memory.hpp"

namespace emulator::runtime {
namespace {

/// Pages that are open for one instruction of this thread: up to the number that one instruction can access.
constexpr int max_open_for_step = 4;
thread_local std::uintptr_t open_for_step[max_open_for_step];
thread_local int open_for_step_count = 0;

void set_rights(std::uintptr_t begin, std::uintptr_t end, int rights) {
  static_cast<void>(mprotect(reinterpret_cast<void*>(begin), end - begin, rights));
}

#if defined(__x86_64__)
struct sigaction old_fault {
}, old_trap{};

/// Passes the signal on to the handler that was installed before.
void pass_on(const struct sigaction& old, int signal, siginfo_t* info, void* context) {
  if ((old.sa_flags & SA_SIGINFO) != 0) return old.sa_sigaction(signal, info, context);
  if (old.sa_handler == SIG_IGN && signal == SIGTRAP) return;
  if (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN) return old.sa_handler(signal);
  // The access is repeated, and ends the program as it would have without the emulator.
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  sigaction(signal, &usual, nullptr);
  if (signal == SIGTRAP) raise(signal);
}

constexpr greg_t error_writes = 2, flag_single_step = 0x100;

void on_fault(int signal, siginfo_t* info, void* context) {
  greg_t* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  bool goes_one_step = false;
  const bool ours = host_watch::instance().stopped(reinterpret_cast<std::uintptr_t>(info->si_addr),
                                                   (registers[REG_ERR] & error_writes) != 0,
                                                   static_cast<std::uintptr_t>(registers[REG_RIP]), goes_one_step);
  if (!ours) return pass_on(old_fault, signal, info, context);
  if (goes_one_step) registers[REG_EFL] |= flag_single_step;
}

void on_trap(int signal, siginfo_t* info, void* context) {
  if (!host_watch::instance().stepped()) return pass_on(old_trap, signal, info, context);
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~flag_single_step;
}
#endif

}  // namespace

void host_watch::install() {
#if defined(__x86_64__)
  if (installed_) return;
  installed_ = true;
  struct sigaction wanted {};
  wanted.sa_flags = SA_SIGINFO;
  sigemptyset(&wanted.sa_mask);
  wanted.sa_sigaction = on_fault;
  sigaction(SIGSEGV, &wanted, &old_fault);
  wanted.sa_sigaction = on_trap;
  sigaction(SIGTRAP, &wanted, &old_trap);
#endif
}

void host_watch::call_begins() {
  const std::lock_guard lock(mutex_);
  if (calls_++ == 0) open();
}

void host_watch::call_ends() {
  const std::lock_guard lock(mutex_);
  if (--calls_ == 0) close();
}

void host_watch::open() {
  if (!closed_) return;
  closed_ = false;
  for (auto first = pages_.begin(); first != pages_.end();) {
    auto last = first;
    while (std::next(last) != pages_.end() && std::next(last)->begin == last->begin + host::page_bytes()) ++last;
    set_rights(first->begin, last->begin + host::page_bytes(), PROT_READ | PROT_WRITE);
    first = std::next(last);
  }
}

void host_watch::tell() {
  const std::lock_guard lock(mutex_);
  stream_order& order = stream_order::instance();
  for (std::size_t k = 0; k < std::min(seen_count_, max_sightings); ++k) {
    const sighting& one = seen_[k];
    if (one.learns) {
      order.host_has_seen(one.work);
      continue;
    }
    call_stack where;
    // The frames before `instruction` belong to the signal handler. The other addresses of a stack are return
    // addresses, which follow their call, so we add 1 to this one.
    const auto end = one.stack + one.depth;
    const auto begin = std::find(one.stack, end, reinterpret_cast<void*>(one.instruction));
    where.addresses.push_back(one.instruction + 1);
    for (auto at = begin == end ? end : std::next(begin); at != end; ++at)
      where.addresses.push_back(reinterpret_cast<std::uintptr_t>(*at));
    order.tell_of_host(one.work, one.address, one.writes, std::move(where));
  }
  seen_count_ = 0;
}

void host_watch::close() {
#if defined(__x86_64__)
  stream_order& order = stream_order::instance();
  if (order.version() != version_) {
    version_ = order.version();
    pages_.clear();
    for (const memory::touched_bytes::host_page& touched : order.pages_of_host())
      pages_.push_back({touched.begin, !touched.written, false});
    std::ranges::sort(pages_, {}, [](const page& one) { return std::pair(one.begin, one.readable); });
    const auto again = std::ranges::unique(pages_, {}, &page::begin);
    pages_.erase(again.begin(), again.end());
  }
  // If a kernel's fault has stopped the device, no work is in progress any more, although every wait for work fails.
  if (pages_.empty() || device::instance().sticky_error() != cudaSuccess) return;
  install();
  steps_ = 0;
  closed_ = true;
  for (auto first = pages_.begin(); first != pages_.end();) {
    auto last = first;
    const auto goes_on = [&](auto next) {
      return next != pages_.end() && next->begin == last->begin + host::page_bytes() &&
             next->readable == first->readable;
    };
    while (goes_on(std::next(last))) ++last;
    set_rights(first->begin, last->begin + host::page_bytes(), first->readable ? PROT_READ : PROT_NONE);
    for (auto one = first; one != std::next(last); ++one) one->open = false;
    first = std::next(last);
  }
#endif
}

host_watch::page* host_watch::find(std::uintptr_t address) {
  const std::uintptr_t begin = address / host::page_bytes() * host::page_bytes();
  const auto found = std::ranges::lower_bound(pages_, begin, {}, &page::begin);
  return found == pages_.end() || found->begin != begin ? nullptr : &*found;
}

bool host_watch::stopped(std::uintptr_t address, bool writes, std::uintptr_t instruction, bool& goes_one_step) {
  const std::lock_guard lock(mutex_);
  page* const here = find(address);
  // Another thread may have just opened the page, or a call may have opened all of them. Then the access only has to be
  // repeated, once.
  static thread_local std::uintptr_t tried_again = 0;
  const bool may_pass = here == nullptr || here->open;
  if (may_pass && tried_again == address) return false;
  tried_again = may_pass ? address : 0;
  if (may_pass) return true;
  if (!closed_) return here->open = true;
  set_rights(here->begin, here->begin + host::page_bytes(), PROT_READ | PROT_WRITE);
  const stream_order::host_meeting met = stream_order::instance().host_meets(address, writes);
  if (met.work == nullptr) {
    goes_one_step = ++steps_ < max_steps && open_for_step_count < max_open_for_step;
    if (!goes_one_step) return here->open = true;
    open_for_step[open_for_step_count++] = here->begin;
    return true;
  }
  here->open = true;
  if (seen_count_ == max_sightings) return true;
  sighting& noted = seen_[seen_count_++];
  noted.work = met.work;
  noted.address = address;
  noted.writes = writes;
  noted.learns = met.learns;
  noted.instruction = instruction;
  noted.depth = backtrace(noted.stack, sighting::deepest);
  return true;
}

bool host_watch::stepped() {
  if (open_for_step_count == 0) return false;
  const std::lock_guard lock(mutex_);
  for (int k = 0; k < open_for_step_count && closed_; ++k) {
    const page* const one = find(open_for_step[k]);  // another thread may have opened it in the meantime
    if (one == nullptr || one->open) continue;
    set_rights(one->begin, one->begin + host::page_bytes(), one->readable ? PROT_READ : PROT_NONE);
  }
  open_for_step_count = 0;
  return true;
}

}  // namespace emulator::runtime
