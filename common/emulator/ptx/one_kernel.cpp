// Extracts one kernel from a module's text, without parsing the instructions.

#include <algorithm>

#include "emulator/ptx/module.hpp"

namespace emulator::ptx {
namespace {

/// Returns the position after the first body that begins at or after `from`; the end of the text if there is none.
std::size_t end_of_body(std::string_view text, std::size_t from) {
  int depth = 0;
  for (std::size_t at = from; at < text.size(); ++at) {
    if (text.compare(at, 2, "//") == 0) at = std::min(text.find('\n', at), text.size() - 1);
    if (text[at] == '{') ++depth;
    if (text[at] == '}' && --depth == 0) return at + 1;
    // A declaration without a body.
    if (text[at] == ';' && depth == 0) return at + 1;
  }
  return text.size();
}

}  // namespace

std::string only_kernel(std::string_view module, std::string_view mangled) {
  std::string kept;
  bool found = false;
  std::size_t copied = 0;
  for (std::size_t at = module.find(".entry"); at != std::string_view::npos; at = module.find(".entry", at + 6)) {
    // ".visible" or ".weak" precedes it on the same line.
    const std::size_t line_feed = module.rfind('\n', at);
    const std::size_t begin = line_feed == std::string_view::npos ? 0 : line_feed + 1;
    const std::size_t end = end_of_body(module, at);
    const std::size_t name = module.find_first_not_of(" \t\n", at + 6);
    const std::string_view called = module.substr(name, module.find_first_of(" \t\n(", name) - name);
    kept += module.substr(copied, begin - copied);
    if (called == mangled) {
      kept += module.substr(begin, end - begin);
      found = true;
    }
    copied = end;
    at = end - 6;
  }
  kept += module.substr(copied);
  if (!found) throw parse_error(1, "the module has no kernel " + std::string(mangled));
  return kept;
}

}  // namespace emulator::ptx
