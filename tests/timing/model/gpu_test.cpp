// Tests the argument of `--gpu`: names, files of `make machine`, and invalid arguments.

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "timing/model/gpu.hpp"

using namespace model;

namespace {

/// A file with a machine's facts that a test may damage.
class facts_file {
 public:
  facts_file() : path_(std::filesystem::temp_directory_path() / ("a machine " + std::to_string(getpid()) + ".json")) {
    std::ifstream recorded(RECORDED_MACHINE);
    facts = nlohmann::json::parse(recorded);
  }
  ~facts_file() { std::filesystem::remove(path_); }
  facts_file(const facts_file&) = delete;
  facts_file& operator=(const facts_file&) = delete;

  nlohmann::json facts;

  /// Writes the current facts to the file, and returns the GPU that `--gpu` chooses with it.
  gpu chosen() { return chosen_of(facts.dump()); }
  gpu chosen_of(const std::string& text) {
    std::ofstream(path_) << text;
    return chosen_gpu(path_.string());
  }
  std::string refusal() { return refusal_of(facts.dump()); }
  std::string refusal_of(const std::string& text) {
    try {
      static_cast<void>(chosen_of(text));
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return {};
  }

 private:
  std::filesystem::path path_;
};

std::string refusal_of(const std::string& choice) {
  try {
    static_cast<void>(chosen_gpu(choice));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a GPU is chosen by its name, short or whole, in any case") {
  for (const char* name : {"h200", "H200", "NVIDIA H200", "nvidia h200"}) {
    const gpu chosen = chosen_gpu(name);
    CHECK(chosen.emulated == "h200");
    REQUIRE(chosen.measured);
    CHECK(chosen.measured->name == "NVIDIA H200");
    CHECK(chosen.why_no_times.empty());
    CHECK(chosen.note.empty());
  }
}

TEST_CASE("a GPU that was not measured is emulated, has no times, and a text explains how to measure it") {
  const gpu chosen = chosen_gpu("a100");
  CHECK(chosen.emulated == "a100");
  CHECK_FALSE(chosen.measured);
  CHECK_THAT(chosen.why_no_times, ContainsSubstring("the NVIDIA A100-SXM4-40GB (a100) has not been measured") &&
                                      ContainsSubstring("make machine ARGS=\"--json a100.json\"") &&
                                      ContainsSubstring("--gpu a100.json"));
}

TEST_CASE("a file of `make machine` is read from any folder, also with blanks in its name") {
  facts_file file;
  file.facts["latencies"]["clock_ghz"] = 1.5;
  const gpu chosen = file.chosen();
  CHECK(chosen.emulated == "h200");
  REQUIRE(chosen.measured);
  CHECK(chosen.measured->clock_ghz == 1.5);
  CHECK(chosen.note.empty());
}

TEST_CASE(
    "a machine that the emulator does not know is counted as one of the same compute capability, and it is said") {
  facts_file file;
  file.facts["device"]["name"] = "NVIDIA H20";
  file.facts["device"]["multiprocessors"] = 78;
  const gpu chosen = file.chosen();
  CHECK(chosen.emulated == "h200");
  CHECK(chosen.measured->multiprocessors == 78);
  CHECK_THAT(chosen.note, ContainsSubstring("does not know the NVIDIA H20") && ContainsSubstring("NVIDIA H200"));
  file.facts["device"]["compute_capability"] = "12.0";
  CHECK_THAT(file.refusal(), ContainsSubstring("compute capability 12.0") && ContainsSubstring("how many blocks fit"));
}

TEST_CASE("a name that is neither a GPU nor a file is refused with the known GPUs") {
  for (const char* name : {"banana", "", " ", "h200 "})
    CHECK_THAT(refusal_of(name), ContainsSubstring("there is no GPU '" + std::string(name) + "'") &&
                                     ContainsSubstring("h200") && ContainsSubstring("make machine"));
  for (const char* name : {"nowhere.json", "/nowhere/at all", "."})
    CHECK_THAT(refusal_of(name), ContainsSubstring("There is no file " + std::string(name)));
}

TEST_CASE("a damaged file is refused with the reason") {
  facts_file file;
  CHECK_THAT(file.refusal_of("no machine"), ContainsSubstring("no JSON from byte"));
  CHECK_THAT(file.refusal_of(""), ContainsSubstring("no JSON"));
  CHECK_THAT(file.refusal_of("[1, 2]"), ContainsSubstring("/device/name is missing"));
  CHECK_THAT(file.refusal_of("7"), ContainsSubstring("make machine"));
  const std::string whole = file.facts.dump();
  CHECK_THAT(file.refusal_of(whole.substr(0, whole.size() / 2)), ContainsSubstring("no JSON"));
}

TEST_CASE("facts that no machine has are refused") {
  const std::pair<const char*, nlohmann::json> impossible[] = {
      {"/device/multiprocessors", 1e30},      {"/device/multiprocessors", 1.5},        {"/latencies/clock_ghz", 1e-300},
      {"/latencies/dram/ns", 1e30},           {"/launches/queued_us", 1e30},           {"/device/name", ""},
      {"/device/name", "H200\x1b[31m\nline"}, {"/device/name", std::string(5000, 'x')}};
  for (const auto& [fact, value] : impossible) {
    INFO(fact << " " << value.dump().substr(0, 40));
    facts_file file;
    file.facts[nlohmann::json::json_pointer(fact)] = value;
    CHECK_THAT(file.refusal(), ContainsSubstring(fact));
  }
}

TEST_CASE("each fact that a file lacks, or has wrong, is named") {
  for (const char* fact : {"/device/name",
                           "/device/compute_capability",
                           "/device/multiprocessors",
                           "/device/shared_bytes_per_multiprocessor",
                           "/latencies/clock_ghz",
                           "/latencies/dram/ns",
                           "/latencies/l2/ns",
                           "/launches/queued_us",
                           "/launches/stream_us_per_launch",
                           "/ceilings/read/best/gb_per_s",
                           "/starts",
                           "/starts/3/threads",
                           "/starts/3/ns_per_block",
                           "/starts/3/barrier",
                           "/starts/3/shared_bytes",
                           "/instructions",
                           "/instructions/6/name",
                           "/instructions/6/cycles",
                           "/latencies/chains/IADD3",
                           "/latencies/chains/SHFL",
                           "/latencies/chains/LDS",
                           "/latencies/l1/cycles",
                           "/latencies/l2/cycles",
                           "/latencies/dram/cycles",
                           "/latencies/barriers",
                           "/latencies/barriers/5/cycles",
                           "/shared",
                           "/shared/5/load_cycles"}) {
    INFO(fact);
    const nlohmann::json::json_pointer at(fact);
    facts_file file;
    CHECK(file.refusal().empty());
    const bool is_number = file.facts[at].is_number();
    file.facts[at.parent_pointer()].erase(at.back());
    CHECK_THAT(file.refusal(), ContainsSubstring(std::string(fact) + " is missing"));
    if (!is_number) continue;
    for (const nlohmann::json& wrong : {nlohmann::json(-1), nlohmann::json("many"), nlohmann::json()}) {
      file.facts[at] = wrong;
      CHECK_THAT(file.refusal(), ContainsSubstring(fact));
    }
  }
}

TEST_CASE("instructions without a remainder, or with one that costs nothing, are refused") {
  facts_file file;
  const nlohmann::json all = file.facts["instructions"];
  file.facts["instructions"] = nlohmann::json::array();
  CHECK_THAT(file.refusal(), ContainsSubstring("/instructions lacks"));
  file.facts["instructions"] = all;
  for (nlohmann::json& row : file.facts["instructions"])
    if (row["name"] == "remainder") row["cycles"] = 0.5;
  CHECK_THAT(file.refusal(), ContainsSubstring("takes less than additions"));
}

TEST_CASE("the path's latencies are the machine's") {
  facts_file file;
  file.facts["latencies"]["chains"]["SHFL"] = 31;
  file.facts["latencies"]["l2"]["cycles"] = 200;
  file.facts["latencies"]["chains"].erase("REDUX");  // as in records from before compute capability 8.0
  file.facts["latencies"]["barriers"] = {{{"warps", 1}, {"cycles", 20}}, {{"warps", 32}, {"cycles", 113}}};
  const emulator::path_latencies l = file.chosen().latencies();
  CHECK(l.shuffle == 31);
  CHECK(l.second_cache == 200);
  CHECK(l.warp_reduce == emulator::path_latencies().warp_reduce);
  CHECK(l.barrier_per_warp == Approx(3));
  CHECK(l.barrier == Approx(17));
  CHECK(chosen_gpu("a100").latencies().shuffle == emulator::path_latencies().shuffle);
  file.facts["latencies"]["barriers"] = {{{"warps", 1}, {"cycles", 20}}};
  CHECK_THAT(file.refusal(), ContainsSubstring("/latencies/barriers lacks"));
  file.facts["latencies"]["barriers"] = {{{"warps", 1}, {"cycles", 20}}, {{"warps", 32}, {"cycles", 113}}};
  file.facts["shared"] = nlohmann::json::array();
  CHECK_THAT(file.refusal(), ContainsSubstring("/shared lacks"));
}

TEST_CASE("starts without the rows that times need are refused") {
  facts_file file;
  const nlohmann::json all = file.facts["starts"];
  file.facts["starts"] = nlohmann::json::array();
  CHECK_THAT(file.refusal(), ContainsSubstring("/starts has no row"));
  for (const nlohmann::json& row : all)
    if (row["shared_bytes"] == 0) file.facts["starts"].push_back(row);
  CHECK_THAT(file.refusal(), ContainsSubstring("more than half of the shared memory"));
}
