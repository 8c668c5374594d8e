#pragma once
/// \file
/// The protocol between the judge and the exercise's host process.
///
/// The judge requests one call of the exercise's host code. Until that call returns, the host process sends the CUDA
/// calls of that code as requests to the judge, one at a time. The host process cannot send a verdict: it can only make
/// CUDA calls, and the judge decides what they do.

#include <cstddef>
#include <cstdint>

namespace judge {

enum class verb : std::uint32_t {
  // Requests from the judge. The host process answers with `returned` or `refused`.
  load,          ///< Load the library. Answer: values[0], the `confinement` flags.
  reduce,        ///< values: element type, in, partials, n, block size. Answer: values[0], number of partial sums.
  shared_bytes,  ///< values: element type, block x, y, z. Answer: values[0].
  kernel,        ///< values: element type, or a number of 5 or more. Answer: text, the kernel's mangled name.
  run,           ///< values: element type, then the arguments of the chapter's own function.
  returned,
  refused,  ///< The request cannot be fulfilled; text: why.
  // Requests from the host process during a call. The judge sends `answer`, with a cudaError_t in values[0].
  answer,
  parameters,  ///< text: kernel. Answer: values[1] bytes, a std::uint32_t for each parameter's size.
  launch,      ///< values: grid x, y, z, block x, y, z, dynamic shared bytes, cooperative, length of the name; text:
               ///< the kernel's name, then its arguments in order.
  fill,        ///< values: address, byte value, size.
  copy,        ///< values: to, from, size; within device memory.
  store,       ///< values: address; text: the bytes to write, from host memory.
  symbol,      ///< text: a variable's mangled name. Answer: values[1], its address; values[2], its size.
  allocate,    ///< values: size. Answer: values[1], the address.
  release,     ///< values: address.
  attribute,   ///< values: the attribute's number. Answer: values[1].
  properties,  ///< Answer: a cudaDeviceProp.
  occupancy,   ///< values: block size, dynamic shared bytes; text: kernel. Answer: values[1].
  function_facts,  ///< text: kernel. Answer: a cudaFuncAttributes.
  set_function,    ///< values: which attribute, value; text: kernel.
  last_error,      ///< values: 1 if it should be reset.
  synchronise,
};

/// The restrictions that the host process is under before it runs the student's code.
enum confinement : std::uint64_t {
  limits_set = 1,     ///< Time, memory, files and processes are limited.
  calls_filtered = 2  ///< System calls that open files, start processes or access other processes are refused.
};

inline constexpr std::size_t max_text = 40 * 1024;

/// One packet. Only the head and the first `text_bytes` bytes of `text` are sent.
struct packet {
  verb what = verb::answer;
  std::uint32_t text_bytes = 0;
  std::uint64_t values[10] = {};
  char text[max_text] = {};
};
inline constexpr std::size_t head_bytes = offsetof(packet, text);

/// The file descriptor for both directions: standard input is one end of a pair of sockets of type SOCK_SEQPACKET.
inline constexpr int channel = 0;

/// Sends a packet. Returns true if it was sent completely.
[[nodiscard]] bool send_packet(int to, const packet& p);
/// Waits for a packet. \return  false if the other process is gone, sent an invalid packet, or did not answer within
/// `seconds`
[[nodiscard]] bool receive_packet(int from, packet& p, int seconds);

}  // namespace judge
