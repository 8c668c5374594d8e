#include "emulator/ptx/declarations.hpp"

namespace emulator::ptx {
namespace {

/// No device has more memory than this, so the text is damaged if a size is larger.
constexpr std::uint64_t largest_variable = std::uint64_t{1} << 44;

std::optional<state_space> parse_space(std::string_view word) {
  if (word == "global" || word == "tex") return state_space::global;
  if (word == "shared" || word == "shared::cta") return state_space::shared;
  if (word == "local") return state_space::local;
  if (word == "const") return state_space::constant;
  if (word == "param" || word == "param::entry" || word == "param::func") return state_space::param;
  if (word == "reg") return state_space::reg;
  return std::nullopt;
}

void parse_alignment(cursor& text, declaration_head& head) {
  const std::uint32_t alignment = text.small_integer("an alignment");
  if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment > (1u << 20)) {
    text.fail("alignment " + std::to_string(alignment) + " is not a power of two up to 2^20");
  }
  head.alignment = alignment;
}

/// Parses `(.managed)`, `(.unified(1, 2))`.
void parse_attributes(cursor& text, declaration_head& head) {
  text.expect('(', "after .attribute");
  for (int depth = 1; depth > 0;) {
    if (text.take('(')) {
      ++depth;
    } else if (text.take(')')) {
      --depth;
    } else if (text.take('.')) {
      head.is_managed |= text.modifier() == "managed";
    } else if (text.at_number()) {
      (void)text.number();
    } else {
      text.expect(',', "in the list of .attribute");
    }
  }
}

/// Skips the text after `.ptr`: the state space and the alignment of the memory that the parameter points to.
void skip_pointee(cursor& text) {
  for (;;) {
    cursor ahead = text;
    if (!ahead.take('.')) return;
    const std::string_view word = ahead.modifier();
    if (word == "align") {
      (void)ahead.unsigned_integer();
    } else if (word != "global" && word != "const" && word != "local" && word != "shared") {
      return;
    }
    text = ahead;
  }
}

}  // namespace

bool apply_directive(cursor& text, std::string_view word, declaration_head& head) {
  if (const auto space = parse_space(word)) {
    head.space = *space;
  } else if (const scalar_type type = parse_scalar_type(word); type != scalar_type::none) {
    head.type = type;
  } else if (word == "align") {
    parse_alignment(text, head);
  } else if (word == "v2" || word == "v4" || word == "v8") {
    head.vector_width = static_cast<unsigned>(word[1] - '0');
  } else if (word == "ptr") {
    skip_pointee(text);
  } else if (word == "texref" || word == "samplerref" || word == "surfref") {
    head.type = scalar_type::b64;
  } else if (word == "attribute") {
    parse_attributes(text, head);
  } else if (word == "extern") {
    head.is_extern = true;
  } else if (word != "visible" && word != "weak" && word != "common") {
    return false;
  }
  return true;
}

void parse_head(cursor& text, declaration_head& head) {
  while (text.take('.')) {
    const std::string_view word = text.modifier();
    if (!apply_directive(text, word, head))
      text.fail("unknown directive '." + std::string(word) + "' in a declaration");
  }
}

std::uint64_t checked_size(const cursor& text, const variable& target) {
  std::uint64_t size = 0;
  if (__builtin_mul_overflow(target.element_count, std::uint64_t{size_bytes(target.type)}, &size) ||
      size > largest_variable) {
    text.fail("variable '" + target.name + "' is larger than any memory");
  }
  return size;
}

variable parse_variable(cursor& text, const declaration_head& head) {
  variable result;
  result.name = text.identifier();
  if (head.type == scalar_type::none) text.fail("variable '" + result.name + "' has no type");
  result.space = head.space;
  result.type = head.type;
  result.is_extern = head.is_extern;
  result.is_managed = head.is_managed;
  result.alignment = head.alignment ? head.alignment : size_bytes(head.type) * head.vector_width;

  std::vector<std::uint64_t> dimensions;
  while (text.take('[')) {
    const bool open = text.peek() == ']';
    if (open && !dimensions.empty()) text.fail("only the first dimension of '" + result.name + "' may be left open");
    dimensions.push_back(open ? 0 : text.unsigned_integer());
    text.expect(']', "after a dimension");
    if (dimensions.size() > 8) text.fail("variable '" + result.name + "' has more than 8 dimensions");
  }
  result.is_array = !dimensions.empty();
  if (head.vector_width > 1) dimensions.push_back(head.vector_width);
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const std::uint64_t extent = i == 0 && dimensions[i] == 0 ? 1 : dimensions[i];
    if (extent == 0) text.fail("dimension " + std::to_string(i + 1) + " of '" + result.name + "' is 0");
    if (__builtin_mul_overflow(result.element_count, extent, &result.element_count)) {
      text.fail("variable '" + result.name + "' is larger than any memory");
    }
  }
  (void)checked_size(text, result);
  if (result.is_array && dimensions[0] == 0) result.element_count = 0;
  if (text.take('=')) parse_initializer(text, result, std::move(dimensions));
  return result;
}

std::vector<variable> parse_parameters(cursor& text) {
  std::vector<variable> result;
  while (!text.take(')')) {
    if (!result.empty()) text.expect(',', "between parameters");
    declaration_head head;
    parse_head(text, head);
    if (head.space == state_space::generic) text.fail("a parameter is neither .param nor .reg");
    if (!text.at_identifier()) text.fail("a parameter without a name");
    result.push_back(parse_variable(text, head));
  }
  return result;
}

}  // namespace emulator::ptx
