#pragma once
/// \file
/// The time of an all-reduce among several GPUs, from what a link costs: so much for each step, whatever is sent (the
/// latency, alpha), and so much for each byte (one over the bandwidth, beta). `make machine ARGS="--parts links"`
/// measures both between two GPUs; nothing comes from the all-reduces whose times are predicted. After Hockney (1994),
/// and for collectives Thakur, Rabenseifner, Gropp (2005).

#include <string>

namespace model {

/// What GPUs cost each other. Each has one port, whose two directions do not disturb each other but as measured.
struct links {
  std::string name;  ///< The GPU's: "NVIDIA H100 80GB HBM3"
  // Microseconds that each further one takes behind another.
  double copy_step_us = 0;         ///< A step in which each copies a word, and waits for the others'.
  double copy_kernel_step_us = 0;  ///< A step in which each copies a word, and adds it by a kernel.
  double copy_relay_us = 0;        ///< A copy of a word by one, while another waits for it.
  double kernel_step_us = 0;       ///< A step in which each launches a kernel, and waits for the others'.
  double kernel_answer_us = 0;     ///< A kernel on one, whose end another waits for and answers: a round of a tree.
  double launch_us = 0;            ///< A kernel on each that waits for nobody.
  double dependent_launch_us = 0;  ///< The same, where it may begin before the last one in its stream has ended.
  double word_us = 0;              ///< From a store into another GPU's memory to the loop there that sees it.
  // GB/s of one direction of a port.
  double copy_one_way = 0, copy_both_ways = 0;
  double load_words = 0;       ///< Loads of 4 bytes, while as much is sent.
  double share_both_ways = 0;  ///< Half by loads, half by stores of others, of 16 bytes.
  double store_words = 0;      ///< Stores of 4 bytes, while as much is received.
  double memory = 0;           ///< Bytes read and written in the own memory.
};

/// Reads the constants. \throws std::runtime_error  where the file cannot be read or lacks something: says what, and
/// how to measure it
[[nodiscard]] links read_links(const std::string& path);
/// The file of the links that this tree keeps.
[[nodiscard]] std::string known_links();

/// The ways of chapter 16.
enum class all_reduce_way { meet, ring_of_copies, tree, tree_to_one, ring_of_kernels, mailboxes, shares };

/// Microseconds that `gpus` GPUs, 2 or more, take to put the sum of their vectors of `bytes` bytes in the place of
/// each, or of the first one, behind another such call. Elements have 4 bytes.
[[nodiscard]] double all_reduce_us(const links& l, all_reduce_way way, unsigned gpus, double bytes);

}  // namespace model
