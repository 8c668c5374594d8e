#include "workbook/provenance.hpp"

#include <nlohmann/json.hpp>

#include "device/buffer.hpp"
#include "host/program.hpp"
#include "workbook/timer.hpp"

namespace workbook {

nlohmann::json provenance_of(const std::string& gpu, const std::string& command, const std::string& commit) {
  int driver = 0, toolkit = 0;
  check(cudaDriverGetVersion(&driver));
  check(cudaRuntimeGetVersion(&toolkit));
  return {{"gpu", gpu},
          {"driver_cuda", driver},
          {"toolkit", toolkit},
          {"date", host::utc_now()},
          {"command", command},
          {"commit", commit},
          {"times",
           {{"cold", words_for(start::cold)}, {"warm", words_for(start::warm)}, {"idle", words_for(start::idle)}}}};
}

nlohmann::json provenance_of(const device_facts& facts, const std::string& command, const std::string& commit,
                             std::optional<int> repetitions) {
  nlohmann::json j = provenance_of(facts.name, command, commit);
  j["peak_gb_per_s"] = facts.peak_gb_per_s;
  j["read_gb_per_s"] = facts.most.read_gb_per_s;
  j["copy_gb_per_s"] = facts.most.copy_gb_per_s;
  j["launch_us"] = facts.most.launch_us;
  j["idle_launch_us"] = facts.most.idle_launch_us;
  j["further_launch_us"] = facts.most.further_launch_us;
  j["l2_bytes"] = facts.l2_bytes;
  j["multiprocessors"] = facts.multiprocessors;
  if (repetitions) j["repetitions"] = *repetitions;
  return j;
}

}  // namespace workbook
