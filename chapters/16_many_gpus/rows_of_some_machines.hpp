#pragma once
/// \file
/// The rows of chapter 16's table that some machines cannot run: the book's exchange, and NCCL.

#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "16_many_gpus/experiments.hpp"
#include "16_many_gpus/nccl.hpp"
#include "workbook/dependent_launch.hpp"
#include "workbook/guarded.hpp"

namespace chapter16 {

/// Vectors of at most this many bytes are sent by mailboxes.
inline constexpr std::size_t max_mailed_bytes = std::size_t{64} << 10;

/// Returns true if several members would share a GPU of this machine.
[[nodiscard]] inline bool share_gpus(const workbook::problem& p) {
  int devices = 0;
  workbook::check(cudaGetDeviceCount(&devices));
  return members_of(p, true, devices) > static_cast<unsigned>(devices);
}

/// Returns why the exchange cannot be used, or nothing if it can.
[[nodiscard]] inline std::optional<std::string> why_no_exchange(const workbook::problem& p) {
  if (!workbook::on_gpu() || !share_gpus(p)) return {};
  return "its kernels wait for each other, so each must have a GPU of its own";
}

/// The book's exchange: one launch per GPU, none of which waits until another launch has ended. Short vectors are sent
/// by mailboxes; of a long vector, each GPU sums its share. Consecutive calls by mailboxes are dependent launches if
/// the GPUs support them.
template <typename T>
class exchange final : public all_reduce_experiment<T> {
 public:
  explicit exchange(const workbook::problem& p)
      : all_reduce_experiment<T>(p, reach::needed), mailed_(p.count * sizeof(T) <= max_mailed_bytes), early_(mailed_) {
    const exchange_kernels kernels = exchange_kernels_for(p.type);
    kernel_ = mailed_ ? kernels.by_mailboxes : kernels.by_shares;
    // The blocks of `share_exchange` wait for blocks on other GPUs, so all of them must run at once.
    grid_ = mailed_ ? this->grid_for(this->count_)
                    : this->resident_grid(kernel_, (this->count_ + this->size() - 1) / this->size() / (16 / sizeof(T)));
    for (unsigned m = 0; m < this->size(); ++m) {
      this->group_.select(m);
      early_ = early_ && workbook::can_begin_early(kernel_);
      this->inboxes_.emplace_back(mailed_ ? 2 * this->size() * p.count * (sizeof(T) / sizeof(unsigned)) * sizeof(letter)
                                          : 2 * this->size() * grid_.x * sizeof(unsigned));
      const workbook::guarded& inbox = this->inboxes_.back();
      if (inbox.size_bytes() != 0) workbook::check(cudaMemset(inbox.data(), 0, inbox.size_bytes()));
      inbox_[m] = inbox.data();
      workbook::check(cudaDeviceSynchronize());
    }
    this->group_.select(0);
  }

 private:
  void run() override { run_calls(1); }
  void run_calls(unsigned calls) override {
    for (unsigned k = 0; k < calls; ++k) run_one(k + 1 == calls);
  }
  void run_one(bool last) {
    gpu_group& group = this->group_;
    workbook::members<T> all = this->all();
    ++call_;
    for (unsigned m = 0; m < this->size(); ++m) {
      void* arguments[] = {&all, inbox_, &m, &call_, &this->count_};
      group.select(m);
      workbook::launch_kernel(kernel_, grid_, dim3(this->block_size_), arguments, group.stream(m), early_);
      // A kernel can begin early only if it directly follows another one.
      if (last || !early_) group.record(m);
    }
    group.end_step();
  }

  bool mailed_, early_;  ///< True if vectors are short; true for dependent launches.
  const void* kernel_ = nullptr;
  dim3 grid_;
  unsigned call_ = 0;
  void* inbox_[workbook::max_members] = {};  ///< The addresses in `mailboxes` or `exchange_flags`.
};

/// Returns why NCCL cannot be used, or nothing if it can.
[[nodiscard]] inline std::optional<std::string> why_no_nccl(const workbook::problem& p) {
  if (!workbook::on_gpu()) return "it runs on GPUs, and this is the emulator";
  std::string reason;
  if (nccl::load(reason) == nullptr) return reason;
  if (share_gpus(p)) return "it takes one member per GPU, and here several share one";
  return {};
}

/// \throws std::runtime_error  if NCCL cannot be used, with the reason
[[nodiscard]] inline std::shared_ptr<const nccl> nccl_for(const workbook::problem& p) {
  if (const std::optional<std::string> why = why_no_nccl(p)) throw std::runtime_error(*why);
  std::string why_not;
  return nccl::load(why_not);
}

/// NCCL's all-reduce and reduce, which most programs call.
template <typename T>
class by_nccl final : public all_reduce_experiment<T> {
 public:
  by_nccl(const workbook::problem& p, sums_on where)
      : all_reduce_experiment<T>(p, reach::where_possible, where), type_(p.type), members_(nccl_for(p), this->group_) {
    this->group_.select(0);
  }

 private:
  void run() override {
    std::vector<void*> vectors;
    for (unsigned m = 0; m < this->size(); ++m) vectors.push_back(this->vector(m));
    if (this->where_ == sums_on::all)
      members_.all_reduce(type_, vectors, this->count_);
    else
      members_.reduce(type_, vectors, this->count_);
    for (unsigned m = 0; m < this->size(); ++m) this->group_.record(m);
  }

  workbook::element_type type_;
  nccl::group members_;
};

}  // namespace chapter16
