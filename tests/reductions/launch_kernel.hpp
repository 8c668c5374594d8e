#pragma once
/// \file
/// A kernel for a test that is built by the host compiler.

/// Returns a kernel that does nothing, and so needs few registers and no shared memory.
[[nodiscard]] const void* idle_kernel();
