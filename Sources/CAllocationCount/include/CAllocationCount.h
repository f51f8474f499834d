// Counts what a process allocates, on every thread: it defines malloc and its like, and hands on to the C
// library's own.
#ifndef C_ALLOCATION_COUNT_H
#define C_ALLOCATION_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/// Calls that gave memory, and the bytes that were asked for.
typedef struct {
    uint64_t calls;
    uint64_t bytes;
} allocation_count;

/// The C library whose allocations are counted, with its version; `NULL` where none are: without glibc,
/// and under a sanitizer.
const char *allocation_count_library(void);

/// Counts from nothing.
void allocation_count_begin(void);

/// Stops counting.
allocation_count allocation_count_end(void);

#endif
