#pragma once
/// \file
/// The row of chapter 16's table that NCCL fills, where it is there.

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "16_many_gpus/experiments.hpp"
#include "16_many_gpus/nccl.hpp"
#include "workbook/guarded.hpp"

namespace chapter16 {

/// Says why NCCL cannot take part; nothing where it can.
[[nodiscard]] inline std::optional<std::string> why_no_nccl(const workbook::problem& p) {
  if (!workbook::on_gpu()) return "it runs on GPUs, and this is the emulator";
  std::string reason;
  if (nccl::load(reason) == nullptr) return reason;
  int devices = 0;
  workbook::check(cudaGetDeviceCount(&devices));
  if (members_of(p, true, devices) > static_cast<unsigned>(devices))
    return "it takes one member per GPU, and here several share one";
  return {};
}

/// \throws std::runtime_error  where NCCL cannot take part: says why
[[nodiscard]] inline std::shared_ptr<const nccl> nccl_for(const workbook::problem& p) {
  if (const std::optional<std::string> why = why_no_nccl(p)) throw std::runtime_error(*why);
  std::string why_not;
  return nccl::load(why_not);
}

/// NCCL's all-reduce and reduce: what the field calls.
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
