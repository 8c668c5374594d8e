#include "emulator/observers/shared_rows.hpp"

namespace emulator::observers {

bool tell_shared_row(const shared_watch& watch, const words_in_row& row) {
  const std::uint32_t slot = watch.slots[row.pc];
  access_activity& here = watch.accesses[slot];
  const std::uint64_t last_byte = row.begin + 4 * std::uint64_t{row.span} - 1;
  const std::uint64_t first = row.begin / 64, last = last_byte / 64;
  const std::uint64_t from = ~std::uint64_t{0} << row.begin % 64;
  const std::uint64_t to = ~std::uint64_t{0} >> (63 - last_byte % 64);
  if (watch.written != nullptr && !(row.gapless && !row.loads)) {
    std::uint64_t missing = first == last ? ~watch.written[first] & from & to
                                          : (~watch.written[first] & from) | (~watch.written[last] & to);
    if (first + 1 < last) missing |= ~watch.written[first + 1];
    if (missing != 0) return false;
  }
  if (watch.rows != nullptr) {
    const std::uint32_t floor = *watch.block_floor;
    if (*watch.words_in_flight != 0 || *watch.any_split || watch.same_stamps[row.warp] == 0 ||
        *watch.newest_atomic >= floor)
      return false;
    const std::uint32_t stamp = watch.stamps[row.warp * 32 + row.first];
    const auto cell = static_cast<std::uint32_t>(row.begin / 4) - row.first + shared_watch::padding;
    const row_note note{std::uint64_t{row.warp} << 32 | cell, std::uint64_t{row.pc} << 32 | stamp, 0};
    if (!note_row(*watch.rows, {note, row.mask, floor, watch.warp_floors[row.warp], row.loads})) return false;
    note_visit(here, watch.visits[std::size_t{slot} * 32 + row.warp % 32], row.warp, row.mask, stamp, floor);
  }
  if (watch.written != nullptr && !row.loads) {
    if (first == last) {
      watch.written[first] |= from & to;
    } else {
      watch.written[first] |= from;
      if (first + 1 < last) watch.written[first + 1] = ~std::uint64_t{0};
      watch.written[last] |= to;
    }
  }
  here.shared_accesses += watch.counts;
  return true;
}

}  // namespace emulator::observers
