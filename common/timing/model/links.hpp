#pragma once
/// \file
/// Predicts the time of an all-reduce among several GPUs from the costs of a link: a fixed time per step (the latency,
/// alpha), and a time per byte (the inverse bandwidth, beta). `make machine ARGS="--parts links"` measures both between
/// two GPUs. No constant is fitted to the all-reduces whose times are predicted. After Hockney (1994), and for
/// collectives Thakur, Rabenseifner, Gropp (2005).

#include <string>

namespace model {

/// The costs of communication between GPUs. Each GPU has one port. Traffic in one direction slows down the other only
/// where a rate below was measured with both directions busy.
struct links {
  std::string name;  ///< The GPU's name: "NVIDIA H100 80GB HBM3"
  // Microseconds that each further one adds after the first.
  double copy_step_us = 0;         ///< A step in which each GPU copies a word, and waits for the others' words.
  double copy_kernel_step_us = 0;  ///< A step in which each GPU copies a word, and then a kernel adds it.
  double copy_relay_us = 0;        ///< A copy of a word by one GPU, for which the other GPU waits.
  double kernel_step_us = 0;       ///< A step in which each GPU launches a kernel, and waits for the others' kernels.
  double kernel_answer_us = 0;     ///< A kernel; another GPU waits for its end and answers with an event, as in a tree.
  double launch_us = 0;            ///< A kernel on each GPU that does not wait for the other GPUs.
  double dependent_launch_us = 0;  ///< The same, if it may begin before the previous kernel in its stream has ended.
  double word_us = 0;              ///< From a store to another GPU's memory until a polling loop there sees the word.
  // GB/s in one direction of a port.
  double copy_one_way = 0, copy_both_ways = 0;
  double load_words = 0;       ///< Loads of 4 bytes, while the same amount is sent.
  double share_both_ways = 0;  ///< 16-byte accesses: half by loads, half by the others' stores.
  double store_words = 0;      ///< Stores of 4 bytes, while the same amount is received.
  double memory = 0;           ///< Bytes read and written in the GPU's own memory.
};

/// Reads the constants from a file. \throws std::runtime_error  if the file cannot be read or is incomplete; the
/// message says what is missing and how to measure it
[[nodiscard]] links read_links(const std::string& path);
/// Returns the path of the file with the link constants in this source tree.
[[nodiscard]] std::string known_links();

/// The algorithms of chapter 16.
enum class all_reduce_way { meet, ring_of_copies, tree, tree_to_one, ring_of_kernels, mailboxes, shares };

/// Returns the microseconds that `gpus` GPUs (at least 2) need to replace the vectors of all of them, or only the first
/// one's, by the sum of all vectors. Each vector has `bytes` bytes, in elements of 4 bytes. The call directly follows a
/// previous one.
[[nodiscard]] double all_reduce_us(const links& l, all_reduce_way way, unsigned gpus, double bytes);

}  // namespace model
