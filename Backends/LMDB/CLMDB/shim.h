#ifndef STRATA_CLMDB_SHIM_H
#define STRATA_CLMDB_SHIM_H

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

/* The number of the oldest transaction that any process reads; SIZE_MAX where nobody reads, 0 where that cannot be told. */
static inline size_t strata_oldest_reader(MDB_env *environment) {
    size_t oldest = SIZE_MAX;
    return mdb_reader_list(environment, strata_note_reader, &oldest) < 0 ? 0 : oldest;
}

#endif
