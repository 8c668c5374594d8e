#include "tools/tune/race.hpp"

namespace workbook {

void race(std::vector<contender>& all, stop_watch& watch, int repetitions) {
  for (const bool cold : {true, false}) {
    for (int k = 0; k < repetitions; ++k) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        contender& c = all[k % 2 == 0 ? i : all.size() - 1 - i];
        if (!cold) c.run();  // each finds in the cache what it left itself
        (cold ? c.cold_us : c.warm_us).push_back(watch.take(c.run, cold ? start::cold : start::warm).microseconds);
      }
    }
  }
}

}  // namespace workbook
