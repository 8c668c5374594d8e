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

/// NCCL's all-reduce and reduce: what the field calls.
template <typename T>
class by_nccl final : public all_reduce_experiment<T> {
 public:
  by_nccl(const workbook::problem& p, sums_on where)
      : all_reduce_experiment<T>(p, reach::where_possible),
        type_(p.type),
        where_(where),
        members_(loaded(), this->group_) {
    this->group_.select(0);
  }

 private:
  static std::shared_ptr<const nccl> loaded() {
    std::string why_not;
    std::shared_ptr<const nccl> library = nccl::load(why_not);
    if (library == nullptr) throw std::runtime_error(why_not);
    return library;
  }
  [[nodiscard]] unsigned members_with_sums() const override { return where_ == sums_on::all ? this->size() : 1; }
  void run() override {
    std::vector<void*> vectors;
    for (unsigned m = 0; m < this->size(); ++m) vectors.push_back(this->vector(m));
    if (where_ == sums_on::all)
      members_.all_reduce(type_, vectors, this->count_);
    else
      members_.reduce(type_, vectors, this->count_);
    for (unsigned m = 0; m < this->size(); ++m) this->group_.record(m);
  }

  workbook::element_type type_;
  sums_on where_;
  nccl::group members_;
};

}  // namespace chapter16
