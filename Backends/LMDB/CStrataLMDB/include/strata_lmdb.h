#ifndef STRATA_LMDB_H
#define STRATA_LMDB_H

#if __has_include(<lmdb.h>)
#include <lmdb.h>
#else
#error "LMDB's header lmdb.h is missing: install liblmdb-dev (Debian, Ubuntu), lmdb-devel (Fedora), lmdb-dev (Alpine) or lmdb (Homebrew)"
#endif
#include <stddef.h>
#include <stdint.h>

/// Fetches the memory before a row of some length into the cache: LMDB fills a page from its end, so that the next row lies there.
static inline void strata_prefetch_next_row(const void *row, size_t size) {
    const char *start = (const char *)row - size - 16;
    for (size_t at = 0; at < size && at < 1024; at += 64) __builtin_prefetch(start + at);
}

/// Gives the first `size` bytes of a file their place on disk, zeros where there was none; answers an errno value.
int strata_allocate(int file, int64_t size);

/// Whether bytes hold others somewhere.
int strata_contains(const void *bytes, size_t size, const void *others, size_t count);

/// The number of the oldest transaction that any process reads; the greatest signed number where nobody reads, for Swift sees a size as
/// signed; 0 where that cannot be told.
size_t strata_oldest_reader(MDB_env *environment);

#endif
