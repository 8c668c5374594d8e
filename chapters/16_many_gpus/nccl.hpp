#pragma once
/// \file
/// All-reduce and reduce by NCCL, NVIDIA's library, which is loaded at run time, so it need not be installed.

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "16_many_gpus/gpu_group.hpp"
#include "workbook/element.hpp"

namespace chapter16 {

class nccl {
 public:
  /// Returns the library. If this machine has none that can be used, returns null and stores the reason in `why_not`.
  [[nodiscard]] static std::shared_ptr<const nccl> load(std::string& why_not, const std::string& name = "libnccl.so.2");

  /// Returns 22803 for version 2.28.3, for example.
  [[nodiscard]] int version() const { return version_; }

  /// Lets members in several processes find each other: one process makes it, and sends it to all of them.
  struct meeting_point {
    std::array<char, 128> bytes{};
  };
  /// \throws std::runtime_error  with NCCL's message
  [[nodiscard]] meeting_point new_meeting_point() const;

  /// The members of a common computation that belong to this process, each on its own GPU.
  class group {
   public:
    /// Connects the members `of` a group, which must have a GPU for each member. \throws std::runtime_error with NCCL's
    /// message
    group(std::shared_ptr<const nccl> library, const gpu_group& of);
    /// Connects member `rank` of `size`, the only one of this process, on its current GPU, and waits until the others
    /// have connected. It works on the default stream. \throws std::runtime_error  with NCCL's message
    group(std::shared_ptr<const nccl> library, const meeting_point& where, unsigned rank, unsigned size);
    ~group();
    group(const group&) = delete;
    group& operator=(const group&) = delete;

    /// Sums the `count` elements at each of `vectors` into all of them, in the streams of the group. Does not
    /// synchronise. \throws std::runtime_error  with NCCL's message
    void all_reduce(workbook::element_type type, const std::vector<void*>& vectors, std::size_t count);
    /// As above, but stores the sums in the first of `vectors` alone; the others don't change.
    void reduce(workbook::element_type type, const std::vector<void*>& vectors, std::size_t count);
    /// Does the part of one member, on its current GPU, if every member has its own host thread or process. All of them
    /// must call it. Does not synchronise. \throws std::runtime_error  with NCCL's message
    void all_reduce_of(unsigned member, workbook::element_type type, void* vector, std::size_t count);

   private:
    std::shared_ptr<const nccl> library_;
    std::vector<cudaStream_t> streams_;
    std::vector<void*> members_;
  };

 private:
  void expect_success(int status, const char* call) const;

  // Declared as in NCCL's documentation.
  int (*get_version_)(int*) = nullptr;
  const char* (*error_string_)(int) = nullptr;
  int (*init_all_)(void** members, int count, const int* devices) = nullptr;
  int (*new_meeting_point_)(meeting_point* where) = nullptr;
  int (*init_rank_)(void** member, int count, meeting_point where, int rank) = nullptr;
  int (*destroy_)(void* member) = nullptr;
  int (*group_start_)() = nullptr;
  int (*group_end_)() = nullptr;
  int (*all_reduce_)(const void* in, void* out, std::size_t count, int type, int operation, void* member,
                     cudaStream_t stream) = nullptr;
  int (*reduce_)(const void* in, void* out, std::size_t count, int type, int operation, int root, void* member,
                 cudaStream_t stream) = nullptr;
  int version_ = 0;
};

}  // namespace chapter16
