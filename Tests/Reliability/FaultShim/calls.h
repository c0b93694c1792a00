/* What the interposed calls are built of. */
#ifndef STRATA_CALLS_H
#define STRATA_CALLS_H

#include "shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>

#define EXPORT __attribute__((visibility("default")))

/* The C library's own function of a name, as `real`. */
#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

/* Asks what is to become of a call, and fails where it shall. */
#define ENTER(kind, call, path, bad) \
    action what = shim_enter(kind, call, path); \
    if (what == FAIL) { \
        shim_fail(); \
        return bad; \
    }

/* Ends a call that was done. */
#define FINISH(result, bad) \
    if (what == KILL_AFTER || what == TORN) shim_kill(); \
    if (what == AFTER) { \
        shim_fail(); \
        return bad; \
    } \
    return result

#endif
