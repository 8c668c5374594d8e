#include "emulator/ptx/locations.hpp"

namespace emulator::ptx {
namespace {

/// The maximum length of a chain. No real program inlines more deeply, and malformed text must not make chains grow
/// without limit.
constexpr std::uint32_t longest_chain = 256;

}  // namespace

std::size_t location_table::place_hash::operator()(const place& p) const {
  std::uint64_t hash = (std::uint64_t{p.file} << 32 | p.line) * 0x9e3779b97f4a7c15;
  hash ^= (std::uint64_t{p.column} << 32 | static_cast<std::uint32_t>(p.inlined_at)) + (hash >> 29);
  return static_cast<std::size_t>(hash * 0xbf58476d1ce4e5b9);
}

location_table::place location_table::parse_place(cursor& text) {
  return {.file = text.small_integer("the file number of .loc"),
          .line = text.small_integer("the line number of .loc"),
          .column = text.small_integer("the column of .loc"),
          .inlined_at = -1};
}

std::int32_t location_table::add(const place& p) {
  const auto [at, fresh] = known_.try_emplace(p, static_cast<std::int32_t>(locations_.size()));
  if (fresh) {
    locations_.push_back({p.file, p.line, p.column, p.inlined_at});
    depths_.push_back(p.inlined_at < 0 ? 1 : depths_[static_cast<std::size_t>(p.inlined_at)] + 1);
  }
  return at->second;
}

std::int32_t location_table::call_site(const place& p) {
  const auto found = latest_.find(p);
  const std::int32_t site = found != latest_.end() ? found->second : add(p);
  return depths_[static_cast<std::size_t>(site)] < longest_chain ? site : -1;
}

std::int32_t location_table::parse(cursor& text) {
  place here = parse_place(text);
  const place key = here;
  while (text.take(',')) {
    if (text.take_word("function_name")) {
      (void)text.identifier();
      if (text.take('+')) (void)text.unsigned_integer();
    } else if (text.take_word("inlined_at")) {
      here.inlined_at = call_site(parse_place(text));
    } else {
      text.fail("expected function_name or inlined_at after ',' of .loc");
    }
  }
  const std::int32_t index = add(here);
  latest_[key] = index;
  return index;
}

}  // namespace emulator::ptx
