// ranks16 with a fault: with RANK_FAULT="stop 1", rank 1 executes the fault named "stop" while it computes its sum.

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include <unistd.h>

#include "16_many_gpus/ranks/run.hpp"
#include "reductions/buffer.hpp"

namespace {

struct fault {
  std::string what, rank;
  [[nodiscard]] bool is_mine() const {
    const char* const mine = std::getenv("OMPI_COMM_WORLD_RANK");
    return mine != nullptr && rank == mine;
  }
};

fault fault_asked_for() {
  const char* const text = std::getenv("RANK_FAULT");
  std::istringstream words(text == nullptr ? "" : text);
  fault f;
  words >> f.what >> f.rank;
  return f;
}

chapter16::sum_bytes sum_with(const fault& f, const chapter16::share& own) {
  chapter16::sum_bytes sum = chapter16::sum_of(own);
  if (!f.is_mine()) return sum;
  if (f.what == "die") std::raise(SIGKILL);
  if (f.what == "leave") std::_Exit(0);
  if (f.what == "stop") std::raise(SIGSTOP);
  if (f.what == "tarry") sleep(2);
  if (f.what == "fail") workbook::check(cudaErrorIllegalAddress);
  if (f.what == "throw") throw 5;
  if (f.what == "throw_in_thread") std::thread([] { throw std::bad_alloc(); }).join();
  if (f.what == "miscount") sum.bytes[0] ^= std::byte{1};
  if (f.what == "read_unwritten") {
    // The emulator's checks find this, although the result is right.
    workbook::device_bytes memory(64);
    int word = 0;
    workbook::check(cudaMemcpy(&word, memory.data(), sizeof word, cudaMemcpyDeviceToHost));
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const fault f = fault_asked_for();
  if (f.what == "die_early" && f.is_mine()) std::raise(SIGKILL);
  if (f.what == "stop_early" && f.is_mine()) std::raise(SIGSTOP);
  return chapter16::run_rank(argc, argv, [&](const chapter16::share& own) { return sum_with(f, own); });
}
