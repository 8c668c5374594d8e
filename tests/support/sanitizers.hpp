#pragma once
/// \file
/// Defines WORKBOOK_SANITIZED as 1 if the test is compiled with AddressSanitizer or ThreadSanitizer, or else as 0.
///
/// AddressSanitizer delays the release of freed memory, ThreadSanitizer stores records about it, and both need address
/// space of their own. So the size of a process does not show how much memory the program itself uses, and tests cannot
/// limit it. (AddressSanitizer finds leaks itself.)

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WORKBOOK_SANITIZED 1
#else
#define WORKBOOK_SANITIZED 0
#endif
