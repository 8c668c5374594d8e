#pragma once
/// \file
/// The experiments of chapter 16's rows: vectors on several GPUs, and the methods that sum them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "16_many_gpus/all_reduce_kernel.hpp"
#include "16_many_gpus/gpu_group.hpp"
#include "16_many_gpus/members.cuh"
#include "16_many_gpus/wrong_all_reduce.hpp"
#include "workbook/arrays.hpp"
#include "workbook/wrong_outputs.hpp"

namespace chapter16 {

/// Returns where chunk `k` of `chunks` begins if `count` elements are divided as evenly as possible.
[[nodiscard]] inline unsigned chunk_begin(unsigned count, unsigned k, unsigned chunks) {
  return static_cast<unsigned>(std::uint64_t{count} * k / chunks);
}

/// The GPUs that receive the sums: all of them, or GPU 0 alone.
enum class sums_on { all, first };

/// The vectors of the members at the beginning, and the sums of their elements.
template <typename T>
struct all_reduce_input {
  explicit all_reduce_input(std::vector<std::vector<T>> of_members) : vectors(std::move(of_members)) {
    for (const std::vector<T>& one : vectors) {
      sums.resize(one.size());
      for (std::size_t i = 0; i < one.size(); ++i) sums[i] += one[i];
    }
  }
  std::vector<std::vector<T>> vectors;
  std::vector<T> sums;
};

/// Returns the vectors of `p`: the same as in the last call if that was for the same problem and they are still in use.
/// A race has many methods for one problem, and on four GPUs the vectors of each method would take 4 GiB.
template <typename T>
[[nodiscard]] std::shared_ptr<const all_reduce_input<T>> input_of(const workbook::problem& p, unsigned members) {
  static std::weak_ptr<const all_reduce_input<T>> last;
  static std::tuple<std::size_t, std::uint64_t, unsigned> last_problem;
  const std::tuple problem(p.count, p.seed, members);
  std::shared_ptr<const all_reduce_input<T>> input = last.lock();
  if (input != nullptr && last_problem == problem) return input;
  std::vector<std::vector<T>> vectors(members, std::vector<T>(p.count));
  // Small whole numbers other than 0, so that sums are exact in every type and a lost number shows.
  for (unsigned m = 0; m < members; ++m) {
    for (std::size_t i = 0; i < p.count; ++i)
      vectors[m][i] =
          static_cast<T>(1 + workbook::mixed(i * workbook::max_members + m + workbook::mixed(p.seed)) % 997);
  }
  input = std::make_shared<const all_reduce_input<T>>(std::move(vectors));
  last = input;
  last_problem = problem;
  return input;
}

/// A vector on each GPU, and its expected sums.
template <typename T>
class all_reduce_experiment : public workbook::experiment {
 public:
  all_reduce_experiment(const workbook::problem& p, reach each_other, sums_on where = sums_on::all)
      : count_(static_cast<unsigned>(p.count)),
        block_size_(p.block_size),
        where_(where),
        adding_kernel_(adding_kernels()[static_cast<std::size_t>(p.type)]),
        group_(members_on_device(p), each_other),
        input_(input_of<T>(p, size())) {
    for (unsigned m = 0; m < size(); ++m) {
      group_.select(m);
      vectors_.emplace_back(p.count * sizeof(T));
    }
    group_.select(0);
  }

  void launch() final { launch_calls(1); }
  /// Launches several all-reduces one after the other, as programs do, so that any initial wait happens only once. Does
  /// not synchronise. \throws workbook::device_error
  void launch_calls(unsigned calls) {
    if (count_ == 0) return;
    group_.begin();
    run_calls(calls);
    group_.end();
  }
  /// The sums replace the input, so the input is restored.
  void poison_outputs() final { fill(); }
  /// Returns the number of wrong elements in all vectors.
  [[nodiscard]] double error() override {
    const std::vector<T>& wanted = input_->sums;
    double wrong = 0;
    for (unsigned m = 0; m < (where_ == sums_on::all ? size() : 1); ++m) {
      const std::vector<T> got = vector_of(m);
      for (std::size_t i = 0; i < got.size(); ++i) wrong += got[i] == wanted[i] ? 0 : 1;
    }
    return wrong;
  }
  [[nodiscard]] bool intact() const final {
    const auto are_intact = [](const std::vector<workbook::guarded>& all) {
      return std::all_of(all.begin(), all.end(), [](const workbook::guarded& one) { return one.intact(); });
    };
    return are_intact(vectors_) && are_intact(inboxes_);
  }
  [[nodiscard]] double bytes() const final { return static_cast<double>(count_) * sizeof(T); }
  [[nodiscard]] std::optional<workbook::port_use> ports() const final { return group_.ports(); }

 protected:
  virtual void run() = 0;
  /// Runs several calls, one after the other.
  virtual void run_calls(unsigned calls) {
    for (unsigned k = 0; k < calls; ++k) run();
  }

  [[nodiscard]] unsigned size() const { return group_.size(); }
  [[nodiscard]] T* vector(unsigned member) const { return static_cast<T*>(vectors_[member].data()); }
  /// Returns all vectors in the form that a kernel takes.
  [[nodiscard]] workbook::members<T> all() const {
    workbook::members<T> all{};
    all.devices = size();
    for (unsigned m = 0; m < size(); ++m) all.vector[m] = vector(m);
    return all;
  }
  [[nodiscard]] unsigned begin_of(unsigned chunk) const { return chunk_begin(count_, chunk, size()); }
  [[nodiscard]] unsigned size_of(unsigned chunk) const { return begin_of(chunk + 1) - begin_of(chunk); }
  /// Returns a grid with enough blocks for `elements` elements, one per thread.
  [[nodiscard]] dim3 grid_for(unsigned elements) const {
    return dim3(std::max(1u, static_cast<unsigned>((std::uint64_t{elements} + block_size_ - 1) / block_size_)));
  }
  /// As above, but with no more blocks than run at once on every GPU.
  [[nodiscard]] dim3 resident_grid(const void* kernel, unsigned elements) {
    unsigned most = grid_for(elements).x;
    for (unsigned m = 0; m < size(); ++m) {
      group_.select(m);
      int each = 0;
      workbook::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, static_cast<int>(block_size_), 0));
      most = std::min(most, static_cast<unsigned>(each * workbook::device_attribute(cudaDevAttrMultiProcessorCount)));
    }
    group_.select(0);
    return dim3(std::max(1u, most));
  }
  /// Adds `elements` elements that have arrived at a member to the member's own elements.
  void add(unsigned member, T* own, const T* arrived, unsigned elements) {
    if (elements != 0) add(member, own, arrived, elements, grid_for(elements));
  }
  void add(unsigned member, T* own, const T* arrived, unsigned elements, dim3 grid) {
    void* arguments[] = {static_cast<void*>(&own), static_cast<void*>(&arrived), static_cast<void*>(&elements)};
    group_.select(member);
    workbook::check(cudaLaunchKernel(adding_kernel_, grid, dim3(block_size_), arguments, 0, group_.stream(member)));
  }
  /// Copies from one member's memory to another member's, in the stream of member `by`.
  void copy(unsigned by, T* to, unsigned receiver, const T* from, unsigned sender, unsigned elements) {
    if (elements == 0) return;
    group_.select(by);
    workbook::check(cudaMemcpyPeerAsync(to, group_.device_of(receiver), from, group_.device_of(sender),
                                        std::size_t{elements} * sizeof(T), group_.stream(by)));
  }
  void fill() {
    for (unsigned m = 0; m < size() && count_ != 0; ++m)
      workbook::check(
          cudaMemcpy(vector(m), input_->vectors[m].data(), std::size_t{count_} * sizeof(T), cudaMemcpyHostToDevice));
  }
  [[nodiscard]] std::vector<T> vector_of(unsigned member) const { return workbook::on_host<T>(vectors_[member]); }
  /// Replaces the vectors: one of `count_` elements for each member.
  void begin_with(std::vector<std::vector<T>> vectors) {
    input_ = std::make_shared<const all_reduce_input<T>>(std::move(vectors));
  }

  unsigned count_, block_size_;
  sums_on where_;
  const void* adding_kernel_;  ///< For elements of type T.
  gpu_group group_;            // declared before all memory, so that it is destroyed last
  std::vector<workbook::guarded> vectors_;
  std::vector<workbook::guarded> inboxes_;  ///< Buffers for elements that arrive, in the methods that need them.
  std::shared_ptr<const all_reduce_input<T>> input_;

 private:
  static unsigned members_on_device(const workbook::problem& p) {
    int devices = 1;
    workbook::check(cudaGetDeviceCount(&devices));
    return members_of(p, workbook::on_gpu(), devices);
  }
};

/// All vectors are copied to GPU 0, which adds them up. Then the sum is copied to the others.
template <typename T>
class meeting final : public all_reduce_experiment<T> {
 public:
  explicit meeting(const workbook::problem& p) : all_reduce_experiment<T>(p, reach::where_possible) {
    for (unsigned m = 1; m < this->size(); ++m) this->inboxes_.emplace_back(p.count * sizeof(T));
  }

 private:
  void run() override {
    gpu_group& group = this->group_;
    for (unsigned m = 1; m < this->size(); ++m) {
      T* const inbox = static_cast<T*>(this->inboxes_[m - 1].data());
      this->copy(m, inbox, 0, this->vector(m), m, this->count_);
      group.record(m);
      group.wait(0, m);
      this->add(0, this->vector(0), inbox, this->count_);
    }
    group.record(0);
    group.end_step();
    for (unsigned m = 1; m < this->size(); ++m) {
      group.wait(m, 0);
      this->copy(m, this->vector(m), m, this->vector(0), 0, this->count_);
      group.record(m);
      group.wait(0, m);  // the sum has been read, so it may be overwritten
    }
    group.record(0);
    group.end_step();
  }
};

/// A tree over peers: in each round, every second of the remaining GPUs adds its partner's vector to its own, until
/// everything is on GPU 0. If all GPUs want the sums, these are copied back along the same tree.
template <typename T>
class tree_of_peers final : public all_reduce_experiment<T> {
 public:
  tree_of_peers(const workbook::problem& p, sums_on where)
      : all_reduce_experiment<T>(p, reach::needed, where),
        grid_(this->resident_grid(this->adding_kernel_, this->count_)) {}

 private:
  void run() override {
    gpu_group& group = this->group_;
    const unsigned g = this->size();
    unsigned distance = 1;
    for (; distance < g; distance *= 2) {
      for (unsigned m = 0; m + distance < g; m += 2 * distance) {
        const unsigned partner = m + distance;
        group.wait(m, partner);
        this->add(m, this->vector(m), this->vector(partner), this->count_, grid_);
        group.record(m);
        group.wait(partner, m);  // the vector has been read, so it may be overwritten
        group.record(partner);
      }
      group.end_step();
    }
    if (this->where_ == sums_on::first) return;
    while ((distance /= 2) != 0) {
      for (unsigned m = 0; m + distance < g; m += 2 * distance) {
        const unsigned partner = m + distance;
        group.wait(partner, m);
        this->copy(partner, this->vector(partner), partner, this->vector(m), m, this->count_);
        group.record(partner);
        group.wait(m, partner);
        group.record(m);
      }
      group.end_step();
    }
  }

  dim3 grid_;
};

/// A ring: each GPU receives a chunk from its left neighbour, and adds it to its own chunk or stores it.
template <typename T>
class ring_of_copies final : public all_reduce_experiment<T> {
 public:
  explicit ring_of_copies(const workbook::problem& p) : all_reduce_experiment<T>(p, reach::where_possible) {
    for (unsigned m = 0; m < this->size(); ++m) {
      this->group_.select(m);
      this->inboxes_.emplace_back((p.count + this->size() - 1) / this->size() * sizeof(T));
    }
    this->group_.select(0);
  }

 private:
  void run() override {
    gpu_group& group = this->group_;
    const unsigned g = this->size();
    for (unsigned step = 0; step < 2 * (g - 1); ++step) {
      const bool adds = step < g - 1;
      // The receiver fetches its chunk, so that the copy and the addition are in order in its own stream.
      for (unsigned m = 0; m < g; ++m) {
        const unsigned left = (m + g - 1) % g, chunk = (m + 2 * g - 1 - step) % g, at = this->begin_of(chunk);
        group.wait(m, left);
        group.wait(m, (m + 1) % g);
        T* const inbox = static_cast<T*>(this->inboxes_[m].data());
        this->copy(m, adds ? inbox : this->vector(m) + at, m, this->vector(left) + at, left, this->size_of(chunk));
        if (adds) this->add(m, this->vector(m) + at, inbox, this->size_of(chunk));
      }
      for (unsigned m = 0; m < g; ++m) group.record(m);
      group.end_step();
    }
  }
};

enum class grid_size { resident, of_elements };

/// A kernel does the steps: the book's or the student's.
template <typename T>
class steps_of_kernel final : public all_reduce_experiment<T>, public all_reduce_trial {
 public:
  /// \param grid  a thread for each element, or no more threads than run at once
  steps_of_kernel(const workbook::problem& p, const all_reduce_kernel& kernel, grid_size grid = grid_size::resident)
      : all_reduce_experiment<T>(p, reach::needed), of_neighbours_(kernel.of_neighbours) {
    plan_.kernel = kernel.kernels[static_cast<std::size_t>(p.type)];
    plan_.block_size = p.block_size;
    const unsigned chunk = (this->count_ + this->size() - 1) / this->size();
    grid_ = grid == grid_size::resident ? this->resident_grid(plan_.kernel, chunk) : this->grid_for(chunk);
  }
  [[nodiscard]] workbook::launch_plan plan() const override { return plan_; }
  [[nodiscard]] std::size_t passes() const override { return std::size_t{2} * (this->size() - 1) * this->size(); }

  [[nodiscard]] unsigned members() const override { return this->size(); }
  [[nodiscard]] unsigned count() const override { return this->count_; }
  [[nodiscard]] std::vector<std::vector<double>> sums_where_one_counts(unsigned member) override {
    std::vector<std::vector<T>> vectors;
    for (unsigned m = 0; m < this->size(); ++m) vectors.emplace_back(this->count_, T(m == member));
    this->begin_with(std::move(vectors));
    this->fill();
    this->launch();
    return all_vectors();
  }
  [[nodiscard]] std::vector<std::vector<double>> after_step(unsigned step, unsigned member,
                                                            const std::vector<std::vector<double>>& before) override {
    std::vector<std::vector<T>> vectors;
    for (unsigned m = 0; m < this->size(); ++m) vectors.push_back(workbook::as_elements<T>(before[m]));
    this->begin_with(std::move(vectors));
    this->fill();
    this->group_.begin();
    launch_step(step, member);
    this->group_.record(member);
    this->group_.end();
    return all_vectors();
  }

 private:
  [[nodiscard]] std::vector<std::vector<double>> all_vectors() const {
    workbook::check(cudaGetLastError());
    workbook::check(cudaDeviceSynchronize());
    std::vector<std::vector<double>> all;
    for (unsigned m = 0; m < this->size(); ++m) all.push_back(workbook::as_numbers(this->vector_of(m)));
    return all;
  }
  void launch_step(unsigned step, unsigned m) {
    workbook::members<T> all = this->all();
    void* arguments[] = {&all, &m, &step, &this->count_};
    this->group_.select(m);
    workbook::check(
        cudaLaunchKernel(plan_.kernel, grid_, dim3(plan_.block_size), arguments, 0, this->group_.stream(m)));
  }
  void run() override {
    gpu_group& group = this->group_;
    const unsigned g = this->size();
    for (unsigned step = 0; step < 2 * (g - 1); ++step) {
      for (unsigned m = 0; m < g; ++m) {
        if (of_neighbours_) {
          group.wait(m, (m + g - 1) % g);  // it has written what this step reads
          group.wait(m, (m + 1) % g);      // it has read what this step writes
        } else {
          group.wait_for_all(m);
        }
        launch_step(step, m);
      }
      for (unsigned m = 0; m < g; ++m) group.record(m);
      group.end_step();
    }
  }

  bool of_neighbours_;
  dim3 grid_;
  workbook::launch_plan plan_;
};

}  // namespace chapter16
