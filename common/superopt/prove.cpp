#include "superopt/prove.hpp"

namespace superopt {

std::string to_text(const proof& p) {
  switch (p.is) {
    case verdict::proved:
      return "proved";
    case verdict::refuted:
      return "refuted";
    default:
      return "not proved: " + p.reason;
  }
}

}  // namespace superopt
