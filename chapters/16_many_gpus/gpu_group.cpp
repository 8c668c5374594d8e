#include "16_many_gpus/gpu_group.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

#include "16_many_gpus/members.cuh"
#include "reductions/buffer.hpp"
#include "workbook/guarded.hpp"

namespace chapter16 {

using namespace workbook;

namespace {

constexpr unsigned usual_members = 4;

double bytes_of(const emulator::link_traffic& link) {
  return static_cast<double>(link.copied_bytes + link.load_bytes + link.store_bytes + link.atomic_bytes);
}

/// The bytes that each device has received from other devices, and sent to them.
struct port_bytes {
  std::array<double, max_members> in{}, out{};
  void add(const std::vector<emulator::link_traffic>& links, double sign) {
    for (const emulator::link_traffic& link : links) {
      if (link.from == link.to || std::min(link.from, link.to) < 0) continue;  // traffic of the host
      in.at(static_cast<std::size_t>(link.to)) += sign * bytes_of(link);
      out.at(static_cast<std::size_t>(link.from)) += sign * bytes_of(link);
    }
  }
};

}  // namespace

unsigned members_of(const problem& p, bool gpu, int devices) {
  if (p.gpus != 0) return p.gpus;
  return gpu && devices > 1 ? std::min(static_cast<unsigned>(devices), max_members) : usual_members;
}

gpu_group::gpu_group(unsigned members, reach each_other) : gpu_group() {
  check(cudaGetDeviceCount(&devices_));
  devices_ = std::min(devices_, static_cast<int>(members));
  let_reach(each_other);
  for (unsigned m = 0; m < members; ++m) {
    select(m);
    streams_.emplace_back();
    check(cudaStreamCreateWithFlags(&streams_.back(), cudaStreamNonBlocking));
    done_.emplace_back();
    check(cudaEventCreateWithFlags(&done_.back(), cudaEventDisableTiming));
  }
  select(0);
  check(cudaEventCreateWithFlags(&begun_, cudaEventDisableTiming));
  if (on_gpu())
    watch_ = std::make_unique<gpu_watch>(
        gpu_watch::terms{}, [this] { return unfinished(); }, end_unfinished);
}

std::optional<std::string> gpu_group::unfinished() const {
  for (unsigned m = 0; m < size(); ++m) {
    if (cudaEventQuery(done_[m]) == cudaErrorNotReady) return fmt::format("What GPU {} does", device_of(m));
  }
  return {};
}

gpu_group::~gpu_group() {
  watch_.reset();
  bool faulted = false;
  for (int d = 0; d < devices_; ++d) {
    cudaSetDevice(d);
    faulted = cudaDeviceSynchronize() != cudaSuccess || faulted;
  }
  for (const cudaEvent_t event : done_) cudaEventDestroy(event);
  for (const cudaStream_t stream : streams_) cudaStreamDestroy(stream);
  if (begun_ != nullptr) cudaEventDestroy(begun_);
  for (const auto& [user, owner] : reach_) {
    cudaSetDevice(user);
    cudaDeviceDisablePeerAccess(owner);
  }
  // The code that notices the fault resets GPU 0.
  for (int d = 1; faulted && d < devices_; ++d) {
    cudaSetDevice(d);
    cudaDeviceReset();
  }
  cudaSetDevice(0);
}

void gpu_group::let_reach(reach each_other) {
  for (int user = 0; user < devices_; ++user) {
    for (int owner = 0; owner < devices_; ++owner) {
      if (user == owner) continue;
      int can = 0;
      check(cudaDeviceCanAccessPeer(&can, user, owner));
      if (can == 0 && each_other == reach::where_possible) continue;
      if (can == 0)
        throw std::runtime_error(
            fmt::format("GPU {} cannot reach the memory of GPU {} (cudaDeviceCanAccessPeer says so), and this kernel "
                        "reads it. The rows by copies work here, and all rows with fewer GPUs: --gpus 1",
                        user, owner));
      check(cudaSetDevice(user));
      const cudaError_t enabled = cudaDeviceEnablePeerAccess(owner, 0);
      if (enabled == cudaErrorPeerAccessAlreadyEnabled) {
        (void)cudaGetLastError();  // another group has enabled it, and will disable it
        continue;
      }
      check(enabled);
      reach_.emplace_back(user, owner);
    }
  }
}

void gpu_group::select(unsigned member) const {
  check(cudaSetDevice(device_of(member)));
}

void gpu_group::record(unsigned member) {
  select(member);
  check(cudaEventRecord(done_[member], streams_[member]));
}

void gpu_group::wait(unsigned member, unsigned other) {
  check(cudaStreamWaitEvent(streams_[member], done_[other], 0));
}

void gpu_group::wait_for_all(unsigned member) {
  for (unsigned other = 0; other < size(); ++other) {
    if (other != member) wait(member, other);
  }
}

void gpu_group::begin() {
  select(0);
  check(cudaEventRecord(begun_, nullptr));
  for (unsigned m = 0; m < size(); ++m) {
    check(cudaStreamWaitEvent(streams_[m], begun_, 0));
    record(m);
  }
  if (on_gpu()) return;
  before_ = emulator::traffic_of_links();
  used_ = port_use{.gpus = size()};
}

void gpu_group::end_step() {
  if (on_gpu()) return;
  port_bytes moved;
  std::vector<emulator::link_traffic> now = emulator::traffic_of_links();
  moved.add(now, 1);
  moved.add(before_, -1);
  before_ = std::move(now);
  const double most = std::max(*std::max_element(moved.in.begin(), moved.in.end()),
                               *std::max_element(moved.out.begin(), moved.out.end()));
  if (most == 0) return;
  used_->busiest_bytes += most;
  ++used_->steps;
  if (std::count(moved.in.begin(), moved.in.begin() + size(), 0.0) > 0) ++used_->idle_steps;
}

void gpu_group::end() {
  select(0);
  for (unsigned m = 0; m < size(); ++m) check(cudaStreamWaitEvent(nullptr, done_[m], 0));
  if (watch_ != nullptr) watch_->begun();
}

}  // namespace chapter16
