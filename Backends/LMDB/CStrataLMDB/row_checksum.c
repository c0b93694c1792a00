#include "strata_lmdb.h"

#include <string.h>

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t strata_row_checksum(const void *row, size_t size) {
    const unsigned char *bytes = row;
    uint64_t crc = 0xFFFFFFFF;
    // LMDB fills a page from its end, so that the next row lies before this one.
    for (size_t at = 0; at < size && at < 1024; at += 64) __builtin_prefetch(bytes - size - 16 + at);
    for (size_t at = 0; at < size; at += 8) {
        uint64_t word;
        memcpy(&word, bytes + at, 8);
        if (at == 16) word &= 0xFFFFFFFF;
        crc = __builtin_ia32_crc32di(crc, word);
    }
    return ~(uint32_t)crc;
}

int strata_has_row_checksum(void) { return __builtin_cpu_supports("sse4.2") ? 1 : 0; }
#else
uint32_t strata_row_checksum(const void *row, size_t size) {
    (void)row;
    (void)size;
    return 0;
}

int strata_has_row_checksum(void) { return 0; }
#endif
