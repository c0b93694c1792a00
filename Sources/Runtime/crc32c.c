#include "strata_runtime.h"

#include <string.h>

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t strata_crc32c(uint32_t state, const void *start, size_t size) {
    const unsigned char *bytes = start;
    uint64_t crc = state;
    for (; size >= 8; bytes += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        crc = __builtin_ia32_crc32di(crc, word);
    }
    uint32_t rest = (uint32_t)crc;
    for (; size > 0; bytes += 1, size -= 1) rest = __builtin_ia32_crc32qi(rest, *bytes);
    return rest;
}

int strata_has_crc32c(void) { return __builtin_cpu_supports("sse4.2") ? 1 : 0; }
#else
uint32_t strata_crc32c(uint32_t state, const void *start, size_t size) {
    (void)start;
    (void)size;
    return state;
}

int strata_has_crc32c(void) { return 0; }
#endif
