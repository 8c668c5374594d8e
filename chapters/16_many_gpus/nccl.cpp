#include "16_many_gpus/nccl.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace chapter16 {
namespace {

/// The oldest NCCL version that works here. Since then, the values of ncclDataType_t and ncclRedOp_t and the encoding
/// of version numbers have not changed.
constexpr int oldest = 20900;

template <typename F>
bool find(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

/// The number by which NCCL knows the addition.
constexpr int sum = 0;

/// Returns the number by which NCCL knows an element type.
int number_of(workbook::element_type type) {
  switch (type) {
    case workbook::element_type::uint32:
      return 3;
    case workbook::element_type::int64:
      return 4;
    case workbook::element_type::float32:
      return 7;
    case workbook::element_type::float64:
      return 8;
    default:
      return 2;
  }
}

}  // namespace

std::shared_ptr<const nccl> nccl::load(std::string& why_not, const std::string& name) {
  // A sum in the switch would be a different algorithm from the one that is compared here.
  setenv("NCCL_NVLS_ENABLE", "0", 0);
  void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    why_not = fmt::format("{} is not on this machine", name);
    return nullptr;
  }
  auto found = std::make_shared<nccl>();
  // The version is checked first: an old one may lack functions, but the reason to report is its age.
  if (find(library, "ncclGetVersion", found->get_version_) &&
      (found->get_version_(&found->version_) != 0 || found->version_ < oldest)) {
    why_not =
        fmt::format("the NCCL of this machine is version {}; from {} on it can be used here", found->version_, oldest);
    return nullptr;
  }
  if (found->get_version_ == nullptr || !find(library, "ncclGetErrorString", found->error_string_) ||
      !find(library, "ncclCommInitAll", found->init_all_) ||
      !find(library, "ncclGetUniqueId", found->new_meeting_point_) ||
      !find(library, "ncclCommInitRank", found->init_rank_) || !find(library, "ncclCommDestroy", found->destroy_) ||
      !find(library, "ncclGroupStart", found->group_start_) || !find(library, "ncclGroupEnd", found->group_end_) ||
      !find(library, "ncclAllReduce", found->all_reduce_) || !find(library, "ncclReduce", found->reduce_)) {
    why_not = fmt::format("the {} of this machine is another library: functions of NCCL are missing", name);
    return nullptr;
  }
  return found;
}

void nccl::expect_success(int status, const char* call) const {
  if (status != 0) throw std::runtime_error(fmt::format("{}: {}", call, error_string_(status)));
}

nccl::group::group(std::shared_ptr<const nccl> library, const gpu_group& of)
    : library_(std::move(library)), members_(of.size()) {
  std::vector<int> devices;
  for (unsigned m = 0; m < of.size(); ++m) {
    devices.push_back(of.device_of(m));
    streams_.push_back(of.stream(m));
  }
  library_->expect_success(library_->init_all_(members_.data(), static_cast<int>(devices.size()), devices.data()),
                           "ncclCommInitAll");
}

nccl::group::group(std::shared_ptr<const nccl> library, const meeting_point& where, unsigned rank, unsigned size)
    : library_(std::move(library)), streams_(1), members_(1) {
  library_->expect_success(library_->init_rank_(members_.data(), static_cast<int>(size), where, static_cast<int>(rank)),
                           "ncclCommInitRank");
}

nccl::group::~group() {
  for (void* const member : members_) library_->destroy_(member);
}

void nccl::group::all_reduce(workbook::element_type type, const std::vector<void*>& vectors, std::size_t count) {
  library_->expect_success(library_->group_start_(), "ncclGroupStart");
  for (unsigned m = 0; m < members_.size(); ++m) all_reduce_of(m, type, vectors[m], count);
  library_->expect_success(library_->group_end_(), "ncclGroupEnd");
}

void nccl::group::reduce(workbook::element_type type, const std::vector<void*>& vectors, std::size_t count) {
  library_->expect_success(library_->group_start_(), "ncclGroupStart");
  constexpr int root = 0;
  for (unsigned m = 0; m < members_.size(); ++m)
    library_->expect_success(
        library_->reduce_(vectors[m], vectors[m], count, number_of(type), sum, root, members_[m], streams_[m]),
        "ncclReduce");
  library_->expect_success(library_->group_end_(), "ncclGroupEnd");
}

void nccl::group::all_reduce_of(unsigned member, workbook::element_type type, void* vector, std::size_t count) {
  library_->expect_success(
      library_->all_reduce_(vector, vector, count, number_of(type), sum, members_[member], streams_[member]),
      "ncclAllReduce");
}

nccl::meeting_point nccl::new_meeting_point() const {
  meeting_point where;
  expect_success(new_meeting_point_(&where), "ncclGetUniqueId");
  return where;
}

}  // namespace chapter16
