#include "16_many_gpus/ranks/run.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "16_many_gpus/large_sum/findings.hpp"
#include "16_many_gpus/large_sum/right.hpp"
#include "16_many_gpus/ranks/by_nccl.hpp"
#include "16_many_gpus/ranks/command_line.hpp"
#include "16_many_gpus/ranks/rank_group.hpp"
#include "16_many_gpus/ranks/rank_vector.hpp"
#include "16_many_gpus/ranks/table.hpp"
#include "emulator/links.hpp"
#include "host/output_file.hpp"
#include "host/program.hpp"
#include "reductions/buffer.hpp"
#include "workbook/device_facts.hpp"

namespace chapter16 {
namespace {

using workbook::check;

constexpr int status_wrong = 1, status_device = 3;

/// A failure of one rank that all ranks know of, so that they end together.
class known_failure : public host::failure {
 public:
  using host::failure::failure;
};

/// A rank's report about a step. Its status is 0 if the step has succeeded.
struct news {
  int status = 0;
  short_text<480> words;
};

/// Returns the message of the exception that is being handled.
std::string words_of_exception() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return "the host's memory is not enough: give a smaller --count or --vector";
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception of no known kind";
  }
}

/// Returns the name of this rank in its last message.
std::string& name_in_last_words() {
  static std::string name;
  return name;
}

/// Prints one line instead of a stack trace. After that, the launcher ends the other ranks.
[[noreturn]] void say_last_words() {
  const std::string why = std::current_exception() ? words_of_exception() : "std::terminate was called";
  fmt::print(stderr, "{}: ended in the middle of its work: {}\n", name_in_last_words(), why);
  std::fflush(stderr);
  std::_Exit(status_broken_job);
}

/// Calls `work`, and tells all ranks if it has succeeded on this one.
/// \throws known_failure  on all ranks, if it has failed on one of them
void together(rank_group& group, const char* what, const std::function<void()>& work) {
  news own;
  try {
    work();
  } catch (const host::failure& e) {
    own = {e.status(), short_text<480>(e.what())};
  } catch (...) {
    own = {status_device, short_text<480>(words_of_exception())};
  }
  const std::vector<news> all = group.all_of(own, what);
  const auto failed = [](const news& one) { return one.status != 0; };
  const auto first = std::ranges::find_if(all, failed);
  if (first == all.end()) return;
  const int status = std::ranges::max(all, {}, &news::status).status;
  if (failed(own)) throw known_failure(std::string(own.words.view()), status);
  throw known_failure(fmt::format("no sum, as rank {} has failed: {}", first - all.begin(), first->words.view()),
                      status);
}

/// The settings that must agree on all ranks before anything else is sent.
struct terms {
  rank_task task{};
  bool count_given = false, gpu = false;
};

/// \throws known_failure  on all ranks, if their arguments differ
rank_task agree(rank_group& group, const rank_words& w, bool gpu) {
  const terms own{{w.type, w.count.value_or(0), w.vector, w.seed}, w.count.has_value(), gpu};
  const std::vector<terms> all = group.all_of(own, "all say what to sum");
  const terms& first = all.front();
  bool gpus = true;
  for (std::size_t r = 0; r < all.size(); ++r) {
    const auto differ = [&](const char* option, const std::string& here, const std::string& there) {
      if (here == there) return;
      throw known_failure(fmt::format("the ranks do not agree on {}: rank 0 has {}, rank {} has {}. Give all ranks the "
                                      "same words, and the same build of ranks16",
                                      option, here, r, there),
                          host::status_bad_usage);
    };
    const auto count_of = [](const terms& t) { return t.count_given ? std::to_string(t.task.count) : "none given"; };
    differ("--count", count_of(first), count_of(all[r]));
    differ("--type", name_of(first.task.type), name_of(all[r].task.type));
    differ("--vector", std::to_string(first.task.vector), std::to_string(all[r].task.vector));
    differ("--seed", std::to_string(first.task.seed), std::to_string(all[r].task.seed));
    gpus = gpus && all[r].gpu;
  }
  rank_task task = first.task;
  if (!first.count_given) task.count = std::uint64_t{1} << (gpus ? 28 : 20);
  return task;
}

struct rank_device {
  int number = 0;
  unsigned gpus = 0;  ///< Number of GPUs of the host; 0 if devices are emulated.
  bool gpu = false;
  std::string name;
};

/// Selects the device that has the rank's number on its host. If there are fewer devices than ranks, ranks share them.
/// \throws std::runtime_error  if there is no such device
rank_device take_device(const rank_group& group, const rank_words& w) {
  rank_device own;
  own.gpu = w.device ? *w.device == emulator::device_kind::gpu : emulator::gpu_available();
  if (!own.gpu) {
    constexpr unsigned max_emulated = 16;
    emulator::set_devices(static_cast<int>(std::min(group.local_size(), max_emulated)));
    emulator::options options = emulator::current_options();
    // The ranks of a host share its cores.
    if (options.host_threads == 0)
      options.host_threads = std::max(1u, std::thread::hardware_concurrency() / group.local_size());
    emulator::set_options(options);
  }
  emulator::select_device(own.gpu ? emulator::device_kind::gpu : emulator::device_kind::emulator);
  int devices = 0;
  check(cudaGetDeviceCount(&devices));
  own.number = static_cast<int>(group.local_rank()) % devices;
  if (own.gpu) own.gpus = static_cast<unsigned>(devices);
  check(cudaSetDevice(own.number));
  cudaDeviceProp facts{};
  check(cudaGetDeviceProperties(&facts, own.number));
  own.name = fmt::format("{} of {}: {}{}", own.number, devices, own.gpu ? "" : "emulated ", facts.name);
  return own;
}

/// \throws std::runtime_error  if only a part could be written
void write_times(host::json_file& file, const rank_words& w, const std::vector<rank_row>& rows,
                 const std::vector<nccl_time>& by_nccl, int version) {
  nlohmann::json times = nlohmann::json::array();
  for (const nccl_time& one : by_nccl) times.push_back({{"bytes", one.bytes}, {"host_us", one.microseconds}});
  nlohmann::json source =
      workbook::provenance_of(workbook::read_device_facts(),
                              fmt::format("mpirun -n {} build/bin/chapter16 --json {}", rows.size(), w.json), w.commit);
  source["nccl"] = version;
  file.write({{"schema", 1}, {"provenance", source}, {"ranks", rows.size()}, {"nccl", times}}, 1);
}

std::string no_times(const std::string& why) {
  return fmt::format("--json: the file gets the times of NCCL on GPUs, and there are none: {}", why);
}

/// Returns the first rank whose command line asks for help, or nothing.
std::optional<unsigned> first_to_ask_for_help(rank_group& group, const rank_words& w) {
  const std::vector<char> asked = group.all_of(static_cast<char>(!w.help.empty()), "one may have asked for help");
  const auto who = std::find(asked.begin(), asked.end(), 1);
  return who == asked.end() ? std::nullopt : std::optional(static_cast<unsigned>(who - asked.begin()));
}

/// Sums this rank's share and vector on its device, and lets MPI combine the results of all ranks on the hosts. Returns
/// the rank's row of the table, without NCCL. \throws known_failure
rank_row sum_shares(rank_group& group, const rank_task& task, const rank_device& device, const share_sum& sum) {
  share own = share_of(group.rank(), group.size(), task.count);
  own.type = task.type;
  own.seed = task.seed;
  own.gpu = device.number;
  sum_bytes part;
  std::optional<rank_vector> vector;
  std::vector<std::byte> elements;
  together(group, "all sum their shares", [&] {
    part = sum(own);
    vector.emplace(task.type, task.vector, task.seed, group.rank());
    elements = vector->fetch();
  });

  // On the hosts, so that MPI combines the sums.
  const sum_bytes on_first = group.sum_on_first(task.type, part);
  const sum_bytes on_all = group.sum_on_all(task.type, part);
  group.add_vectors(task.type, elements.data(), vector->count());

  rank_row row;
  together(group, "all have their vectors back", [&] {
    vector->put(elements);
    row.vector_right = vector->is_sum_of(group.size());
  });
  const summing how = summing_of(task.type);
  row.host = short_text<256>(group.host());
  row.device = short_text<128>(device.name);
  row.count = own.count;
  row.sum = short_text<40>(how.text(on_all));
  row.own_right = is_sum_of(own, part);
  if (group.rank() == 0) {
    row.sum_on_first = short_text<40>(how.text(on_first));
    row.first_right = is_sum_of_parts(task.type, task.count, 1, task.seed, on_first);
  }
  return row;
}

/// Prints the findings of the emulator's checks on this rank, and returns their number.
std::uint32_t print_findings(const rank_group& group) {
  const std::vector<std::string> findings = take_findings();
  for (const std::string& one : findings) fmt::print(stderr, "{}: {}\n", group.name(), one);
  return static_cast<std::uint32_t>(findings.size());
}

/// Does the work of every rank. \throws known_failure
int work(rank_group& group, const rank_words& w, const share_sum& sum) {
  rank_device device;
  together(group, "all read their command lines and take their devices", [&] {
    if (!w.wrong.empty()) throw host::usage_error(w.wrong);
    if (!w.help.empty()) return;
    device = take_device(group, w);
    if (!w.json.empty() && !device.gpu) throw host::usage_error(no_times("this rank's device is emulated"));
  });
  if (const std::optional<unsigned> who = first_to_ask_for_help(group, w)) {
    if (group.rank() == *who) fmt::print("{}", w.help);
    return 0;
  }
  const rank_task task = agree(group, w, device.gpu);
  const common_nccl shared = find_nccl(group, device.gpus);
  const bool timed =
      group.all_of(static_cast<char>(!w.json.empty()), "rank 0 says whether it wants times").front() != 0;
  std::optional<host::json_file> times;
  together(group, "rank 0 looks whether its file can be written", [&] {
    if (!w.json.empty() && !shared.why_not.empty()) throw host::usage_error(no_times(shared.why_not));
    if (timed && group.rank() == 0) times.emplace(w.json);
  });

  rank_row row = sum_shares(group, task, device, sum);
  nccl_result by_nccl;
  if (shared.why_not.empty()) by_nccl = all_reduce_by_nccl(group, task, shared.library, timed);
  row.has_nccl = shared.why_not.empty();
  row.nccl_right = by_nccl.right;
  row.findings = print_findings(group);
  const std::vector<rank_row> rows = group.all_of(row, "all compare their sums with the host's");
  together(group, "rank 0 writes the times", [&] {
    if (group.rank() != 0) return;
    fmt::print("{}", text_of(task, rows));
    if (device.gpu && !shared.why_not.empty()) fmt::print("NCCL took no part. {}.\n", shared.why_not);
    if (times) write_times(*times, w, rows, by_nccl.times, shared.library->version());
  });
  if (is_right(rows)) return 0;
  const auto wrong = std::find_if(rows.begin(), rows.end(), [&](const rank_row& r) { return !is_right({rows[0], r}); });
  fmt::print(stderr, "{}: not everything is right: see rank {} in the table of rank 0\n", group.name(),
             wrong - rows.begin());
  return status_wrong;
}

int guarded_work(rank_group& group, const rank_words& w, const share_sum& sum) {
  try {
    return work(group, w, sum);
  } catch (const known_failure& e) {
    fmt::print(stderr, "{}: {}\n", group.name(), e.what());
    return e.status();
  }
}

}  // namespace

int run_rank(int argc, char** argv, const share_sum& sum) {
  const rank_words words = read_rank_words(argc, argv);
  return host::guarded(words.program, status_broken_job, [&] {
    rank_group group(words.program, words.timeout);
    name_in_last_words() = group.name();
    std::set_terminate(say_last_words);
    try {
      const int status = guarded_work(group, words, sum);
      std::fflush(stdout);
      group.all_have_spoken();
      return status;
    } catch (const std::exception& e) {
      fmt::print(stderr, "{}: {}\n", group.name(), e.what());
      group.abort(status_broken_job);
    }
  });
}

}  // namespace chapter16
