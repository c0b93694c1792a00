#ifndef STRATA_LMDB_H
#define STRATA_LMDB_H

#if __has_include(<lmdb.h>)
#include <lmdb.h>
#else
#error "LMDB's header lmdb.h is missing: install liblmdb-dev (Debian, Ubuntu), lmdb-devel (Fedora), lmdb-dev (Alpine) or lmdb (Homebrew)"
#endif
#include <stddef.h>
#include <stdint.h>

/// The CRC-32C of a row whose bytes 20 to 23, the store's own word, count as zero. `size` is a multiple of 8 and at least 24.
/// Only where ``strata_has_row_checksum`` answers 1; the processor's instruction is ten times faster than a table.
uint32_t strata_row_checksum(const void *row, size_t size);

/// Whether the processor has an instruction for checksums.
int strata_has_row_checksum(void);

/// Gives the first `size` bytes of a file their place on disk, zeros where there was none; answers an errno value.
int strata_allocate(int file, int64_t size);

/// Whether bytes hold others somewhere.
int strata_contains(const void *bytes, size_t size, const void *others, size_t count);

/// The number of the oldest transaction that any process reads; the greatest signed number where nobody reads, for Swift sees a size as
/// signed; 0 where that cannot be told.
size_t strata_oldest_reader(MDB_env *environment);

#endif
