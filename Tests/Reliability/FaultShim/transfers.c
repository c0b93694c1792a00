/* Reading, writing, and whatever else takes a descriptor. */
#define _GNU_SOURCE
#include "calls.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* How much of a transfer is done. */
static size_t share(action what, size_t size) {
    if (size <= 1) return size;
    return what == ONE ? 1 : what == HALF || what == TORN ? size / 2 : size;
}

#define READS(name, signature, size, call) \
    EXPORT ssize_t name signature { \
        REAL(name); \
        const char *path = shim_path(fd); \
        if (!path) return call; \
        ENTER(READ, #name, path, -1) \
        size = share(what, size); \
        ssize_t result = call; \
        FINISH(result, -1); \
    }

READS(read, (int fd, void *bytes, size_t size), size, real(fd, bytes, size))
READS(pread, (int fd, void *bytes, size_t size, off_t at), size, real(fd, bytes, size, at))
READS(pread64, (int fd, void *bytes, size_t size, off64_t at), size, real(fd, bytes, size, at))
READS(readv, (int fd, const struct iovec *parts, int count), count, real(fd, parts, count))
READS(preadv, (int fd, const struct iovec *parts, int count, off_t at), count, real(fd, parts, count, at))
READS(preadv64, (int fd, const struct iovec *parts, int count, off64_t at), count, real(fd, parts, count, at))

static void wrote(int fd, int64_t at, const void *bytes, ssize_t size) {
    if (size > 0 && shim_is_recording()) shim_record('w', fd, at, "", bytes, (size_t)size);
}

static int64_t position(int fd) { return lseek(fd, 0, fcntl(fd, F_GETFL) & O_APPEND ? SEEK_END : SEEK_CUR); }

#define WRITES(name, signature, start, call) \
    EXPORT ssize_t name signature { \
        REAL(name); \
        const char *path = shim_path(fd); \
        if (!path) return call; \
        ENTER(WRITE, #name, path, -1) \
        size = share(what, size); \
        int64_t first = start; \
        ssize_t result = call; \
        wrote(fd, first, bytes, result); \
        FINISH(result, -1); \
    }

WRITES(write, (int fd, const void *bytes, size_t size), position(fd), real(fd, bytes, size))
WRITES(pwrite, (int fd, const void *bytes, size_t size, off_t at), at, real(fd, bytes, size, at))
WRITES(pwrite64, (int fd, const void *bytes, size_t size, off64_t at), at, real(fd, bytes, size, at))

/* Each part is a write of its own to the recording. */
static void wrote_parts(int fd, int64_t at, const struct iovec *parts, int count, ssize_t size) {
    for (int index = 0; index < count && size > 0; index++) {
        ssize_t part = size < (ssize_t)parts[index].iov_len ? size : (ssize_t)parts[index].iov_len;
        wrote(fd, at, parts[index].iov_base, part);
        at += part;
        size -= part;
    }
}

/* Vectors are cut between their parts. */
#define WRITES_PARTS(name, signature, start, call) \
    EXPORT ssize_t name signature { \
        REAL(name); \
        const char *path = shim_path(fd); \
        if (!path) return call; \
        ENTER(WRITE, #name, path, -1) \
        count = (int)share(what, (size_t)count); \
        int64_t first = start; \
        ssize_t result = call; \
        wrote_parts(fd, first, parts, count, result); \
        FINISH(result, -1); \
    }

WRITES_PARTS(writev, (int fd, const struct iovec *parts, int count), position(fd), real(fd, parts, count))
WRITES_PARTS(pwritev, (int fd, const struct iovec *parts, int count, off_t at), at, real(fd, parts, count, at))
WRITES_PARTS(pwritev64, (int fd, const struct iovec *parts, int count, off64_t at), at, real(fd, parts, count, at))

/* Copies within the kernel could not be recorded; whoever asks for one falls back to reading and writing. */
EXPORT ssize_t copy_file_range(int in, off64_t *in_at, int out, off64_t *out_at, size_t size, unsigned flags) {
    REAL(copy_file_range);
    if (shim_path(out)) {
        errno = ENOSYS;
        return -1;
    }
    return real(in, in_at, out, out_at, size, flags);
}

#define ON_FD(name, signature, kind, call, note) \
    EXPORT int name signature { \
        REAL(name); \
        const char *path = shim_path(fd); \
        if (!path) return call; \
        ENTER(kind, #name, path, -1) \
        int result = call; \
        if (result == 0) { \
            note; \
        } \
        FINISH(result, -1); \
    }

#define SYNCED shim_record('s', fd, 0, "", NULL, 0)
ON_FD(fsync, (int fd), SYNC, real(fd), SYNCED)
ON_FD(fdatasync, (int fd), SYNC, real(fd), SYNCED)
ON_FD(ftruncate, (int fd, off_t size), SIZE, real(fd, size), shim_record('t', fd, size, "", NULL, 0))
ON_FD(ftruncate64, (int fd, off64_t size), SIZE, real(fd, size), shim_record('t', fd, size, "", NULL, 0))
ON_FD(fstat, (int fd, struct stat *answer), STAT, real(fd, answer), )
ON_FD(fstat64, (int fd, struct stat64 *answer), STAT, real(fd, answer), )
ON_FD(fchmod, (int fd, mode_t mode), NAME, real(fd, mode), )
ON_FD(flock, (int fd, int operation), LOCK, real(fd, operation), )

#define GROWN if (!(mode & FALLOC_FL_KEEP_SIZE)) shim_record('g', fd, at + size, "", NULL, 0)
ON_FD(fallocate, (int fd, int mode, off_t at, off_t size), SIZE, real(fd, mode, at, size), GROWN)
ON_FD(fallocate64, (int fd, int mode, off64_t at, off64_t size), SIZE, real(fd, mode, at, size), GROWN)

/* These answer their error instead of setting errno. */
#define ALLOCATES(name, offset) \
    EXPORT int name(int fd, offset at, offset size) { \
        REAL(name); \
        const char *path = shim_path(fd); \
        if (!path) return real(fd, at, size); \
        action what = shim_enter(SIZE, #name, path); \
        if (what == FAIL) { \
            shim_fail(); \
            return errno; \
        } \
        int result = real(fd, at, size); \
        if (result == 0) shim_record('g', fd, at + size, "", NULL, 0); \
        if (what == KILL_AFTER || what == TORN) shim_kill(); \
        return result; \
    }

ALLOCATES(posix_fallocate, off_t)
ALLOCATES(posix_fallocate64, off64_t)

static bool is_lock(int command) {
    return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

#define CONTROLS(name) \
    EXPORT int name(int fd, int command, ...) { \
        REAL(name); \
        va_list rest; \
        va_start(rest, command); \
        void *argument = va_arg(rest, void *); \
        va_end(rest); \
        const char *path = shim_path(fd); \
        if (!path || !is_lock(command)) { \
            int result = real(fd, command, argument); \
            if (path && result >= 0 && (command == F_DUPFD || command == F_DUPFD_CLOEXEC)) shim_opened(result, path, 0, false); \
            return result; \
        } \
        ENTER(LOCK, #name, path, -1) \
        int result = real(fd, command, argument); \
        FINISH(result, -1); \
    }

CONTROLS(fcntl)
CONTROLS(fcntl64)

#define MAPS(name, offset) \
    EXPORT void *name(void *where, size_t size, int protection, int flags, int fd, offset at) { \
        REAL(name); \
        const char *path = shim_path(fd); \
        if (!path) return real(where, size, protection, flags, fd, at); \
        ENTER(MAP, #name, path, MAP_FAILED) \
        void *result = real(where, size, protection, flags, fd, at); \
        if (result != MAP_FAILED && (flags & MAP_SHARED) && (protection & PROT_WRITE)) shim_record('p', fd, at, path, NULL, 0); \
        FINISH(result, MAP_FAILED); \
    }

MAPS(mmap, off_t)
MAPS(mmap64, off64_t)
