#include "strata_runtime.h"

// Exported by the runtime, and part of its stable interface: what the compiler emits for weak references in Objective-C's classes.
extern void *swift_tryRetain(void *object);

void *strata_try_retain(void *object) { return swift_tryRetain(object); }
