#pragma once
/// \file
/// Calls of the runtime that fail, and launches that are refused, as findings of memcheck:
/// docs/decisions/014-api-errors.md.

#include <cuda_runtime_api.h>

namespace emulator::runtime {

/// Makes a finding of the current call's error, unless a finding tells of it already or the call is one by which
/// programs find out what is possible. Used under the device's mutex.
void report_failed_call(cudaError_t error);

/// The program asks for the last error, by a call that goes back to `return_address`: it knows now of the launches that
/// were refused, unless it is a library of the toolkit that asks. Used under the device's mutex.
void errors_asked_for(const void* return_address);

}  // namespace emulator::runtime
