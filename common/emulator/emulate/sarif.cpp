#include "emulator/emulate/sarif.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/finding.hpp"
#include "host/files.hpp"

namespace emulate {
namespace {

using nlohmann::json;

/// A path, relative to the root if it is below it, otherwise absolute.
struct told_path {
  std::string text;
  bool below_root = false;
};

told_path tell(const std::string& file, const std::string& root) {
  const std::filesystem::path whole = std::filesystem::absolute(file).lexically_normal();
  const std::filesystem::path from_root = whole.lexically_relative(root);
  if (from_root.empty() || *from_root.begin() == "..") return {whole.string(), false};
  return {from_root.string(), true};
}

/// Returns a path as part of a URI: characters with a meaning there, and bytes beyond ASCII, are in hexadecimal.
std::string in_uri(const std::string& path) {
  std::string uri;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && (std::isalnum(byte) != 0 || std::string_view("/-._~").find(c) != std::string_view::npos))
      uri += c;
    else
      uri += fmt::format("%{:02X}", byte);
  }
  return uri;
}

json location(const std::string& file, std::uint32_t line, const std::string& kernel, const std::string& root) {
  json where = json::object();
  if (!file.empty()) {
    const told_path path = tell(file, root);
    json artifact = {{"uri", (path.below_root ? "" : "file://") + in_uri(path.text)}};
    if (path.below_root) artifact["uriBaseId"] = "SRCROOT";
    where["physicalLocation"] = {{"artifactLocation", artifact}};
    if (line != 0) where["physicalLocation"]["region"] = {{"startLine", line}};
  }
  if (!kernel.empty())
    where["logicalLocations"] = json::array({{{"fullyQualifiedName", kernel}, {"kind", "function"}}});
  return where;
}

std::string title_of(const json& finding) {
  return finding.at("check").get<std::string>() + ": " + finding.at("kind").get<std::string>();
}

/// "racecheck/read-after-write-race": stable, and without blanks.
std::string rule_of(const json& finding) {
  std::string id = finding.at("check").get<std::string>() + "/" + finding.at("kind").get<std::string>();
  std::replace(id.begin(), id.end(), ' ', '-');
  return id;
}

/// Returns what is wrong, how often, and what would fix it.
std::string message_of(const json& finding) {
  std::string text = finding.at("message").get<std::string>();
  if (const auto launches = finding.value("launches", 0ull); launches > 1)
    text += fmt::format(" {} times, in {} launches.", finding.at("count").get<std::uint64_t>(), launches);
  if (const std::string cure = finding.value("cure", ""); !cure.empty()) text += " " + cure;
  return text;
}

json one_thread(const std::string& id, json where, const std::string& words) {
  where["message"] = {{"text", words}};
  return {{"id", id}, {"locations", json::array({{{"location", where}}})}};
}

json result_of(const json& finding, std::size_t rule, const std::string& root) {
  const std::string kernel = finding.at("kernel").get<std::string>();
  const json here =
      location(finding.at("file").get<std::string>(), finding.at("line").get<std::uint32_t>(), kernel, root);
  json result = {{"ruleId", rule_of(finding)},
                 {"ruleIndex", rule},
                 {"level", "error"},
                 {"message", {{"text", message_of(finding)}}},
                 {"occurrenceCount", std::max<std::uint64_t>(1, finding.at("count").get<std::uint64_t>())}};
  if (!here.empty()) result["locations"] = json::array({here});
  if (finding.value("other_line", 0u) == 0) return result;
  const json there = location(finding.at("other_file").get<std::string>(),
                              finding.at("other_line").get<std::uint32_t>(), kernel, root);
  json related = there;
  related["id"] = 1;
  related["message"] = {{"text", "the other access"}};
  result["relatedLocations"] = json::array({related});
  if (finding.at("check").get<std::string>() == name_of(emulator::check_kind::racecheck)) {
    result["codeFlows"] =
        json::array({{{"message", {{"text", "Two threads, and nothing that puts their accesses in order."}}},
                      {"threadFlows", json::array({one_thread("one thread", there, "one access"),
                                                   one_thread("another thread", here, "the other")})}}});
  }
  return result;
}

/// Escapes the characters that a workflow command's message must not contain.
std::string escaped(const std::string& text, bool property) {
  std::string safe;
  for (const char c : text) {
    if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
      safe += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    else
      safe += c;
  }
  return safe;
}

}  // namespace

std::string source_root() {
  const std::string checkout = host::variable("GITHUB_WORKSPACE");
  std::filesystem::path root = std::filesystem::current_path();
  if (!checkout.empty()) root = checkout;
  return root.lexically_normal().string();
}

std::string sarif_text(const json& report, const std::string& root, const std::string& version, int status) {
  json rules = json::array(), results = json::array();
  std::vector<std::string> known;
  const auto add = [&](const json& finding) -> json& {
    const std::string id = rule_of(finding);
    const auto place = std::find(known.begin(), known.end(), id);
    const auto rule = static_cast<std::size_t>(place - known.begin());
    if (place == known.end()) {
      known.push_back(id);
      rules.push_back({{"id", id},
                       {"shortDescription", {{"text", title_of(finding)}}},
                       {"defaultConfiguration", {{"level", "error"}}}});
    }
    results.push_back(result_of(finding, rule, root));
    return results.back();
  };
  for (const json& finding : report.at("findings")) add(finding);
  for (const json& finding : report.at("suppressed"))
    add(finding)["suppressions"] = json::array({{{"kind", "external"}}});
  const json run = {
      {"tool", {{"driver", {{"name", "emulate"}, {"version", version}, {"rules", rules}}}}},
      {"invocations", json::array({{{"executionSuccessful", true}, {"exitCode", status}}})},
      {"originalUriBaseIds", {{"SRCROOT", {{"uri", "file://" + in_uri(root) + "/"}}}}},
      {"results", results},
  };
  const json log = {
      {"$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs", json::array({run})},
  };
  return log.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string github_annotations(const json& report, const std::string& root) {
  std::string text;
  for (const json& finding : report.at("findings")) {
    std::string properties;
    if (const std::string file = finding.at("file").get<std::string>(); !file.empty()) {
      properties = "file=" + escaped(tell(file, root).text, true) + ",";
      if (const auto line = finding.at("line").get<std::uint32_t>(); line != 0)
        properties += fmt::format("line={},", line);
    }
    text += fmt::format("::error {}title={}::{}\n", properties, escaped(title_of(finding), true),
                        escaped(message_of(finding), false));
  }
  return text;
}

}  // namespace emulate
