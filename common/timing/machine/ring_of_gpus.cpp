#include "timing/machine/ring_of_gpus.hpp"

#include <utility>

namespace workbook::machine {

ring_of_gpus::ring_of_gpus(std::vector<int> gpus)
    : gpus_(std::move(gpus)), streams_(gpus_.size(), nullptr), done_(gpus_.size(), nullptr) {
  for (const int user : gpus_) {
    for (const int owner : gpus_) {
      int reaches = 1;
      if (user != owner) check(cudaDeviceCanAccessPeer(&reaches, user, owner));
      peers_ = peers_ && reaches != 0;
    }
  }
  for (unsigned m = 0; m < size(); ++m) {
    select(m);
    for (const int owner : gpus_) {
      if (peers_ && owner != device(m)) check(cudaDeviceEnablePeerAccess(owner, 0));
    }
    check(cudaStreamCreateWithFlags(&streams_[m], cudaStreamNonBlocking));
    check(cudaEventCreateWithFlags(&done_[m], cudaEventDisableTiming));
  }
  check(cudaSetDevice(0));
  check(cudaEventCreateWithFlags(&begun_, cudaEventDisableTiming));
}

ring_of_gpus::~ring_of_gpus() {
  // Waits for all GPUs before any memory is freed that another GPU may still use.
  for (unsigned m = 0; m < size(); ++m) {
    cudaSetDevice(device(m));
    cudaStreamSynchronize(streams_[m]);
  }
  for (unsigned m = 0; m < size(); ++m) {
    cudaSetDevice(device(m));
    cudaStreamDestroy(streams_[m]);
    cudaEventDestroy(done_[m]);
    for (const int owner : gpus_) {
      if (peers_ && owner != device(m)) cudaDeviceDisablePeerAccess(owner);
    }
  }
  cudaSetDevice(0);
  cudaEventDestroy(begun_);
}

void ring_of_gpus::begin() {
  check(cudaSetDevice(0));
  check(cudaEventRecord(begun_, nullptr));
  for (const cudaStream_t one : streams_) check(cudaStreamWaitEvent(one, begun_, 0));
}

void ring_of_gpus::meet() {
  record_all();
  for (unsigned m = 0; m < size(); ++m) {
    wait(m, left(m));
    if (right(m) != left(m)) wait(m, right(m));
  }
}

void ring_of_gpus::tell_the_right(unsigned member) {
  record(member);
  wait(right(member), member);
}

void ring_of_gpus::end() {
  record_all();
  check(cudaSetDevice(0));
  for (const cudaEvent_t one : done_) check(cudaStreamWaitEvent(nullptr, one, 0));
}

void ring_of_gpus::record(unsigned member) {
  select(member);
  check(cudaEventRecord(done_[member], streams_[member]));
}

void ring_of_gpus::record_all() {
  for (unsigned m = 0; m < size(); ++m) record(m);
}

}  // namespace workbook::machine
