#include "host/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <nlohmann/json.hpp>

#include "host/program.hpp"

namespace host {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw usage_error(path + ": this file cannot be written (" + reason +
                    "). Give a path in a folder that exists and is yours.");
}

[[noreturn]] void fail(const std::string& path) {
  throw std::runtime_error(path + ": the disk took only a part of it (" + std::strerror(errno) + ")");
}

/// Returns why overwriting this file must be a mistake, or an empty string.
std::string precious(const std::filesystem::path& file, contents what) {
  constexpr std::array<std::string_view, 14> of_sources = {".cu", ".cuh", ".c",  ".cc", ".cpp", ".cxx", ".h",
                                                           ".hh", ".hpp", ".py", ".sh", ".js",  ".md",  ".inc"};
  const std::string extension = file.extension().string();
  if (what == contents::data && std::find(of_sources.begin(), of_sources.end(), extension) != of_sources.end())
    return "it is there already, and by its name it is source text";
  std::array<char, 4> begin{};
  std::ifstream(file, std::ios::binary).read(begin.data(), begin.size());
  if (std::string_view(begin.data(), begin.size()) == "\177ELF") return "it already exists, and it is a program";
  return {};
}

}  // namespace

output_file::output_file(std::string path, contents what) : path_(std::move(path)) {
  if (path_.empty() || is_standard_output()) return;
  if (std::filesystem::is_directory(path_)) refuse(path_, "it is a folder");
  place_ = path_;
  if (std::filesystem::exists(path_)) {
    if (access(path_.c_str(), W_OK) != 0) refuse(path_, std::strerror(errno));
    // Links are preserved. Devices and pipes must never be replaced by a regular file.
    place_ = std::filesystem::canonical(path_);
    if (!std::filesystem::is_regular_file(place_)) return;
    if (const std::string why_not = precious(place_, what); !why_not.empty()) refuse(path_, why_not);
  }
  temporary_path_ = place_ + ".XXXXXX";
  const int file = mkstemp(temporary_path_.data());
  if (file < 0) {
    temporary_path_.clear();
    refuse(path_, std::strerror(errno));
  }
  // Gives the file the permissions of any new file; mkstemp makes it readable only for its owner.
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(file, 0666 & ~mask);
  close(file);
}

output_file::~output_file() {
  if (claimed_ >= 0) {
    std::fflush(stdout);
    dup2(claimed_, STDOUT_FILENO);
    close(claimed_);
  }
  if (!temporary_path_.empty()) std::remove(temporary_path_.c_str());
}

void output_file::claim() {
  if (!is_standard_output() || claimed_ >= 0) return;
  std::fflush(stdout);
  claimed_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (claimed_ >= 0) dup2(STDERR_FILENO, STDOUT_FILENO);
}

void output_file::write(std::string_view bytes) {
  if (path_.empty()) return;
  if (claimed_ >= 0) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(claimed_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) fail("standard output");
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return;
  }
  if (is_standard_output()) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size() || std::fflush(stdout) != 0)
      fail("standard output");
    return;
  }
  std::ofstream file(temporary_path_.empty() ? place_ : temporary_path_, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file || (!temporary_path_.empty() && std::rename(temporary_path_.c_str(), place_.c_str()) != 0)) fail(path_);
  temporary_path_.clear();
}

void json_file::write(const nlohmann::json& value, int indent) {
  // Text can contain any bytes, such as a kernel's output. Invalid UTF-8 must not prevent the report.
  constexpr auto replaced = nlohmann::json::error_handler_t::replace;
  if (wanted()) output_file::write(value.dump(indent, ' ', false, replaced) + "\n");
}

}  // namespace host
