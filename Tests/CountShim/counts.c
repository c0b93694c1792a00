/* A library to preload that counts what Swift's reference counting and the heap are called for.

   `strata_counts` writes how many retains, releases, allocations and frees there were since the process began, and how many bytes were
   asked for. Only calls through the dynamic linker are seen: those of a program that links Swift's runtime dynamically, and of its libraries. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

enum { RETAINS, RELEASES, ALLOCATIONS, FREES, BYTES, KINDS };

static uint64_t counts[KINDS];

static inline void count(int kind, uint64_t number) { __atomic_fetch_add(&counts[kind], number, __ATOMIC_RELAXED); }

EXPORT void strata_counts(uint64_t *result) {
    for (int kind = 0; kind < KINDS; kind++) result[kind] = __atomic_load_n(&counts[kind], __ATOMIC_RELAXED);
}

/* The runtime's own function of a name, as `real`. */
#define REAL(name) \
    static __typeof__(name) *real; \
    if (__builtin_expect(!real, 0)) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define RETAIN(name) \
    EXPORT void *name(void *object) { \
        REAL(name); \
        count(RETAINS, 1); \
        return real(object); \
    }

#define RETAIN_N(name) \
    EXPORT void *name(void *object, uint32_t times) { \
        REAL(name); \
        count(RETAINS, 1); \
        return real(object, times); \
    }

#define RELEASE(name) \
    EXPORT void name(void *object) { \
        REAL(name); \
        count(RELEASES, 1); \
        real(object); \
    }

#define RELEASE_N(name) \
    EXPORT void name(void *object, uint32_t times) { \
        REAL(name); \
        count(RELEASES, 1); \
        real(object, times); \
    }

RETAIN(swift_retain)
RETAIN(swift_tryRetain)
RETAIN(swift_bridgeObjectRetain)
RETAIN(swift_unownedRetain)
RETAIN(swift_unownedRetainStrong)
RETAIN(swift_nonatomic_retain)
RETAIN(swift_nonatomic_bridgeObjectRetain)
RETAIN_N(swift_retain_n)
RETAIN_N(swift_bridgeObjectRetain_n)
RETAIN_N(swift_unownedRetain_n)
RETAIN_N(swift_nonatomic_retain_n)
RETAIN_N(swift_nonatomic_bridgeObjectRetain_n)
RELEASE(swift_release)
RELEASE(swift_bridgeObjectRelease)
RELEASE(swift_unownedRelease)
RELEASE(swift_nonatomic_release)
RELEASE(swift_nonatomic_bridgeObjectRelease)
RELEASE_N(swift_release_n)
RELEASE_N(swift_bridgeObjectRelease_n)
RELEASE_N(swift_unownedRelease_n)
RELEASE_N(swift_nonatomic_release_n)
RELEASE_N(swift_nonatomic_bridgeObjectRelease_n)

/* The C library's functions below the public names: the dynamic linker, which finds others, allocates itself. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static inline void allocated(uint64_t size) {
    count(ALLOCATIONS, 1);
    count(BYTES, size);
}

EXPORT void *malloc(size_t size) {
    allocated(size);
    return __libc_malloc(size);
}

EXPORT void *calloc(size_t number, size_t size) {
    allocated((uint64_t)number * size);
    return __libc_calloc(number, size);
}

EXPORT void *realloc(void *memory, size_t size) {
    allocated(size);
    return __libc_realloc(memory, size);
}

EXPORT void *memalign(size_t alignment, size_t size) {
    allocated(size);
    return __libc_memalign(alignment, size);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size) {
    allocated(size);
    return __libc_memalign(alignment, size);
}

EXPORT int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) || alignment & (alignment - 1)) return EINVAL;
    allocated(size);
    void *memory = __libc_memalign(alignment, size);
    if (!memory) return ENOMEM;
    *result = memory;
    return 0;
}

EXPORT void free(void *memory) {
    if (memory) count(FREES, 1);
    __libc_free(memory);
}
