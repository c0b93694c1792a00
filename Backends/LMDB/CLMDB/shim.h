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

#endif
