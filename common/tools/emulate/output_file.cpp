#include "tools/emulate/output_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace emulate {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw std::runtime_error("cannot write " + path + ": " + reason);
}

}  // namespace

output_file::output_file(std::string wanted_path) : wanted_path_(std::move(wanted_path)) {
  if (std::filesystem::is_directory(wanted_path_)) fail(wanted_path_, "it is a folder");
  if (std::filesystem::exists(wanted_path_) && access(wanted_path_.c_str(), W_OK) != 0) {
    fail(wanted_path_, std::strerror(errno));
  }
  temporary_path_ = wanted_path_ + ".XXXXXX";
  const int file = mkstemp(temporary_path_.data());
  if (file < 0) fail(wanted_path_, std::strerror(errno));
  // As readable as any new file, not only for its owner.
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(file, 0666 & ~mask);
  close(file);
}

output_file::~output_file() {
  if (!finished_) std::remove(temporary_path_.c_str());
}

void output_file::finish() {
  if (std::rename(temporary_path_.c_str(), wanted_path_.c_str()) != 0) fail(wanted_path_, std::strerror(errno));
  finished_ = true;
}

}  // namespace emulate
