#pragma once
/// \file
/// A kernel's notes about a function that works on a lane's value, for host and device.

namespace chapter14 {

/// The model takes no program with more notes.
inline constexpr unsigned max_notes = 48;

enum class what_was_done : unsigned {
  sum,  ///< The sum of the values `first` and `other`.
  down  ///< Value `first` of the lane that is `other` lanes further on.
};

/// Values are numbered: 0 is the input, and note k made value k + 1.
struct notes {
  struct note {
    what_was_done what;
    unsigned first, other;
  };
  unsigned count;   ///< Number of notes; if there are more than `max_notes`, only the first are stored below.
  unsigned result;  ///< The number of the value that was returned.
  note done[max_notes];
};

}  // namespace chapter14
