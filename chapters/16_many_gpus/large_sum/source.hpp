#pragma once
/// \file
/// Sources of the elements that are summed slice by slice.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "workbook/element.hpp"

namespace chapter16 {

/// Bytes that several threads may fetch at once.
class slice_source {
 public:
  slice_source() = default;
  virtual ~slice_source() = default;
  slice_source(const slice_source&) = delete;
  slice_source& operator=(const slice_source&) = delete;
  [[nodiscard]] virtual std::size_t size_bytes() const = 0;
  /// Returns the address of `bytes` bytes, beginning with byte `first`: in `room`, or in the source if `room` is null.
  /// \throws host::failure  if they cannot be read
  virtual const std::byte* fetch(std::size_t first, std::size_t bytes, std::byte* room) = 0;
  /// Must be called before each pass over all bytes.
  virtual void begin_pass() {}
};

/// The elements of a file, one after the other in this machine's byte order. `fetch` needs a `room`.
class file_slices final : public slice_source {
 public:
  /// \param uncached  asks the system to forget the file before each pass
  /// \throws host::usage_error  if `path` is not a readable regular file of whole elements
  file_slices(std::string path, std::size_t element_bytes, bool uncached);
  ~file_slices() override;
  [[nodiscard]] std::size_t size_bytes() const override { return size_bytes_; }
  const std::byte* fetch(std::size_t first, std::size_t bytes, std::byte* room) override;
  void begin_pass() override;
  /// \throws host::failure  if the size of the file has changed since it was opened
  void fail_if_changed() const;

 private:
  [[nodiscard]] std::size_t bytes_now() const;

  std::string path_;
  int file_ = -1;
  std::size_t size_bytes_ = 0;
  bool uncached_;
};

/// The first `count` inputs of a type, in ordinary host memory. Generated using all of the host's cores.
class memory_slices final : public slice_source {
 public:
  memory_slices(workbook::element_type type, std::size_t count, std::uint64_t seed);
  [[nodiscard]] std::size_t size_bytes() const override { return bytes_.size(); }
  const std::byte* fetch(std::size_t first, std::size_t bytes, std::byte* room) override;
  /// Page-locks the memory, so that the GPU can read it directly. \throws workbook::device_error
  void lock_pages();
  ~memory_slices() override;

 private:
  std::vector<std::byte> bytes_;
  bool locked_ = false;
};

/// A source without elements: it returns `room` unchanged, so that the speed of copying alone can be measured.
class empty_rooms final : public slice_source {
 public:
  explicit empty_rooms(std::size_t size_bytes) : size_bytes_(size_bytes) {}
  [[nodiscard]] std::size_t size_bytes() const override { return size_bytes_; }
  const std::byte* fetch(std::size_t, std::size_t, std::byte* room) override { return room; }

 private:
  std::size_t size_bytes_;
};

}  // namespace chapter16
