// Tells the thread sanitizer of the slow paths of Synchronization's Mutex, which are compiled into a library that it does not see.
// The fast ones are compiled into the callers. These functions are linked in the place of the library's, and call them.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Swift passes the lock itself in the register of its calling convention for `self`.
#define SWIFT __attribute__((swiftcall))
#define SELF void *lock __attribute__((swift_context))

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lockSlow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool tryLockSlow(SELF) __asm__(TRY_LOCK);
SWIFT void unlockSlow(SELF) __asm__(UNLOCK);

static SWIFT void (*lockOfLibrary)(uint32_t, SELF);
static SWIFT bool (*tryLockOfLibrary)(SELF);
static SWIFT void (*unlockOfLibrary)(SELF);

static void *functionOfLibrary(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (function) return function;
    fprintf(stderr, "Synchronization has no %s: its Mutex cannot be shown to the thread sanitizer\n", name);
    abort();
}

__attribute__((constructor)) static void findLibrary(void) {
    lockOfLibrary = functionOfLibrary(LOCK);
    tryLockOfLibrary = functionOfLibrary(TRY_LOCK);
    unlockOfLibrary = functionOfLibrary(UNLOCK);
}

SWIFT void lockSlow(uint32_t thread, SELF) {
    lockOfLibrary(thread, lock);
    __tsan_acquire(lock);
}

SWIFT bool tryLockSlow(SELF) {
    bool isLocked = tryLockOfLibrary(lock);
    if (isLocked) __tsan_acquire(lock);
    return isLocked;
}

SWIFT void unlockSlow(SELF) {
    __tsan_release(lock);
    unlockOfLibrary(lock);
}
