// Decoding of bulk copies: `cp.async.bulk`, and what commits and awaits it.

#include "emulator/simt/decoder.hpp"
#include "emulator/simt/launch.hpp"

namespace emulator::simt {

using observers::instruction_class;
using ptx::operand;
using ptx::scalar_type;
using ptx::state_space;

/// The register with an address of a bulk copy. \param wide  set where it has 64 bits
slot decoder::bulk_address(instance& f, const operand& address, bool& wide) {
  op o;
  o.space = state_space::shared;
  set_address(f, o, address);
  if (o.imm != 0) throw unsupported("a bulk copy whose address is a register and an offset");
  wide = (o.flags & flag_address_64) != 0;
  return o.a;
}

void decoder::decode_bulk_copy(instance& f, const ptx::instruction& i) {
  const bool waits = i.has("wait_group"), commits = i.has("commit_group");
  op& o = emit(f, i, op_kind::async_copy, instruction_class::class_none);
  if (waits || commits) {
    const bool read = i.has("read");
    o.sub = static_cast<std::uint8_t>(commits ? copy_operation::bulk_commit
                                      : read  ? copy_operation::bulk_wait_read
                                              : copy_operation::bulk_wait);
    if (waits) o.imm = static_cast<std::int32_t>(operand_of(i, 0).bits);
    return;
  }
  const bool to_global = i.has("bulk_group"), from_global = !to_global && i.has("global");
  const bool counted = i.has("mbarrier::complete_tx::bytes");
  if (to_global == counted || (!to_global && !from_global && !i.has("shared::cta")))
    throw unsupported("a bulk copy of this form");
  o.sub = static_cast<std::uint8_t>(to_global     ? copy_operation::bulk_to_global
                                    : from_global ? copy_operation::bulk_from_global
                                                  : copy_operation::bulk_from_shared);
  bool wide_to = false, wide_from = false, wide_object = false;
  o.a = bulk_address(f, operand_of(i, 0), wide_to);
  o.b = bulk_address(f, operand_of(i, 1), wide_from);
  o.c = source(f, operand_of(i, 2), scalar_type::u32);
  if (counted) {
    o.imm = static_cast<std::int32_t>(bulk_address(f, operand_of(i, 3), wide_object));
    o.roles |= role_imm;
  }
  o.register_bytes = static_cast<std::uint8_t>((wide_to ? bulk_wide_to : 0) | (wide_from ? bulk_wide_from : 0) |
                                               (wide_object ? bulk_wide_object : 0));
}

}  // namespace emulator::simt
