#include <optional>

#include "16_many_gpus/all_reduce_kernel.hpp"
#include "16_many_gpus/rows_of_some_machines.hpp"
#include "16_many_gpus/scaling/short_call.hpp"
#include "workbook/guarded.hpp"

namespace chapter16 {
namespace {

using namespace workbook;

/// The book's mailboxes, with a kernel that counts its calls.
class by_mailboxes final : public short_call {
 public:
  by_mailboxes(const problem& p, const manner& m) : short_call(p, reach::needed, m, counting_mailbox_kernel(on_gpu())) {
    if (const std::optional<std::string> why = why_no_exchange(p)) throw std::runtime_error(*why);
    if (m.how == manner::by::graph && !on_gpu())
      throw std::runtime_error("the emulator runs a graph's kernels one after another, and these wait for each other");
    for (unsigned d = 0; d < size(); ++d) {
      group_.select(d);
      for (const std::size_t bytes : {2 * size() * p.count * sizeof(letter), p.count * sizeof(unsigned)}) {
        inboxes_.emplace_back(bytes);
        check(cudaMemset(inboxes_.back().data(), 0, bytes));
      }
      boxes_[d] = inboxes_[inboxes_.size() - 2].data();
      called_[d] = inboxes_.back().data();
      check(cudaDeviceSynchronize());
    }
    group_.select(0);
    capture_graphs();
  }

 private:
  void enqueue_of(unsigned m, unsigned calls) override {
    members<float> all = this->all();
    const bool once = called().how == manner::by::one_kernel;
    unsigned rounds = once ? calls : 1;
    void* arguments[] = {&all, boxes_, &called_[m], &m, &count_, &rounds};
    for (unsigned k = 0; k < (once ? 1 : calls); ++k) launch_on(m, arguments);
  }

  void* boxes_[max_members] = {};  ///< As in `mailboxes`.
  void* called_[max_members] = {};
};

/// Kernels that do nothing. They show how much of the other methods' time the launches take.
class nothing final : public short_call {
 public:
  nothing(const problem& p, const manner& m)
      : short_call(p, reach::where_possible, m, counting_mailbox_kernel(on_gpu())) {
    capture_graphs();
  }
  /// Nothing is added, so no sum is wrong.
  [[nodiscard]] double error() override { return 0; }

 private:
  void enqueue_of(unsigned m, unsigned calls) override {
    members<float> all = this->all();
    void* none[max_members] = {};
    unsigned* uncounted = nullptr;
    unsigned no_elements = 0, rounds = 1;
    void* arguments[] = {&all, none, &uncounted, &m, &no_elements, &rounds};
    for (unsigned k = 0; k < calls; ++k) launch_on(m, arguments);
  }
};

/// One GPU loads from all vectors and stores the sums in all of them. The others wait for it.
class by_one_for_all final : public short_call {
 public:
  by_one_for_all(const problem& p, const manner& m) : short_call(p, reach::needed, m, serving_kernel()) {
    capture_graphs();
  }

 private:
  void enqueue_of(unsigned, unsigned) override {}
  void enqueue_one() override {
    for (unsigned m = 1; m < size(); ++m) {
      group_.record(m);
      group_.wait(0, m);
    }
    members<float> all = this->all();
    group_.select(0);
    serve(0, all, count_);
    group_.record(0);
    for (unsigned m = 1; m < size(); ++m) {
      group_.wait(m, 0);
      group_.select(m);
      // A graph drops a wait that nothing follows.
      if (called().how == manner::by::graph) serve(m, all, 0);
    }
  }
  void serve(unsigned m, members<float>& all, unsigned count) {
    void* arguments[] = {&all, &count};
    launch_on(m, arguments);
  }
};

class by_short_nccl final : public short_call {
 public:
  by_short_nccl(const problem& p, const manner& m)
      : short_call(p, reach::where_possible, m, nullptr), members_(nccl_for(p), group_) {
    for (unsigned d = 0; d < size(); ++d) vectors_.push_back(vector(d));
    if (m.how == manner::by::graph) {
      // NCCL's first call makes connections, which a graph cannot capture.
      fill();
      enqueue_one();
      wait_for_all_streams();
    }
    group_.select(0);
    capture_graphs();
  }
  // The graphs are dropped first, because a member is not released as long as a graph uses it.
  ~by_short_nccl() override { drop_graphs(); }

 private:
  void enqueue_of(unsigned m, unsigned calls) override {
    for (unsigned k = 0; k < calls; ++k) members_.all_reduce_of(m, element_type::float32, vectors_[m], count_);
  }
  void enqueue_one() override { members_.all_reduce(element_type::float32, vectors_, count_); }

  nccl::group members_;
  std::vector<void*> vectors_;
};

template <typename Way>
std::unique_ptr<short_call> made(const problem& p, const manner& m) {
  return std::make_unique<Way>(p, m);
}

}  // namespace

std::string words_of(const manner& m) {
  using by = manner::by;
  const std::string base = m.how == by::one_thread    ? "by one host thread"
                           : m.how == by::thread_each ? "by a host thread per GPU"
                           : m.how == by::graph       ? "in graphs of 16 calls"
                                                      : "inside one kernel";
  return m.dependent ? base + ", dependent launches" : base;
}

std::vector<short_way> ways_to_call() {
  using by = manner::by;
  std::vector<short_way> ways;
  for (const by how : {by::one_thread, by::thread_each, by::graph}) {
    for (const bool dependent : {false, true}) ways.push_back({"mailboxes", {how, dependent}, made<by_mailboxes>});
  }
  ways.push_back({"mailboxes", {by::one_kernel, false}, made<by_mailboxes>});
  for (const by how : {by::one_thread, by::graph})
    ways.push_back({"one GPU for all", {how, false}, made<by_one_for_all>});
  for (const by how : {by::one_thread, by::thread_each, by::graph})
    ways.push_back({"NCCL", {how, false}, made<by_short_nccl>});
  for (const by how : {by::one_thread, by::thread_each, by::graph}) {
    for (const bool dependent : {false, true}) ways.push_back({"empty kernels", {how, dependent}, made<nothing>});
  }
  return ways;
}

}  // namespace chapter16
