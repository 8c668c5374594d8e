#pragma once
/// \file
/// The row of chapter 16's table that needs one launch per GPU: the book's exchange.

#include <cstddef>
#include <optional>
#include <string>

#include "16_many_gpus/experiments.hpp"
#include "workbook/dependent_launch.hpp"
#include "workbook/guarded.hpp"

namespace chapter16 {

/// Vectors of so many bytes and less travel by mailboxes.
inline constexpr std::size_t most_mailed_bytes = std::size_t{64} << 10;

/// Says why the exchange cannot take part; nothing where it can.
[[nodiscard]] inline std::optional<std::string> why_no_exchange(const workbook::problem& p) {
  if (!workbook::on_gpu()) return {};
  int devices = 0;
  workbook::check(cudaGetDeviceCount(&devices));
  if (members_of(p, true, devices) > static_cast<unsigned>(devices))
    return "its kernels wait for each other, so each must have a GPU of its own";
  return {};
}

/// The book's exchange: one launch per GPU, none of which waits for another's end. What is short travels by mailboxes;
/// of what is long each GPU sums up its share. Calls by mailboxes behind each other are dependent launches where the
/// GPUs know them.
template <typename T>
class exchange final : public all_reduce_experiment<T> {
 public:
  explicit exchange(const workbook::problem& p)
      : all_reduce_experiment<T>(p, reach::needed), mailed_(p.count * sizeof(T) <= most_mailed_bytes), early_(mailed_) {
    const exchange_kernels kernels = exchange_kernels_for(p.type);
    kernel_ = mailed_ ? kernels.by_mailboxes : kernels.by_shares;
    // Blocks of shares wait for those of other GPUs: all of them must run at once.
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
      // A kernel begins early only where it stands right behind another one.
      if (last || !early_) group.record(m);
    }
    group.end_step();
  }

  bool mailed_, early_;  ///< Short; launched dependently.
  const void* kernel_ = nullptr;
  dim3 grid_;
  unsigned call_ = 0;
  void* inbox_[workbook::most_members] = {};  ///< `mailboxes` or `exchange_flags`
};

}  // namespace chapter16
