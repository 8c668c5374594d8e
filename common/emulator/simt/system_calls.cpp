// System calls by device code: printf, assert, malloc, free, conditions of graphs, and launches.

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "emulator/memory/devices.hpp"
#include "emulator/memory/global_memory.hpp"
#include "emulator/simt/interpreter.hpp"
#include "emulator/simt/lanes.hpp"
#include "emulator/simt/launch.hpp"
#include "emulator/simt/other_order.hpp"

namespace emulator::simt {
namespace {

/// Reads from a lane's local memory.
template <typename T>
T read_local(const block& b, const warp& w, std::uint64_t offset, unsigned lane) {
  T value{};
  auto* to = reinterpret_cast<std::byte*>(&value);
  for (std::size_t k = 0; k < sizeof(T); ++k) to[k] = *b.local_byte(w, offset + k, lane);
  return value;
}
template <typename T>
void write_local(block& b, const warp& w, std::uint64_t offset, unsigned lane, T value) {
  const auto* from = reinterpret_cast<const std::byte*>(&value);
  for (std::size_t k = 0; k < sizeof(T); ++k) *b.local_byte(w, offset + k, lane) = from[k];
}

/// The places of a call's arguments for one lane, followed by that of its result.
struct call_storage {
  block& b;
  const warp& w;
  std::uint64_t frame;
  const std::vector<std::uint32_t>& offsets;
  unsigned lane;

  call_storage(block& of, warp& caller, const op& call, unsigned l)
      : b(of),
        w(caller),
        frame(call.b == no_slot ? 0 : caller.lanes<std::uint64_t>(call.b)[l]),
        offsets(of.launch->code->tables[call.target]),
        lane(l) {}

  template <typename T>
  [[nodiscard]] T argument(std::size_t k) const {
    return read_local<T>(b, w, frame + offsets.at(k), lane);
  }
  /// A result that the program ignores has no place.
  template <typename T>
  void result(std::size_t k, T value) const {
    if (k < offsets.size()) write_local(b, w, frame + offsets[k], lane, value);
  }
  void read_extent(std::size_t k, std::uint32_t (&extent)[3]) const {
    for (unsigned axis = 0; axis < 3; ++axis)
      extent[axis] = read_local<std::uint32_t>(b, w, frame + offsets.at(k) + 4 * axis, lane);
  }
};

/// Returns a string in device memory, or null if there is none at that address.
const char* device_string(memory::global_memory& memory, std::uint64_t address) {
  const memory::allocation* a = memory.find(address);
  if (a == nullptr) return nullptr;
  const auto* text = reinterpret_cast<const char*>(address);
  return std::memchr(text, 0, a->end() - address) != nullptr ? text : nullptr;
}

std::string assertion_words(const call_storage& at) {
  const auto text = [&](std::size_t k) {
    const char* s = device_string(at.b.launch->space->memory, at.argument<std::uint64_t>(k));
    return std::string(s == nullptr ? "?" : s);
  };
  return text(1) + ":" + std::to_string(at.argument<std::uint32_t>(2)) + ": " + text(3) + ": Assertion `" + text(0) +
         "' failed";
}

/// The output of one lane's `printf`, and the number of arguments that it used.
struct printed_text {
  std::string text;
  std::int32_t arguments = 0;
};

/// Formats one lane's `printf`: `format`, and the arguments packed in nvcc's layout.
printed_text format_device_printf(memory::global_memory& memory, const char* format, const std::byte* arguments,
                                  std::size_t argument_bytes) {
  printed_text printed;
  std::string& out = printed.text;
  std::size_t at = 0;
  const auto take = [&](auto value) {
    using T = decltype(value);
    at = (at + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    if (at + sizeof(T) > argument_bytes) return value;
    std::memcpy(&value, arguments + at, sizeof(T));
    at += sizeof(T);
    ++printed.arguments;
    return value;
  };
  const auto print = [&](const std::string& spec, auto value) {
    const int length = std::snprintf(nullptr, 0, spec.c_str(), value);
    if (length <= 0) return;
    const std::size_t before = out.size();
    out.resize(before + static_cast<std::size_t>(length) + 1);
    std::snprintf(out.data() + before, static_cast<std::size_t>(length) + 1, spec.c_str(), value);
    out.pop_back();  // the zero at the end
  };
  for (const char* p = format; *p != 0; ++p) {
    if (*p != '%') {
      out += *p;
      continue;
    }
    std::string spec = "%";
    int longs = 0, shorts = 0;
    for (++p; *p != 0 && std::strchr("-+ #0123456789.*lhzjt", *p) != nullptr; ++p) {
      if (*p == '*')
        spec += std::to_string(take(int{}));
      else if (*p == 'l')
        ++longs;
      else if (*p == 'z' || *p == 'j' || *p == 't')
        longs = 2;
      else if (*p == 'h')
        ++shorts;
      else
        spec += *p;
    }
    switch (*p) {
      case '%':
        out += '%';
        break;
      case 'd':
      case 'i':
        if (longs > 0)
          print(spec + "lld", take(0LL));
        else
          print(spec + std::string(static_cast<std::size_t>(shorts), 'h') + *p, take(int{}));
        break;
      case 'u':
      case 'o':
      case 'x':
      case 'X':
        if (longs > 0)
          print(spec + "ll" + *p, take(0ULL));
        else
          print(spec + std::string(static_cast<std::size_t>(shorts), 'h') + *p, take(0u));
        break;
      case 'c':
        print(spec + 'c', take(int{}));
        break;
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        print(spec + *p, take(0.0));
        break;
      case 'p':
        print(spec + 'p', reinterpret_cast<void*>(take(0ULL)));
        break;
      case 's': {
        const char* s = device_string(memory, take(0ULL));
        print(spec + 's', s == nullptr ? "(null)" : s);
        break;
      }
      case 0:
        return printed;
      default:
        out += spec + *p;
        break;
    }
  }
  return printed;
}

/// Frees memory from malloc() in a kernel; returns false if it isn't such memory.
bool release(memory::global_memory& memory, std::uint64_t address) {
  const memory::allocation* found = memory.find(address);
  if (found == nullptr || found->begin != address || found->from != memory::origin::heap) return false;
  return memory.free(address) == memory::global_memory::free_result::ok;
}

}  // namespace

template <bool Watched>
bool interpreter<Watched>::stop_at_bad_free(block& b, warp& w, std::uint32_t pc, unsigned lane, std::uint64_t address) {
  std::string nearest;
  auto kind = observers::fault_kind::bad_free;
  if ((address & window_mask) == local_window)
    nearest = "a private variable";
  else if ((address & window_mask) == shared_window)
    nearest = "shared memory";
  else if (b.launch->space->memory.classify(address, &nearest) == memory::address_class::freed)
    kind = observers::fault_kind::double_free;
  if (kind == observers::fault_kind::bad_free) nearest = "it is " + nearest;
  stop(b, w, pc, kind, nearest);
  b.fault.mask = 1u << lane;
  return false;
}

template <bool Watched>
bool interpreter<Watched>::set_condition(block& b, warp& w, const op& o, std::uint32_t pc) {
  std::uint64_t handles[warp_size];
  std::uint32_t values[warp_size];
  for (const unsigned l : lanes_in(w.mask)) {
    const call_storage at(b, w, o, l);
    handles[l] = at.argument<std::uint64_t>(0);
    values[l] = at.argument<std::uint32_t>(1);
  }
  return memory_.set_condition(b, w, o, pc, handles, values);
}

namespace {

/// Returns a message if a launch passes a pointer that is invalid in the launched kernel, else null.
const char* private_pointer_among(memory::global_memory& memory, std::uint64_t parameters) {
  const memory::allocation* const in = memory.find(parameters);
  for (std::uint64_t at = 0; in != nullptr && at + 8 <= in->size_bytes; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, reinterpret_cast<const void*>(in->begin + at), sizeof word);
    if ((word & window_mask) == local_window)
      return "it launches a kernel with a pointer to its private memory, which only the thread itself can reach";
    if ((word & window_mask) == shared_window)
      return "it launches a kernel with a pointer to its shared memory, which only its block can reach";
  }
  return nullptr;
}

}  // namespace

/// Stores the result of a call in a variable of the kernel, in local or global memory.
template <bool Watched>
bool interpreter<Watched>::give(block& b, warp& w, std::uint32_t pc, unsigned lane, std::uint64_t to,
                                std::uint64_t value, unsigned bytes) {
  if ((to & window_mask) == local_window) {
    const auto* const from = reinterpret_cast<const std::byte*>(&value);
    for (unsigned k = 0; k < bytes; ++k) write_local(b, w, (to & ~window_mask) + k, lane, from[k]);
    return true;
  }
  const memory::allocation* const in = b.launch->space->memory.find(to);
  if (in == nullptr || bytes > in->end() - to)
    return stop(b, w, pc, observers::fault_kind::trap, "a call of the device runtime with an invalid output pointer");
  std::memcpy(reinterpret_cast<void*>(to), &value, bytes);
  b.launch->space->memory.mark_initialized(to, bytes);
  return true;
}

/// Executes a call to the device runtime, which kernels use to launch kernels.
template <bool Watched>
bool interpreter<Watched>::device_runtime(block& b, warp& w, const op& o, std::uint32_t pc) {
  device_launches* const children = b.launch->children;
  if (children == nullptr)
    return stop(b, w, pc, observers::fault_kind::unsupported,
                "a kernel that launches kernels, in a launch outside of the CUDA runtime");
  for (const unsigned l : lanes_in(w.mask)) {
    const call_storage at(b, w, o, l);
    const std::uint64_t thread = b.identity.linear * b.launch->thread_count + w.index * warp_size + l;
    switch (static_cast<system_call_kind>(o.sub)) {
      case system_call_kind::get_parameter_buffer: {
        kernel* const what = b.launch->code->owner->kernel_at(at.argument<std::uint64_t>(0));
        if (what == nullptr)
          return stop(b, w, pc, observers::fault_kind::trap, "a launch of something that isn't a kernel");
        launch_shape shape;
        at.read_extent(1, shape.grid);
        at.read_extent(2, shape.block);
        shape.dynamic_shared_bytes = at.argument<std::uint32_t>(3);
        at.result(4, children->prepare(*what, shape, thread));
        break;
      }
      case system_call_kind::launch_kernel:
        if (const char* const whose = private_pointer_among(b.launch->space->memory, at.argument<std::uint64_t>(0)))
          return stop(b, w, pc, observers::fault_kind::trap, whose);
        at.result(2, children->launch(at.argument<std::uint64_t>(0), at.argument<std::uint64_t>(1), b.identity.linear));
        break;
      case system_call_kind::create_stream:
        if (!give(b, w, pc, l, at.argument<std::uint64_t>(0), children->create_stream(), 8)) return false;
        at.result(2, std::uint32_t{0});
        break;
      case system_call_kind::destroy_stream:
        at.result(1, children->destroy_stream(at.argument<std::uint64_t>(0)));
        break;
      case system_call_kind::get_device: {
        const auto here = static_cast<std::uint64_t>(b.launch->space->devices.running());
        if (!give(b, w, pc, l, at.argument<std::uint64_t>(0), here, 4)) return false;
        at.result(1, std::uint32_t{0});
        break;
      }
      default:
        at.result(0, children->last_error(thread, o.sub == static_cast<std::uint8_t>(system_call_kind::take_error)));
        break;
    }
  }
  return true;
}

template <bool Watched>
bool interpreter<Watched>::system_call(block& b, warp& w, const op& o, std::uint32_t pc) {
  if (o.sub == static_cast<std::uint8_t>(system_call_kind::set_condition)) return set_condition(b, w, o, pc);
  if (o.sub >= static_cast<std::uint8_t>(system_call_kind::get_parameter_buffer)) return device_runtime(b, w, o, pc);
  auto& memory = b.launch->space->memory;
  for (const unsigned l : lanes_in(w.mask)) {
    const call_storage at(b, w, o, l);
    switch (static_cast<system_call_kind>(o.sub)) {
      case system_call_kind::print: {
        const char* format = device_string(at.b.launch->space->memory, at.argument<std::uint64_t>(0));
        const auto packed = at.argument<std::uint64_t>(1);
        std::vector<std::byte> arguments;
        if ((packed & window_mask) == local_window) {
          for (std::uint64_t k = packed & ~window_mask; k < b.launch->local_bytes; ++k)
            arguments.push_back(read_local<std::byte>(b, w, k, l));
        }
        // According to the programming guide, the result is -1 without a format, else the number of arguments.
        printed_text printed{{}, -1};
        if (format != nullptr) printed = format_device_printf(memory, format, arguments.data(), arguments.size());
        if (b.launch->order == nullptr || b.launch->order->printed(printed.text))
          std::fwrite(printed.text.data(), 1, printed.text.size(), stdout);
        at.result(2, printed.arguments);
        break;
      }
      case system_call_kind::assert_fail:
        return stop(b, w, pc, observers::fault_kind::assertion, assertion_words(at));
      case system_call_kind::allocate: {
        const auto size = at.argument<std::uint64_t>(0);
        at.result(1, static_cast<std::uint64_t>(memory.allocate(size, memory::origin::heap)));
        break;
      }
      case system_call_kind::release: {
        const auto address = at.argument<std::uint64_t>(0);
        if (address != 0 && !release(memory, address)) return stop_at_bad_free(b, w, pc, l, address);
        break;
      }
      default:
        break;
    }
  }
  return true;
}

EMULATOR_OF_BOTH(bool, system_call(block&, warp&, const op&, std::uint32_t));

}  // namespace emulator::simt
