#pragma once
/// \file
/// Records of what a function does with a lane's value. A kernel writes them, and the host reads them.

namespace chapter14 {

/// The largest number of notes that the model accepts for a program.
inline constexpr unsigned max_notes = 48;

enum class what_was_done : unsigned {
  sum,  ///< The sum of the values `first` and `other`.
  down  ///< Value `first` of the lane that is `other` lanes further on.
};

/// Values have numbers: 0 is the input, and value k + 1 is the result of note k.
struct notes {
  struct note {
    what_was_done what;
    unsigned first, other;
  };
  unsigned count;   ///< Number of notes. If it is above `max_notes`, only the first are stored below.
  unsigned result;  ///< The number of the value that was returned.
  note done[max_notes];
};

}  // namespace chapter14
