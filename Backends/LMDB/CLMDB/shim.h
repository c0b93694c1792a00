#ifndef STRATA_CLMDB_SHIM_H
#define STRATA_CLMDB_SHIM_H

#include <errno.h>
#include <lmdb.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The CRC-32C of a row whose bytes 20 to 23, the store's own word, count as zero. `size` is a multiple of 8 and at least 24.
   Only where strata_has_row_checksum() answers 1; the processor's instruction is ten times faster than a table. */
#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static inline uint32_t strata_row_checksum(const void *row, size_t size) {
    const unsigned char *bytes = (const unsigned char *)row;
    uint64_t crc = 0xFFFFFFFF;
    for (size_t at = 0; at < size; at += 8) {
        uint64_t word;
        memcpy(&word, bytes + at, 8);
        if (at == 16) word &= 0xFFFFFFFF;
        crc = __builtin_ia32_crc32di(crc, word);
    }
    return ~(uint32_t)crc;
}
static inline int strata_has_row_checksum(void) { return __builtin_cpu_supports("sse4.2") ? 1 : 0; }
#else
static inline uint32_t strata_row_checksum(const void *row, size_t size) {
    (void)row;
    (void)size;
    return 0;
}
static inline int strata_has_row_checksum(void) { return 0; }
#endif

/* Gives the first `size` bytes of a file their place on disk, zeros where there was none; answers an errno value.
   Declared here for C libraries that show it to GNU sources only. */
static inline int strata_allocate(int file, int64_t size) {
    extern int fallocate64(int, int, int64_t, int64_t);
    while (fallocate64(file, 0, 0, size) != 0)
        if (errno != EINTR) return errno;
    return 0;
}

/* Whether bytes hold others somewhere. */
static inline int strata_contains(const void *bytes, size_t size, const void *others, size_t count) {
    extern void *memmem(const void *, size_t, const void *, size_t);
    return memmem(bytes, size, others, count) != NULL;
}

static inline int strata_note_reader(const char *line, void *context) {
    /* One line per reader, which ends with the number of the transaction that it reads, or with a dash; one headline. */
    size_t *oldest = (size_t *)context;
    size_t length = strlen(line);
    while (length > 0 && (line[length - 1] < '0' || line[length - 1] > '9')) {
        if (line[length - 1] != '\n' && line[length - 1] != ' ') return 0;
        length--;
    }
    size_t number = 0, unit = 1;
    for (; length > 0 && line[length - 1] >= '0' && line[length - 1] <= '9'; length--, unit *= 10)
        number += (size_t)(line[length - 1] - '0') * unit;
    if (number < *oldest) *oldest = number;
    return 0;
}

/* The number of the oldest transaction that any process reads; the greatest signed number where nobody reads, for Swift sees a size as
   signed; 0 where that cannot be told. */
static inline size_t strata_oldest_reader(MDB_env *environment) {
    size_t oldest = SIZE_MAX >> 1;
    return mdb_reader_list(environment, strata_note_reader, &oldest) < 0 ? 0 : oldest;
}

#endif
