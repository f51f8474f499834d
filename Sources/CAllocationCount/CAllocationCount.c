#include "CAllocationCount.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#if defined(__GLIBC__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
#define COUNTS 1
#include <gnu/libc-version.h>
#endif

static atomic_bool counting;
static atomic_uint_fast64_t calls, bytes;

void allocation_count_begin(void) {
    atomic_store(&calls, 0);
    atomic_store(&bytes, 0);
    atomic_store(&counting, true);
}

allocation_count allocation_count_end(void) {
    atomic_store(&counting, false);
    return (allocation_count){atomic_load(&calls), atomic_load(&bytes)};
}

#ifdef COUNTS

const char *allocation_count_library(void) { return gnu_get_libc_version(); }

static void note(size_t size) {
    // Who does not count pays for one look.
    if (!atomic_load_explicit(&counting, memory_order_relaxed)) return;
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&bytes, size, memory_order_relaxed);
}

// glibc lets a program take the place of its allocator, and keeps its own under these names.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
    note(size);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    note(count * size);
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    note(size);
    return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
    note(size);
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
    void *found = memalign(alignment, size);
    if (found == NULL) return ENOMEM;
    *memory = found;
    return 0;
}

#else

const char *allocation_count_library(void) { return NULL; }

#endif
