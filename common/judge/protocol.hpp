#pragma once
/// \file
/// What the judge and the exercise's host process say to each other, packet by packet.
///
/// The judge asks for one call of the exercise's host code; until that returns, the host process asks the judge for
/// what its CUDA calls need, one at a time. Nothing that the host process can send is a verdict: it can only make CUDA
/// calls, and the judge decides what they do.

#include <cstddef>
#include <cstdint>

namespace judge {

enum class verb : std::uint32_t {
  // The judge asks; the host process answers with `returned` or `refused`.
  load,          ///< The host process may open the library. Answer: values[0], how confined it is now.
  reduce,        ///< values: element type, in, partials, n, block size. Answer: values[0], how many partial sums.
  shared_bytes,  ///< values: element type, block x, y, z. Answer: values[0].
  kernel,        ///< values: element type, or a number from 5 on. Answer: the kernel's mangled name as text.
  run,           ///< values: element type, then what the chapter's own function takes.
  returned,
  refused,  ///< What was asked for is not there; text: why.
  // The host process asks in between; the judge answers with `answer`, values[0] a cudaError_t.
  answer,
  parameters,  ///< text: kernel. Answer: as many bytes as values[1] says, a std::uint32_t for each parameter.
  launch,      ///< values: grid x, y, z, block x, y, z, dynamic shared bytes, cooperative, length of the name; text:
               ///< the kernel's name, then its arguments one behind the other.
  fill,        ///< values: address, byte, size.
  copy,        ///< values: to, from, size: inside the device.
  store,       ///< values: address; text: what is to stand there, from the host's memory.
  symbol,      ///< text: a variable's mangled name. Answer: values[1], its address; values[2], its size.
  allocate,    ///< values: size. Answer: values[1], the address.
  release,     ///< values: address.
  attribute,   ///< values: which. Answer: values[1].
  properties,  ///< Answer: a cudaDeviceProp.
  occupancy,   ///< values: block size, dynamic shared bytes; text: kernel. Answer: values[1].
  function_facts,  ///< text: kernel. Answer: a cudaFuncAttributes.
  set_function,    ///< values: which attribute, value; text: kernel.
  last_error,      ///< values: 1 where it is to be forgotten.
  synchronise,
};

/// How far the host process has given up its rights before the student's code is in it.
enum confinement : std::uint64_t {
  limits_set = 1,     ///< Time, memory, files and processes have limits.
  calls_filtered = 2  ///< The system calls that open files, start processes or reach others are refused.
};

inline constexpr std::size_t most_text = 40 * 1024;

/// One packet: the head, then `text_bytes` of `text`.
struct packet {
  verb what = verb::answer;
  std::uint32_t text_bytes = 0;
  std::uint64_t values[10] = {};
  char text[most_text] = {};
};
inline constexpr std::size_t head_bytes = offsetof(packet, text);

/// The file descriptor over which both talk: standard input is the end of a pair of sockets of type SOCK_SEQPACKET.
inline constexpr int channel = 0;

/// Sends a packet. Returns whether it went out whole.
[[nodiscard]] bool send_packet(int to, const packet& p);
/// Waits for a packet. \return  false where the other side has gone, sent what is no packet, or let `seconds` pass
[[nodiscard]] bool receive_packet(int from, packet& p, int seconds);

}  // namespace judge
