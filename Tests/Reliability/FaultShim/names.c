/* Whatever takes a path. */
#define _GNU_SOURCE
#include "calls.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

// MARK: Opening and closing

/* Opening, where `call` is the real one. A descriptor number that was watched may be another file's now. */
#define OPENS(name, directory, call) \
    { \
        REAL(name); \
        mode_t mode = 0; \
        if (flags & (O_CREAT | O_TMPFILE)) { \
            va_list rest; \
            va_start(rest, flags); \
            mode = va_arg(rest, mode_t); \
            va_end(rest); \
        } \
        char buffer[PATH_MAX]; \
        const char *watched = shim_resolve(directory, path, buffer); \
        if (!watched) { \
            int fd = call; \
            if (fd >= 0) shim_closed(fd); \
            return fd; \
        } \
        bool is_new = (flags & O_CREAT) && shim_is_missing(watched); \
        ENTER(is_new ? CREATE : OPEN, #name, watched, -1) \
        int fd = call; \
        if (fd >= 0) shim_opened(fd, watched, flags, is_new); \
        if (what == AFTER && fd >= 0) close(fd); \
        FINISH(fd, -1); \
    }

static bool shim_is_missing(const char *path) {
    REAL(faccessat);
    int code = errno;
    bool is_missing = real(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
    errno = code;
    return is_missing;
}

EXPORT int open(const char *path, int flags, ...) OPENS(open, AT_FDCWD, real(path, flags, mode))
EXPORT int open64(const char *path, int flags, ...) OPENS(open64, AT_FDCWD, real(path, flags, mode))
EXPORT int openat(int at, const char *path, int flags, ...) OPENS(openat, at, real(at, path, flags, mode))
EXPORT int openat64(int at, const char *path, int flags, ...) OPENS(openat64, at, real(at, path, flags, mode))
EXPORT int creat(const char *path, mode_t mode) { return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
EXPORT int creat64(const char *path, mode_t mode) { return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

EXPORT int close(int fd) {
    REAL(close);
    const char *path = shim_path(fd);
    if (!path) return real(fd);
    /* A descriptor is gone whatever close reports. */
    action what = shim_enter(CLOSE, "close", path);
    shim_closed(fd);
    int result = real(fd);
    if (what == FAIL) what = AFTER;
    FINISH(result, -1);
}

EXPORT DIR *opendir(const char *path) {
    REAL(opendir);
    char buffer[PATH_MAX];
    const char *watched = shim_resolve(AT_FDCWD, path, buffer);
    if (!watched) return real(path);
    ENTER(OPEN, "opendir", watched, NULL)
    DIR *result = real(path);
    if (what == AFTER && result) closedir(result);
    FINISH(result, NULL);
}

// MARK: Changing names

#define ON_PATH(name, signature, directory, kind, operation, call) \
    EXPORT int name signature { \
        REAL(name); \
        char buffer[PATH_MAX]; \
        const char *watched = shim_resolve(directory, path, buffer); \
        if (!watched) return call; \
        ENTER(kind, #name, watched, -1) \
        int result = call; \
        int noted = operation; \
        if (result == 0 && noted) shim_record((char)noted, -1, 0, watched, NULL, 0); \
        FINISH(result, -1); \
    }

ON_PATH(unlink, (const char *path), AT_FDCWD, NAME, 'u', real(path))
ON_PATH(unlinkat, (int at, const char *path, int flags), at, NAME, (flags & AT_REMOVEDIR ? 'd' : 'u'), real(at, path, flags))
ON_PATH(rmdir, (const char *path), AT_FDCWD, NAME, 'd', real(path))
ON_PATH(mkdir, (const char *path, mode_t mode), AT_FDCWD, NAME, 'm', real(path, mode))
ON_PATH(mkdirat, (int at, const char *path, mode_t mode), at, NAME, 'm', real(at, path, mode))
ON_PATH(stat, (const char *path, struct stat *answer), AT_FDCWD, STAT, 0, real(path, answer))
ON_PATH(lstat, (const char *path, struct stat *answer), AT_FDCWD, STAT, 0, real(path, answer))
ON_PATH(stat64, (const char *path, struct stat64 *answer), AT_FDCWD, STAT, 0, real(path, answer))
ON_PATH(lstat64, (const char *path, struct stat64 *answer), AT_FDCWD, STAT, 0, real(path, answer))
ON_PATH(fstatat, (int at, const char *path, struct stat *answer, int flags), at, STAT, 0, real(at, path, answer, flags))
ON_PATH(fstatat64, (int at, const char *path, struct stat64 *answer, int flags), at, STAT, 0, real(at, path, answer, flags))
ON_PATH(access, (const char *path, int mode), AT_FDCWD, STAT, 0, real(path, mode))
ON_PATH(faccessat, (int at, const char *path, int mode, int flags), at, STAT, 0, real(at, path, mode, flags))

/* The new path is the data of the record. */
#define ON_PATHS(name, signature, from_at, to_at, operation, call) \
    EXPORT int name signature { \
        REAL(name); \
        char from_buffer[PATH_MAX], to_buffer[PATH_MAX]; \
        const char *source = shim_resolve(from_at, from, from_buffer), *target = shim_resolve(to_at, to, to_buffer); \
        if (!target) return call; \
        ENTER(NAME, #name, target, -1) \
        int result = call; \
        if (result == 0 && source) shim_record(operation, -1, 0, source, target, __builtin_strlen(target)); \
        FINISH(result, -1); \
    }

ON_PATHS(rename, (const char *from, const char *to), AT_FDCWD, AT_FDCWD, 'r', real(from, to))
ON_PATHS(renameat, (int a, const char *from, int b, const char *to), a, b, 'r', real(a, from, b, to))
ON_PATHS(renameat2, (int a, const char *from, int b, const char *to, unsigned flags), a, b, 'r', real(a, from, b, to, flags))
ON_PATHS(link, (const char *from, const char *to), AT_FDCWD, AT_FDCWD, 'l', real(from, to))
ON_PATHS(linkat, (int a, const char *from, int b, const char *to, int flags), a, b, 'l', real(a, from, b, to, flags))
