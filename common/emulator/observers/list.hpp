#pragma once
/// \file
/// All observers of the emulator.

#include "emulator/observers/barrier_check.hpp"
#include "emulator/observers/cluster_rules.hpp"
#include "emulator/observers/counting.hpp"
#include "emulator/observers/global_races.hpp"
#include "emulator/observers/init_check.hpp"
#include "emulator/observers/observer_set.hpp"
#include "emulator/observers/path_following.hpp"
#include "emulator/observers/recording.hpp"
#include "emulator/observers/shared_races.hpp"

namespace emulator::observers {

/// Events are delivered in this order. `cluster_rules` uses the state of `shared_races` and `global_races`, so it comes
/// after `shared_races`, and before `global_races` begins new epochs.
using all_observers = observer_set<recording,          // --record and drawings
                                   counting,           // counters by source line
                                   path_following,     // the critical path
                                   barrier_check,      // synccheck
                                   shared_races,       // racecheck in a block's shared memory
                                   cluster_rules,      // racecheck in the shared memory of a cluster
                                   global_races,       // racecheck in global memory
                                   shared_init_check,  // initcheck
                                   global_init_check>;

}  // namespace emulator::observers
