#pragma once
/// \file
/// Defines WORKBOOK_SANITIZED: 1 if the test is compiled with a sanitizer that observes memory, or else 0.
///
/// AddressSanitizer delays the release of freed memory, ThreadSanitizer keeps its records about it, and both need
/// address space of their own. So the size of the process tells nothing about the memory that the program uses, and it
/// cannot be limited. (Leaks are found by AddressSanitizer itself.)

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WORKBOOK_SANITIZED 1
#else
#define WORKBOOK_SANITIZED 0
#endif
