// Decoding of barriers: of a block, of a warp, and barrier objects in shared memory.

#include "emulator/simt/decoder.hpp"
#include "emulator/simt/launch.hpp"

namespace emulator::simt {

using observers::instruction_class;
using ptx::scalar_type;

bool decoder::decode_barrier(instance& f, const ptx::instruction& i) {
  const std::string& n = i.opcode;
  if (n != "bar" && n != "barrier") return false;
  if (n == "bar" && i.has("warp")) {
    op& o = emit(f, i, op_kind::warp_barrier, instruction_class::class_warp_barrier);
    o.a = source(f, operand_of(i, 0), scalar_type::u32);
    return true;
  }
  if (i.has("cluster")) return decode_cluster_barrier(f, i), true;
  op& o = emit(f, i, op_kind::barrier,
               instruction_class::class_barrier | (i.has("arrive") ? instruction_class::class_announcement : 0u));
  if (n == "bar" || i.has("aligned")) o.flags |= flag_aligned;
  std::size_t next = 0;
  barrier_operation operation = barrier_operation::sync;
  if (i.has("arrive")) operation = barrier_operation::arrive;
  if (i.has("red")) {
    operation = i.has("popc")  ? barrier_operation::reduce_popc
                : i.has("and") ? barrier_operation::reduce_and
                               : barrier_operation::reduce_or;
    o.dst = destination(f, operand_of(i, next++), i.has("popc") ? scalar_type::u32 : scalar_type::pred);
    if (o.dst == no_slot) throw unsupported("a result that is discarded");
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

/// The default ordering of an arrival is release, that of a wait is acquire.
void decoder::decode_cluster_barrier(instance& f, const ptx::instruction& i) {
  const bool waits = i.has("wait");
  if (waits == i.has("arrive")) throw unsupported("this operation on a cluster's barrier");
  program_.knows_clusters = true;
  op& o = emit(f, i, op_kind::cluster_barrier, instruction_class::class_cluster_barrier);
  o.sub = waits ? 1 : 0;
  if (i.has("aligned")) o.flags |= flag_aligned;
  if (waits || !i.has("relaxed"))
    last_facts().ordering |= waits ? observers::ordering_acquire : observers::ordering_release;
}

void decoder::decode_barrier_object(instance& f, const ptx::instruction& i) {
  static constexpr named<object_operation> names[] = {{"init", object_operation::init},
                                                      {"inval", object_operation::invalidate},
                                                      {"complete_tx", object_operation::complete_tx},
                                                      {"arrive", object_operation::arrive},
                                                      {"arrive_drop", object_operation::arrive_drop},
                                                      {"test_wait", object_operation::wait_state},
                                                      {"try_wait", object_operation::wait_state},
                                                      {"expect_tx", object_operation::expect_tx}};
  const object_operation* found = find_modifier(names, i);
  if (found == nullptr) throw unsupported("this operation on a barrier object");
  const bool expects = i.has("expect_tx");
  if (expects && *found == object_operation::arrive_drop) throw unsupported("an arrival that drops out with bytes");
  const bool waits = *found == object_operation::wait_state;
  const bool arrives = *found == object_operation::arrive || *found == object_operation::arrive_drop;
  op& o = emit(f, i, op_kind::barrier_object,
               space_class(space_of(i)) | instruction_class::class_reduction | instruction_class::class_barrier_object);
  o.space = space_of(i);
  o.sub = static_cast<std::uint8_t>(waits && i.has("parity") ? object_operation::wait_parity
                                    : expects && arrives     ? object_operation::arrive_expect
                                                             : *found);
  o.element_bytes = 8;
  o.register_bytes = waits && !i.has("parity") ? 8 : 4;
  const bool counts = *found == object_operation::expect_tx || *found == object_operation::complete_tx;
  if (arrives || waits || counts) o.flags |= flag_strong;
  std::size_t next = 0;
  if (arrives || waits) o.dst = destination(f, operand_of(i, next++), waits ? scalar_type::pred : scalar_type::b64);
  if (waits && o.dst == no_slot) throw unsupported("a wait whose result is discarded");
  set_address(f, o, operand_of(i, next++));
  if (next < i.operands.size())
    o.b = source(f, i.operands[next], o.register_bytes == 8 ? scalar_type::u64 : scalar_type::u32);
  else
    o.b = constant(o.register_bytes, 1);
  // The default ordering of an arrival is release, that of a wait is acquire.
  if (!i.has("relaxed") && arrives) last_facts().ordering |= observers::ordering_release;
  if (!i.has("relaxed") && waits) last_facts().ordering |= observers::ordering_acquire;
}

}  // namespace emulator::simt
