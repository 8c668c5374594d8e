// One rank of an MPI job. mpirun starts several; each sums its share on its own device, and MPI combines the sums.
// run.hpp lists the exit statuses.

#include "16_many_gpus/ranks/run.hpp"

int main(int argc, char** argv) {
  return chapter16::run_rank(argc, argv, chapter16::sum_of);
}
