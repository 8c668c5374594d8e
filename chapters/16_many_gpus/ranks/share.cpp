#include "16_many_gpus/ranks/share.hpp"

#include <type_traits>

#include "16_many_gpus/large_sum/lanes.hpp"
#include "16_many_gpus/large_sum/right.hpp"
#include "workbook/guarded.hpp"
#include "workbook/sum_of_terms.hpp"

namespace chapter16 {
namespace {

/// Generates the elements of a share directly in the memory where they are needed.
class made_up_share final : public slice_source {
 public:
  made_up_share(const share& own, std::size_t element_bytes) : own_(own), element_bytes_(element_bytes) {}
  [[nodiscard]] std::size_t size_bytes() const override { return own_.count * element_bytes_; }
  const std::byte* fetch(std::size_t first, std::size_t bytes, std::byte* room) override {
    workbook::with_type(own_.type, [&](auto* tag) {
      using T = std::remove_pointer_t<decltype(tag)>;
      T* const elements = reinterpret_cast<T*>(room);
      for (std::size_t k = 0; k < bytes / sizeof(T); ++k)
        elements[k] = workbook::input_value<T>(own_.first + first / sizeof(T) + k, own_.seed);
    });
    return room;
  }

 private:
  const share& own_;
  std::size_t element_bytes_;
};

}  // namespace

share share_of(unsigned rank, unsigned ranks, std::size_t count) {
  // Not count * rank / ranks, because the product may not fit into 64 bits.
  const auto begin = [&](unsigned r) { return count / ranks * r + count % ranks * r / ranks; };
  share own;
  own.first = begin(rank);
  own.count = begin(rank + 1) - own.first;
  return own;
}

sum_bytes sum_of(const share& own) {
  const summing how = summing_of(own.type);
  const bool gpu = workbook::on_gpu();
  made_up_share elements(own, how.element_bytes);
  const lane_plan plan{
      .slice_bytes = std::size_t{gpu ? 16u : 1u} << 20, .per_gpu = gpu ? 8u : 2u, .gpus = 1, .first_gpu = own.gpu};
  return run_lanes(elements, how, plan, stages::all, {}).sum;
}

bool is_sum_of(const share& own, const sum_bytes& sum) {
  const workbook::reference_sum all = workbook::with_type(own.type, [&](auto* tag) {
    using T = std::remove_pointer_t<decltype(tag)>;
    return workbook::sum_of_terms(own.count,
                                  [&own](std::size_t i) { return workbook::input_value<T>(own.first + i, own.seed); });
  });
  return is_sum(own.type, all, sum);
}

}  // namespace chapter16
