#include "emulator/observers/shared_rows.hpp"

namespace emulator::observers {

template <bool Loads>
bool tell_shared_row(const shared_watch& watch, const words_in_row& row) {
  const std::uint32_t slot = watch.slots[row.pc];
  access_activity& here = watch.accesses[slot];
  const std::uint64_t end = row.begin + 4 * std::uint64_t{row.span};
  const bool fills = !Loads && row.gapless;
  if (watch.written != nullptr && !fills && !all_written(*watch.written, row.begin, end)) return false;
  if (watch.rows != nullptr) {
    const std::uint32_t floor = *watch.block_floor;
    if (*watch.words_in_flight != 0 || *watch.any_split || watch.same_stamps[row.warp] == 0 ||
        *watch.newest_atomic >= floor)
      return false;
    const std::uint32_t stamp = watch.stamps[row.warp * 32 + row.first];
    const auto cell = static_cast<std::uint32_t>(row.begin / 4) - row.first + shared_watch::padding;
    const row_to_note n{note_at(row.warp, cell, row.pc, stamp), row.mask, floor, watch.warp_floors[row.warp], Loads};
    if (!note_row(*watch.rows, n) && !(Loads && defer_row(*watch.rows, n))) return false;
    note_visit(here, watch.visits[std::size_t{slot} * 32 + row.warp % 32], row.warp, row.mask, stamp, floor);
  }
  if (watch.written != nullptr && fills) note_written(*watch.written, row.begin, end);
  here.shared_accesses += watch.counts;
  return true;
}

template bool tell_shared_row<false>(const shared_watch&, const words_in_row&);
template bool tell_shared_row<true>(const shared_watch&, const words_in_row&);

}  // namespace emulator::observers
