// fallocate and memmem are no part of standard C.
#define _GNU_SOURCE

#include "strata_lmdb.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

int strata_allocate(int file, int64_t size) {
    while (fallocate(file, 0, 0, size) != 0)
        if (errno != EINTR) return errno;
    return 0;
}

int strata_contains(const void *bytes, size_t size, const void *others, size_t count) {
    return memmem(bytes, size, others, count) != NULL;
}
