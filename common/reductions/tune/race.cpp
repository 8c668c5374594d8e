#include "reductions/tune/race.hpp"

#include <nlohmann/json.hpp>

#include "reductions/tune/cccl.hpp"

namespace workbook {

void race(std::vector<contender>& all, stop_watch& watch, int repetitions,
          stop_watch::sample (stop_watch::*take)(const std::function<void()>&, start)) {
  for (const bool cold : {true, false}) {
    for (int k = 0; k < repetitions; ++k) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        contender& c = all[k % 2 == 0 ? i : all.size() - 1 - i];
        if (!cold) c.run();  // so each finds in the cache what it has left there itself
        (cold ? c.cold_us : c.warm_us).push_back((watch.*take)(c.run, cold ? start::cold : start::warm).microseconds);
      }
    }
  }
}

std::vector<std::byte> bytes_after(const std::function<void()>& run, const device_bytes& out, int spoilt) {
  check(cudaMemset(out.data(), spoilt, out.size_bytes()));
  run();
  check(cudaGetLastError());
  std::vector<std::byte> bytes(out.size_bytes());
  check(cudaMemcpy(bytes.data(), out.data(), bytes.size(), cudaMemcpyDeviceToHost));
  return bytes;
}

nlohmann::json provenance_of_race(const device_facts& facts, const std::string& command, const std::string& commit,
                                  int repetitions) {
  nlohmann::json j = provenance_of(facts, command, commit, repetitions);
  j["cccl"] = raced_cccl();
  return j;
}

nlohmann::json times_of(const contender& c) {
  nlohmann::json times = {{"cold_us", median(c.cold_us)}};
  if (!c.warm_us.empty()) times["warm_us"] = median(c.warm_us);
  return times;
}

nlohmann::json as_json(const contender& c) {
  nlohmann::json j = times_of(c);
  j["name"] = c.name;
  if (c.shape) {
    j["shape"] = {{"depth", c.shape->depth},           {"hint", c.shape->hint},
                  {"block_size", c.shape->block_size}, {"grid_size", c.shape->grid_size},
                  {"one_round", c.shape->one_round},   {"agreement", static_cast<int>(c.shape->by)}};
  }
  return j;
}

}  // namespace workbook
