#pragma once
/// \file
/// The results of all observers of a launch. Internal.

#include "emulator/observers/launch_observation.hpp"
#include "emulator/observers/list.hpp"

namespace emulator::observers {

struct launch_observation::parts : all_observers::of_launch {
  using all_observers::of_launch::of_launch;
};

}  // namespace emulator::observers
