#ifndef STRATA_RUNTIME_H
#define STRATA_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

/// Counts one more reference to an object of Swift, unless the last one is gone: then there is nothing to count, and the answer is NULL.
///
/// Swift itself offers this by weak references only, which cost an allocation for each object.
/// The object's memory must be there: it is until the object's deinitializer has ended.
void *_Nullable strata_try_retain(void *_Nonnull object);

/// Continues a CRC-32C, whose state is its complement, with the processor's instruction, which is ten times faster than a table.
/// Only where ``strata_has_crc32c`` answers 1.
uint32_t strata_crc32c(uint32_t state, const void *_Nullable start, size_t size);

/// Whether the processor has an instruction for checksums.
int strata_has_crc32c(void);

#endif
