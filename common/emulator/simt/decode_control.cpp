// Decoding of branches, and of instructions that end a function or a thread.

#include "emulator/simt/decoder.hpp"
#include "emulator/simt/launch.hpp"

namespace emulator::simt {

using observers::instruction_class;
using ptx::scalar_type;

bool decoder::decode_control(instance& f, const ptx::instruction& i) {
  const std::string& n = i.opcode;
  if (n == "bra") {
    op& o = emit(f, i, op_kind::branch, instruction_class::class_branch);
    o.target = 0;
    f.jumps.emplace_back(next_pc() - 1, operand_of(i, 0).index);
    return true;
  }
  if (n == "brx") {
    op& o = emit(f, i, op_kind::branch_table, instruction_class::class_branch);
    o.a = source(f, operand_of(i, 0), scalar_type::u32);
    o.target = static_cast<std::uint32_t>(program_.tables.size());
    std::vector<std::uint32_t> labels = f.body->branch_tables.at(operand_of(i, 1).index);
    program_.tables.push_back(std::move(labels));  // labels for now; pcs after the function is decoded
    pending_tables_.emplace_back(program_.tables.size() - 1, f.body);
    return true;
  }
  if (n == "ret" && f.body != &entry_) {
    emit(f, i, op_kind::branch, instruction_class::class_branch);
    f.returns.push_back(next_pc() - 1);
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

}  // namespace emulator::simt
