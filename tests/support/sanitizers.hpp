#pragma once
/// \file
/// Whether a test was compiled with a sanitizer that watches memory: `WORKBOOK_SANITIZED` is 1 or 0.
///
/// AddressSanitizer keeps what is freed for a while, ThreadSanitizer its notes on memory that is gone, and both want
/// address space of their own: the size of the process then says nothing of what the program holds, and cannot be
/// limited. (Leaks are AddressSanitizer's own to find.)

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WORKBOOK_SANITIZED 1
#else
#define WORKBOOK_SANITIZED 0
#endif
