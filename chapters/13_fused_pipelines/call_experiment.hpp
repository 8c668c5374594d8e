#pragma once
/// \file
/// The parts that all experiments of chapter 13 share: the call, its workspace, and a pool that has been used before.

#include <cstddef>
#include <optional>
#include <string>

#include "13_fused_pipelines/calls.hpp"
#include "reductions/buffer_pool.hpp"
#include "workbook/guarded.hpp"
#include "workbook/study.hpp"

namespace chapter13 {

class call_experiment : public workbook::experiment {
 public:
  call_experiment(const workbook::problem& p, const way& w, std::size_t out_bytes, std::size_t room = workspace_bytes())
      : given_(p), way_(w), out_(out_bytes), workspace_(room), partials_((p.count / 1024 + 1) * 8) {
    if (room != 0) workbook::check(cudaMemset(workspace_.data(), 0, workspace_.size_bytes()));
    call_.out = out_.data();
    call_.n = p.count;
    call_.workspace = workspace_.data();
    call_.partials = partials_.data();
    call_.pool = &pool_;
    call_.block_size = p.block_size;
  }
  void launch() override { way_.run[static_cast<std::size_t>(given_.type)](call_); }
  void poison_outputs() override { out_.poison_outputs(); }
  [[nodiscard]] bool intact() const override { return out_.intact() && workspace_.intact() && partials_.intact(); }
  [[nodiscard]] workbook::launch_plan plan() const override { return {nullptr, given_.block_size, 0}; }

 protected:
  /// \param n  elements, or the columns of a softmax
  [[nodiscard]] std::size_t depth_for(std::size_t n) const {
    return way_.depth[static_cast<std::size_t>(given_.type)](n);
  }

  workbook::problem given_;
  way way_;
  workbook::guarded out_, workspace_, partials_;
  workbook::buffer_pool pool_;
  call call_;
};

/// Returns why a method can't be used for a problem, or nothing if it can.
[[nodiscard]] std::optional<std::string> rejection(const workbook::problem& p, const way& w);

}  // namespace chapter13
