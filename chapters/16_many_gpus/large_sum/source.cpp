#include "16_many_gpus/large_sum/source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "host/program.hpp"
#include "reductions/buffer.hpp"

namespace chapter16 {
namespace {

std::string reason_of(int error) {
  return std::generic_category().message(error);
}

}  // namespace

file_slices::file_slices(std::string path, std::size_t element_bytes, bool uncached)
    : path_(std::move(path)), uncached_(uncached) {
  // Without O_NONBLOCK, open would block on a pipe without a writer.
  file_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file_ < 0) throw host::usage_error(fmt::format("{} cannot be read: {}", path_, reason_of(errno)));
  struct stat facts {};
  std::string fault;
  if (fstat(file_, &facts) != 0)
    fault = fmt::format("{} cannot be read: {}", path_, reason_of(errno));
  else if (!S_ISREG(facts.st_mode))
    fault = fmt::format(
        "{} is not a file with a beginning and an end: give one that holds numbers, not a folder, "
        "a pipe or a device",
        path_);
  else if (static_cast<std::size_t>(facts.st_size) % element_bytes != 0)
    fault = fmt::format("{} has {} bytes, and its last element only {} of {}: is it whole, and is --type right?", path_,
                        facts.st_size, static_cast<std::size_t>(facts.st_size) % element_bytes, element_bytes);
  if (!fault.empty()) {
    close(file_);
    throw host::usage_error(fault);
  }
  size_bytes_ = static_cast<std::size_t>(facts.st_size);
}

file_slices::~file_slices() {
  close(file_);
}

void file_slices::begin_pass() {
  // Pages that aren't on the disk yet would stay in memory, so they are written first.
  if (uncached_ && fsync(file_) == 0) (void)posix_fadvise(file_, 0, 0, POSIX_FADV_DONTNEED);
}

std::size_t file_slices::bytes_now() const {
  struct stat facts {};
  return fstat(file_, &facts) == 0 ? static_cast<std::size_t>(facts.st_size) : size_bytes_;
}

void file_slices::fail_if_changed() const {
  if (bytes_now() == size_bytes_) return;
  throw host::failure(fmt::format("{} had {} bytes, and has {} now, so there is no sum. Is it still being written?",
                                  path_, size_bytes_, bytes_now()),
                      1);
}

const std::byte* file_slices::fetch(std::size_t first, std::size_t bytes, std::byte* room) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t got = pread(file_, room + done, bytes - done, static_cast<off_t>(first + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw host::failure(fmt::format("{} cannot be read: {}", path_, reason_of(errno)), 1);
    if (got == 0)
      throw host::failure(fmt::format("{} ended early: it had {} bytes, and has {} now. Is it still being written?",
                                      path_, size_bytes_, bytes_now()),
                          1);
    done += static_cast<std::size_t>(got);
  }
  return room;
}

memory_slices::memory_slices(workbook::element_type type, std::size_t count, std::uint64_t seed) {
  workbook::with_type(type, [&](auto* tag) {
    using T = std::remove_pointer_t<decltype(tag)>;
    bytes_.resize(count * sizeof(T));
    T* const elements = reinterpret_cast<T*>(bytes_.data());
    const std::size_t workers = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::jthread> threads;
    for (std::size_t w = 0; w < workers; ++w) {
      threads.emplace_back([=] {
        for (std::size_t i = count * w / workers; i < count * (w + 1) / workers; ++i)
          elements[i] = workbook::input_value<T>(i, seed);
      });
    }
  });
}

memory_slices::~memory_slices() {
  if (locked_) cudaHostUnregister(bytes_.data());
}

void memory_slices::lock_pages() {
  if (bytes_.empty()) return;
  workbook::check(cudaHostRegister(bytes_.data(), bytes_.size(), cudaHostRegisterDefault));
  locked_ = true;
}

const std::byte* memory_slices::fetch(std::size_t first, std::size_t bytes, std::byte* room) {
  if (room == nullptr) return bytes_.data() + first;
  std::memcpy(room, bytes_.data() + first, bytes);
  return room;
}

}  // namespace chapter16
