#ifndef STRATA_RUNTIME_H
#define STRATA_RUNTIME_H

/// Counts one more reference to an object of Swift, unless the last one is gone: then there is nothing to count, and the answer is NULL.
///
/// Swift itself offers this by weak references only, which cost an allocation for each object.
/// The object's memory must be there: it is until the object's deinitializer has ended.
void *_Nullable strata_try_retain(void *_Nonnull object);

#endif
