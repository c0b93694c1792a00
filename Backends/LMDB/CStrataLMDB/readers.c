#include "strata_lmdb.h"

#include <string.h>

/// One line per reader, which ends with the number of the transaction that it reads, or with a dash; one headline.
static int note_reader(const char *line, void *context) {
    size_t *oldest = context;
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

size_t strata_oldest_reader(MDB_env *environment) {
    size_t oldest = SIZE_MAX >> 1;
    return mdb_reader_list(environment, note_reader, &oldest) < 0 ? 0 : oldest;
}
