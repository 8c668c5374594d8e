#include "timing/model/gpu.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>

#include "emulator/runtime/device_facts.hpp"

namespace model {
namespace {

using emulator::runtime::device_facts;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

const device_facts* known_by_name(const std::string& name) {
  for (const device_facts& facts : emulator::runtime::all_device_facts())
    if (lower(facts.name) == lower(name)) return &facts;
  return emulator::runtime::find_device_facts(name);
}

bool looks_like_a_file(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".json") || std::filesystem::exists(text);
}

/// Returns the GPU for a machine's file: the one with its name if the emulator knows it, or else one with the same
/// compute capability, which holds the same number of blocks per SM.
gpu of_machine(machine m, const std::string& path) {
  gpu chosen;
  const std::vector<device_facts>& all = emulator::runtime::all_device_facts();
  const device_facts* found = known_by_name(m.name);
  if (found == nullptr) {
    const auto alike = std::find_if(all.begin(), all.end(), [&](const device_facts& facts) {
      return fmt::format("{}.{}", facts.major, facts.minor) == m.compute_capability;
    });
    if (alike == all.end())
      throw std::runtime_error(
          fmt::format("{} has the facts of the {}, compute capability {}. The emulator knows no GPU of that "
                      "capability, so it cannot tell how many blocks fit on an SM.",
                      path, m.name, m.compute_capability.empty() ? "unknown" : m.compute_capability));
    found = &*alike;
    chosen.note = fmt::format(
        "The emulator does not know the {}. It counts as on the {}, which has the same compute capability, {}; times "
        "are for the machine of the file.",
        m.name, found->name, m.compute_capability);
  }
  chosen.emulated = found->key;
  chosen.measured = std::move(m);
  return chosen;
}

}  // namespace

std::string gpus_to_choose_from() {
  return emulator::runtime::known_devices() + ", or a file that `make machine` has written";
}

gpu chosen_gpu(const std::string& name_or_file, const std::string& folder) {
  if (const device_facts* facts = known_by_name(name_or_file)) {
    gpu chosen;
    chosen.emulated = facts->key;
    chosen.measured = known_machine(facts->key, folder);
    if (!chosen.measured)
      chosen.why_no_times = fmt::format(
          "No times: the {0} ({1}) has not been measured. On one, run\n  make machine ARGS=\"--json {1}.json\"\nand "
          "give the file that it writes: --gpu {1}.json.",
          facts->name, facts->key);
    return chosen;
  }
  if (looks_like_a_file(name_or_file)) return of_machine(read_machine(name_or_file), name_or_file);
  if (const std::optional<machine> m = known_machine(name_or_file, folder)) return of_machine(*m, name_or_file);
  throw std::runtime_error(fmt::format("there is no GPU '{}'; it can be {}", name_or_file, gpus_to_choose_from()));
}

}  // namespace model
