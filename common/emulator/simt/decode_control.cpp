// Decoding of branches, barriers, and where an instruction stands in the CUDA source.

#include <algorithm>
#include <string_view>

#include "emulator/simt/decoder.hpp"
#include "emulator/simt/launch.hpp"

namespace emulator::simt {

using observers::instruction_class;
using ptx::operand;
using ptx::scalar_type;

namespace {

/// Says whether a file belongs to the toolkit: a line there means nothing to the reader of a kernel.
bool in_toolkit(std::string_view path) {
  static constexpr std::string_view marks[] = {"/cuda/include/",
                                               "/targets/x86_64-linux/include/",
                                               "/include/cccl/",
                                               "/include/crt/",
                                               "/include/cooperative_groups",
                                               "/include/cub/",
                                               "/include/thrust/",
                                               "/include/cuda/",
                                               "/sm_30_intrinsics",
                                               "/sm_20_atomic",
                                               "/nv/target"};
  return std::any_of(std::begin(marks), std::end(marks),
                     [path](std::string_view m) { return path.find(m) != std::string_view::npos; });
}

}  // namespace

std::string decoder::home() const {
  for (const ptx::source_location& place : entry_.locations) {
    if (place.inlined_at >= 0 || place.line == 0) continue;
    const auto found = module_.text->files.find(place.file);
    if (found != module_.text->files.end()) return found->second;
  }
  return {};
}

std::pair<std::int32_t, std::uint32_t> decoder::locate(const instance& f, const ptx::instruction& i) {
  if (f.body == nullptr || i.location < 0) return last_location_;
  const auto& places = f.body->locations;
  const auto& files = module_.text->files;
  const auto path_of = [&](std::uint32_t number) -> const std::string* {
    const auto found = files.find(number);
    return found == files.end() ? nullptr : &found->second;
  };
  std::int32_t chosen = -1;
  for (std::int32_t at = i.location; at >= 0; at = places.at(static_cast<std::size_t>(at)).inlined_at) {
    const ptx::source_location& l = places[static_cast<std::size_t>(at)];
    if (l.line == 0) continue;
    if (chosen < 0) chosen = at;
    const std::string* path = path_of(l.file);
    if (path != nullptr && !in_toolkit(*path)) {
      chosen = at;
      break;
    }
  }
  // Line 0 is the compiler's word for "nowhere in particular": such an instruction counts with what stands before it.
  if (chosen < 0) return last_location_;
  const ptx::source_location& l = places[static_cast<std::size_t>(chosen)];
  const std::string* path = path_of(l.file);
  if (path == nullptr) return last_location_;
  const auto [found, added] = file_numbers_.try_emplace(*path, static_cast<std::int32_t>(program_.facts.files.size()));
  if (added) program_.facts.files.push_back(*path);
  last_location_ = {found->second, l.line};
  return last_location_;
}

bool decoder::decode_control(instance& f, const ptx::instruction& i) {
  const std::string& n = i.opcode;
  if (n == "bra") {
    op& o = emit(f, i, op_kind::branch, instruction_class::class_branch);
    o.target = 0;
    f.jumps.emplace_back(static_cast<std::uint32_t>(program_.code.size() - 1), operand_of(i, 0).index);
    return true;
  }
  if (n == "brx") {
    op& o = emit(f, i, op_kind::branch_table, instruction_class::class_branch);
    o.a = source(f, operand_of(i, 0), scalar_type::u32);
    o.target = static_cast<std::uint32_t>(program_.tables.size());
    std::vector<std::uint32_t> labels = f.body->branch_tables.at(operand_of(i, 1).index);
    program_.tables.push_back(std::move(labels));  // labels now, pcs once the function is decoded
    pending_tables_.emplace_back(program_.tables.size() - 1, f.body);
    return true;
  }
  if (n == "ret" && f.body != &entry_) {
    emit(f, i, op_kind::branch, instruction_class::class_branch);
    f.returns.push_back(static_cast<std::uint32_t>(program_.code.size() - 1));
    return true;
  }
  if (n == "ret" || n == "exit") {
    emit(f, i, op_kind::exit, instruction_class::class_exit);
    return true;
  }
  if (n == "trap" || n == "brkpt") {
    emit(f, i, op_kind::trap, 0);
    return true;
  }
  if (n == "call") {
    decode_call(f, i);
    return true;
  }
  return false;
}

bool decoder::decode_barrier(instance& f, const ptx::instruction& i) {
  const std::string& n = i.opcode;
  if (n != "bar" && n != "barrier") return false;
  if (n == "bar" && i.has("warp")) {
    op& o = emit(f, i, op_kind::warp_barrier, instruction_class::class_warp_barrier);
    o.a = source(f, operand_of(i, 0), scalar_type::u32);
    return true;
  }
  if (i.has("cluster")) throw unsupported("barriers of a cluster");
  op& o = emit(f, i, op_kind::barrier, instruction_class::class_barrier);
  if (n == "bar" || i.has("aligned")) o.flags |= flag_aligned;
  std::size_t next = 0;
  barrier_operation operation = barrier_operation::sync;
  if (i.has("arrive")) operation = barrier_operation::arrive;
  if (i.has("red")) {
    operation = i.has("popc")  ? barrier_operation::reduce_popc
                : i.has("and") ? barrier_operation::reduce_and
                               : barrier_operation::reduce_or;
    o.dst = destination(f, operand_of(i, next++), i.has("popc") ? scalar_type::u32 : scalar_type::pred);
    if (o.dst == no_slot) throw unsupported("a result that is thrown away");
  }
  o.sub = static_cast<std::uint8_t>(operation);
  o.a = source(f, operand_of(i, next++), scalar_type::u32);
  const std::size_t last = i.has("red") ? i.operands.size() - 1 : i.operands.size();
  if (next < last) o.b = source(f, operand_of(i, next), scalar_type::u32);
  if (i.has("red")) {
    o.c = source(f, last_operand(i), scalar_type::pred);
    o.imm = last_operand(i).negated ? 1 : 0;
  }
  return true;
}

}  // namespace emulator::simt
