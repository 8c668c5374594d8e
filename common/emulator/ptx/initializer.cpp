#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/ptx/declarations.hpp"

namespace emulator::ptx {
namespace {

/// An initialiser with gaps may need far more bytes than its text has. If it needs more than this, the text is taken to
/// be damaged.
constexpr std::uint64_t largest_initial_value = std::uint64_t{1} << 28;

/// Parses the values of one variable and stores their bytes at their offsets.
class initializer_reader {
 public:
  initializer_reader(cursor& text, variable& target, std::vector<std::uint64_t> dimensions)
      : text_(text), target_(target), dimensions_(std::move(dimensions)), element_bytes_(size_bytes(target.type)) {}

  void read() {
    if (text_.peek() == '"') {
      read_string();
    } else if (text_.take('{')) {
      if (dimensions_.empty()) dimensions_.push_back(1);
      read_list(0, 0);
    } else {
      read_value(0);
    }
    close_open_dimension();
  }

 private:
  /// Returns the number of elements per index of dimension `level`.
  [[nodiscard]] std::uint64_t stride(std::size_t level) const {
    std::uint64_t result = 1;
    for (std::size_t i = level + 1; i < dimensions_.size(); ++i) result *= dimensions_[i];
    return result;
  }

  /// Parses `{…}` for dimension `level`; the opening brace has been read. Its first element has the number `first` in
  /// the whole array. A list may also contain the elements of the inner dimensions without their braces.
  void read_list(std::size_t level, std::uint64_t first) {
    const std::uint64_t step = stride(level);
    const bool open = level == 0 && dimensions_[0] == 0;
    const std::uint64_t end = open ? UINT64_MAX : first + dimensions_[level] * step;
    std::uint64_t at = first;
    while (!text_.take('}')) {
      if (at != first) text_.expect(',', "between initial values");
      if (text_.peek() == '}') text_.fail("an initial value is missing after ','");
      if (at >= end) text_.fail("too many initial values for '" + target_.name + "'");
      if (text_.take('{')) {
        if (level + 1 >= dimensions_.size())
          text_.fail("too many braces in the initial value of '" + target_.name + "'");
        at = first + (at - first + step - 1) / step * step;
        if (at >= end) text_.fail("too many initial values for '" + target_.name + "'");
        read_list(level + 1, at);
        at += step;
      } else {
        read_value(at++);
      }
      used_ = std::max(used_, at);
    }
  }

  void read_string() {
    const std::string bytes = text_.quoted();
    if (element_bytes_ != 1) text_.fail("a string initialises '" + target_.name + "', which does not hold bytes");
    for (std::size_t i = 0; i < bytes.size(); ++i) store(i, static_cast<unsigned char>(bytes[i]), 1);
    used_ = bytes.size();
  }

  void read_value(std::uint64_t element) {
    const std::uint64_t byte = element * element_bytes_;
    if (!text_.at_number()) return read_address(byte, false, 0);
    const literal value = text_.number();
    if (value.what == operand::kind::integer && text_.peek() == '(') return read_address(byte, true, value.bits);
    store(byte, convert(value), element_bytes_);
  }

  /// Parses `name`, `name+4`, `generic(name)-4`, and `(name)` after a mask such as 0xFF00.
  void read_address(std::uint64_t byte, bool masked, std::uint64_t mask) {
    variable::relocation place;
    place.byte_offset = byte;
    place.size_bytes = static_cast<std::uint8_t>(element_bytes_);
    if (masked) {
      text_.expect('(', "after a mask");
      while (mask > 0xff && (mask & 0xff) == 0 && place.shift_bits < 56) mask >>= 8, place.shift_bits += 8;
      if (mask != 0xff || element_bytes_ != 1)
        text_.fail("a mask that is not one byte, in the initial value of '" + target_.name + "'");
    }
    place.symbol = text_.identifier();
    if (place.symbol == "generic" && text_.take('(')) {
      place.generic = true;
      place.symbol = text_.identifier();
      add_offset(place);
      text_.expect(')', "after generic(…");
    }
    add_offset(place);
    if (masked) text_.expect(')', "after a masked address");
    if (element_bytes_ < 4 && !masked) text_.fail("an address does not fit the elements of '" + target_.name + "'");
    store(byte, 0, element_bytes_);
    target_.relocations.push_back(std::move(place));
  }

  void add_offset(variable::relocation& place) {
    if (text_.take('+')) {
      place.addend += static_cast<std::int64_t>(text_.number().bits);
    } else if (text_.peek() == '-') {
      place.addend += static_cast<std::int64_t>(text_.number().bits);
    }
  }

  /// Returns the bits of `value` in the variable's own type.
  [[nodiscard]] std::uint64_t convert(const literal& value) const {
    const bool single = target_.type == scalar_type::f32, twice = target_.type == scalar_type::f64;
    if (value.what == operand::kind::float64 && (single || element_bytes_ == 4)) {
      return bits_of(static_cast<float>(std::bit_cast<double>(value.bits)));
    }
    if (value.what == operand::kind::float32 && (twice || element_bytes_ == 8)) {
      return bits_of(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value.bits))));
    }
    if (value.what == operand::kind::integer && single) {
      return bits_of(static_cast<float>(static_cast<std::int64_t>(value.bits)));
    }
    if (value.what == operand::kind::integer && twice) {
      return bits_of(static_cast<double>(static_cast<std::int64_t>(value.bits)));
    }
    if (value.what != operand::kind::integer && element_bytes_ < 4) {
      text_.fail("a floating-point value initialises '" + target_.name + "', whose elements are smaller");
    }
    return value.bits;
  }

  static std::uint64_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }
  static std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

  void store(std::uint64_t byte, std::uint64_t bits, unsigned count) {
    auto& bytes = target_.initial;
    if (byte > largest_initial_value) text_.fail("the initial value of '" + target_.name + "' is beyond 256 MiB");
    if (bytes.size() < byte + count) bytes.resize(byte + count);
    std::memcpy(&bytes[byte], &bits, std::min<std::size_t>(count, sizeof bits));
  }

  /// Sets the size of `x[] = {1, 2, 3}`.
  void close_open_dimension() {
    if (dimensions_.empty() || dimensions_[0] != 0) {
      const std::uint64_t size = target_.size_bytes();
      if (target_.initial.size() > size) text_.fail("too many initial values for '" + target_.name + "'");
      return;
    }
    const std::uint64_t step = stride(0);
    target_.element_count = step == 0 ? 0 : (used_ + step - 1) / step * step;
    (void)checked_size(text_, target_);
  }

  cursor& text_;
  variable& target_;
  std::vector<std::uint64_t> dimensions_;
  unsigned element_bytes_;
  std::uint64_t used_ = 0;  ///< The number of elements with a value, including gaps.
};

}  // namespace

void parse_initializer(cursor& text, variable& target, std::vector<std::uint64_t> dimensions) {
  initializer_reader(text, target, std::move(dimensions)).read();
}

}  // namespace emulator::ptx
