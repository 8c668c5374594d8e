#pragma once
/// \file
/// Kernels of the ways to call an all-reduce of short vectors of floats, as addresses.

namespace chapter16 {

/// A kernel (members<float> all, mailboxes boxes, unsigned* called, unsigned me, unsigned count, unsigned rounds): an
/// exchange by mailboxes as in mailbox_exchange.cuh, `rounds` of them behind each other. Nobody tells it the number of
/// the call: each thread counts its own in `called`, so that a graph can pass the same parameters every time. Let the
/// next one in its stream begin early, where that was launched so.
/// \param gives_up  whether a letter that does not come ends the wait after some seconds, with a wrong sum
const void* counting_mailbox_kernel(bool gives_up);

/// A kernel (members<float> all, unsigned count) that one GPU runs for all: it loads from all vectors, and stores into
/// all.
const void* serving_kernel();

}  // namespace chapter16
