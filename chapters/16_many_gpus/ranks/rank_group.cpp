#include "16_many_gpus/ranks/rank_group.hpp"

#include <array>
#include <cstdlib>

#include <fmt/format.h>
#include <mpi.h>

#include "16_many_gpus/launched.hpp"

namespace chapter16 {
namespace {

using workbook::element_type;

/// \throws mpi_error  where a call of MPI failed, with MPI's own words
void check_mpi(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> words{};
  int length = 0;
  MPI_Error_string(code, words.data(), &length);
  throw mpi_error(
      fmt::format("MPI failed ({}): {}", what, std::string(words.data(), static_cast<std::size_t>(length))));
}

/// What MPI calls to add up sums: `inout[k]` becomes the sum of both, for `*count` of them.
template <element_type Type>
void add_sums(void* in, void* inout, int* count, MPI_Datatype*) {
  static const summing how = summing_of(Type);
  for (int k = 0; k < *count; ++k) how.merge(static_cast<sum_bytes*>(inout)[k], static_cast<const sum_bytes*>(in)[k]);
}

/// A sum as MPI sends it, and the operator that adds two. Bins need one of their own; integers could do with MPI_SUM.
class sums_in_mpi {
 public:
  explicit sums_in_mpi(element_type type) {
    static constexpr MPI_User_function* adders[] = {add_sums<element_type::int32>, add_sums<element_type::uint32>,
                                                    add_sums<element_type::int64>, add_sums<element_type::float32>,
                                                    add_sums<element_type::float64>};
    check_mpi(MPI_Type_contiguous(sizeof(sum_bytes), MPI_BYTE, &bytes), "the type of a sum");
    check_mpi(MPI_Type_commit(&bytes), "the type of a sum");
    constexpr int in_any_order = 1;
    check_mpi(MPI_Op_create(adders[static_cast<std::size_t>(type)], in_any_order, &add), "the addition of sums");
  }
  ~sums_in_mpi() {
    MPI_Op_free(&add);
    MPI_Type_free(&bytes);
  }
  sums_in_mpi(const sums_in_mpi&) = delete;
  sums_in_mpi& operator=(const sums_in_mpi&) = delete;

  MPI_Datatype bytes{};
  MPI_Op add{};
};

MPI_Datatype mpi_type_of(element_type type) {
  switch (type) {
    case element_type::uint32:
      return MPI_UNSIGNED;
    case element_type::int64:
      return MPI_LONG_LONG;
    case element_type::float32:
      return MPI_FLOAT;
    case element_type::float64:
      return MPI_DOUBLE;
    default:
      return MPI_INT;
  }
}

}  // namespace

rank_group::rank_group(std::chrono::seconds limit) : watchdog_("ranks16", limit) {
  const auto watched = watchdog_.watch("all start");
  // The threads of lanes and devices call no MPI.
  int provided = 0;
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  check_mpi(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  int rank = 0, size = 1;
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
  rank_ = static_cast<unsigned>(rank);
  size_ = static_cast<unsigned>(size);
  std::array<char, MPI_MAX_PROCESSOR_NAME> host{};
  int length = 0;
  check_mpi(MPI_Get_processor_name(host.data(), &length), "MPI_Get_processor_name");
  host_.assign(host.data(), static_cast<std::size_t>(length));
  watchdog_.rename(name());

  if (const unsigned wanted = processes_launched().value_or(1); wanted > 1 && size_ == 1) {
    MPI_Finalize();
    throw mpi_error(
        fmt::format("the launcher started {} processes, and each of them finds itself alone: this is not the mpirun of "
                    "the MPI that ranks16 was built with. `make ranks` takes the right one",
                    wanted));
  }

  MPI_Comm neighbours{};
  check_mpi(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &neighbours),
            "the ranks of this host");
  check_mpi(MPI_Comm_rank(neighbours, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(neighbours, &size), "MPI_Comm_size");
  check_mpi(MPI_Comm_free(&neighbours), "MPI_Comm_free");
  local_rank_ = static_cast<unsigned>(rank);
  local_size_ = static_cast<unsigned>(size);
}

rank_group::~rank_group() {
  const auto watched = watchdog_.watch("all end");
  MPI_Finalize();
}

std::string rank_group::name() const {
  return size_ == 1 ? "ranks16" : fmt::format("ranks16: rank {} on {}", rank_, host_);
}

void rank_group::gather(const void* own, void* all, std::size_t bytes, const char* what) {
  const auto watched = watchdog_.watch(what);
  const int size = static_cast<int>(bytes);
  check_mpi(MPI_Allgather(own, size, MPI_BYTE, all, size, MPI_BYTE, MPI_COMM_WORLD), what);
}

sum_bytes rank_group::sum_on_first(element_type type, const sum_bytes& own) {
  const auto watched = watchdog_.watch("their sums meet on rank 0");
  const sums_in_mpi sums(type);
  sum_bytes all = summing_of(type).zero();
  check_mpi(MPI_Reduce(&own, &all, 1, sums.bytes, sums.add, 0, MPI_COMM_WORLD), "MPI_Reduce");
  return all;
}

sum_bytes rank_group::sum_on_all(element_type type, const sum_bytes& own) {
  const auto watched = watchdog_.watch("their sums meet on every rank");
  const sums_in_mpi sums(type);
  sum_bytes all;
  check_mpi(MPI_Allreduce(&own, &all, 1, sums.bytes, sums.add, MPI_COMM_WORLD), "MPI_Allreduce");
  return all;
}

void rank_group::add_vectors(element_type type, void* vector, std::size_t count) {
  const auto watched = watchdog_.watch("their vectors meet on every rank");
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, vector, static_cast<int>(count), mpi_type_of(type), MPI_SUM, MPI_COMM_WORLD),
            "MPI_Allreduce of vectors");
}

void rank_group::all_have_spoken() {
  {
    const auto watched = watchdog_.watch("all have finished");
    check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  }
  watchdog_.be_quiet();
}

void rank_group::abort(int status) {
  watchdog_.be_quiet();
  const auto watched = watchdog_.watch("the launcher ends all");
  MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

}  // namespace chapter16
