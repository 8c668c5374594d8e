// Combines the ranks' results.

#include <mpi.h>

#include "16_many_gpus/ranks/rank_group.hpp"

namespace chapter16 {
namespace {

using workbook::element_type;

/// The function that MPI calls to add sums: adds `in[k]` to `inout[k]` for each of `*count` sums.
template <element_type Type>
void add_sums(void* in, void* inout, int* count, MPI_Datatype*) {
  static const summing how = summing_of(Type);
  for (int k = 0; k < *count; ++k) how.merge(static_cast<sum_bytes*>(inout)[k], static_cast<const sum_bytes*>(in)[k]);
}

/// A type for a sum in MPI, and the operator that adds two. Bins need their own; for integers, MPI_SUM would be enough.
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

}  // namespace chapter16
