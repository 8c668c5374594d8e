#include "timing/model/links.hpp"

#include <cmath>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace model {
namespace {

/// Returns the microseconds for `bytes` at a rate in GB/s. 1 GB/s is 10^3 bytes per microsecond.
double us(double bytes, double gb_per_s) {
  return bytes / gb_per_s / 1e3;
}

}  // namespace

links read_links(const std::string& path) {
  try {
    std::ifstream in(path);
    if (!in) throw std::runtime_error("it cannot be read");
    const nlohmann::json facts = nlohmann::json::parse(in);
    links l;
    l.name = facts.at(nlohmann::json::json_pointer("/device/name")).get<std::string>();
    const auto fact = [&](double& value, const char* key) {
      const nlohmann::json::json_pointer place(fmt::format("/links/pair/{}", key));
      if (!facts.contains(place) || !facts.at(place).is_number() || !(facts.at(place).get<double>() > 0))
        throw std::runtime_error(fmt::format("a number above 0 is missing at {}", place.to_string()));
      value = facts.at(place).get<double>();
    };
    fact(l.copy_step_us, "copy_step_us");
    fact(l.copy_kernel_step_us, "copy_kernel_step_us");
    fact(l.copy_relay_us, "copy_relay_us");
    fact(l.kernel_step_us, "kernel_step_us");
    fact(l.kernel_answer_us, "kernel_answer_us");
    fact(l.launch_us, "launch_us");
    fact(l.dependent_launch_us, "dependent_launch_us");
    fact(l.word_us, "word_us");
    fact(l.copy_one_way, "copy_one_way_gb_per_s");
    fact(l.copy_both_ways, "copy_both_ways_gb_per_s");
    fact(l.load_words, "load_words_gb_per_s");
    fact(l.share_both_ways, "share_both_ways_gb_per_s");
    fact(l.store_words, "store_words_gb_per_s");
    fact(l.memory, "memory_gb_per_s");
    return l;
  } catch (const std::exception& e) {
    throw std::runtime_error(
        fmt::format("{}: no record of links: {}. On a machine with two GPUs, `make machine ARGS=\"--parts links --json "
                    "FILE\"` makes one",
                    path, e.what()));
  }
}

double all_reduce_us(const links& l, all_reduce_way way, unsigned gpus, double bytes) {
  const double others = gpus - 1, chunk = bytes / gpus;
  const double rounds = std::ceil(std::log2(gpus));
  // An addition reads both numbers and writes one.
  const auto added = [&](double size) { return us(3 * size, l.memory); };
  switch (way) {
    case all_reduce_way::meet:
      // All other vectors arrive through one port, and the last of them is added after it has arrived. Then the sum is
      // sent to all GPUs. The fixed costs are those of both directions, and the extra time of a kernel after a copy.
      return 2 * l.copy_relay_us + l.copy_kernel_step_us - l.copy_step_us + 2 * us(others * bytes, l.copy_one_way) +
             added(bytes);
    case all_reduce_way::ring_of_copies:
      return others * (l.copy_kernel_step_us + l.copy_step_us) + 2 * others * us(chunk, l.copy_both_ways) +
             others * added(chunk);
    case all_reduce_way::tree:
      // Up and down the tree, because the leaves need the sums of this call before they begin the next one.
      return (rounds - 1) * l.kernel_step_us + l.kernel_answer_us + rounds * us(bytes, l.load_words) +
             rounds * (l.copy_relay_us + us(bytes, l.copy_one_way));
    case all_reduce_way::tree_to_one:
      // A pair of GPUs is ready for the next call when the sender has answered, even if later steps are still running.
      // GPU 0 takes part in all steps, and adds the data of all senders after one answer.
      return l.kernel_answer_us + (rounds - 1) * l.launch_us + rounds * us(bytes, l.load_words);
    case all_reduce_way::ring_of_kernels:
      return 2 * others * (l.kernel_step_us + us(chunk, l.load_words));
    case all_reduce_way::mailboxes:
      // Every word is sent together with the call's number, to each of the other GPUs.
      return l.dependent_launch_us + l.word_us + us(2 * others * bytes, l.store_words);
    case all_reduce_way::shares:
      return l.launch_us + 2 * l.word_us + us(2 * others * chunk, l.share_both_ways);
  }
  throw std::invalid_argument("not a way");
}

}  // namespace model
