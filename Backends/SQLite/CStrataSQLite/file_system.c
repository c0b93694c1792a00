#include "strata_sqlite.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

const char *const strata_sqlite_file_system = "strata";

// SQLite 3.48 asks whether it may read parts of pages, which have no checksum; older headers do not name the bit.
#define CAN_READ_PARTS 0x00008000

// Named by SQLite 3.34.
#define FAILED_READ_AS_DAMAGE (SQLITE_IOERR | (33 << 8))

/// A database, its log or its journal; the file of the system beneath follows it in memory.
typedef struct {
    sqlite3_file base;
    /// Whether pages end with a checksum: of a database only, as nothing else begins like one.
    int has_checksums;
    /// Where a page gets its checksum before it is written; made at the first use.
    unsigned char *page;
    /// Whether the connection has the lock that lets it append to the log: of a database.
    int is_writer;
    /// The path of a log, `NULL` of another file; SQLite's own, for as long as the file is open.
    const char *log_path;
    /// The database of a log.
    sqlite3_file *database;
    /// Where the last write to the log ended, and how many bytes were written since it was on the disk.
    sqlite3_int64 end, unsynced;
    /// How often a short commit made the log longer.
    int growths;
    /// Whether each commit syncs the log: of a database.
    int syncs_commits;
    /// Bytes for the log that were not written yet, as many as `pending`; they end at `end`.
    unsigned char *gathered;
    int pending;
    /// The open log of a database.
    sqlite3_file *log;
} database_file;

static sqlite3_file *beneath(sqlite3_file *file) { return (sqlite3_file *)((database_file *)file + 1); }
static sqlite3_vfs *system_of(sqlite3_vfs *vfs) { return (sqlite3_vfs *)vfs->pAppData; }

/// Takes over what the header of the database says.
static void adopt_header(database_file *file, const unsigned char *header) {
    if (memcmp(header, "SQLite format 3", 16) == 0) file->has_checksums = header[20] == STRATA_SQLITE_CHECKSUM_LENGTH;
}

static int is_page(int count, sqlite3_int64 offset) {
    return count >= 512 && (count & (count - 1)) == 0 && offset % count == 0;
}

static void compute_checksum(const unsigned char *page, int count, unsigned char *checksum) {
    uint32_t first = 0, second = 0, words[2];
    for (int place = 0; place < count - STRATA_SQLITE_CHECKSUM_LENGTH; place += 8) {
        memcpy(words, page + place, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        words[0] = __builtin_bswap32(words[0]);
        words[1] = __builtin_bswap32(words[1]);
#endif
        first += words[0] + second;
        second += words[1] + first;
    }
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    first = __builtin_bswap32(first);
    second = __builtin_bswap32(second);
#endif
    memcpy(checksum, &first, 4);
    memcpy(checksum + 4, &second, 4);
}

// How many bytes of a log are written at once.
#define GATHERED (64 << 10)

/// Writes what was gathered for the log.
static int write_gathered(database_file *file) {
    if (!file->pending) return SQLITE_OK;
    int count = file->pending;
    file->pending = 0;
    return beneath(&file->base)->pMethods->xWrite(beneath(&file->base), file->gathered, count, file->end - count);
}

/// Gathers the frames of a commit: SQLite writes each in two parts, and each write is a call of the system.
///
/// Only where a sync follows, which reports an error: without one, the log's index would show frames that could not be written.
static int gather(database_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    database_file *database = (database_file *)file->database;
    int is_gathered = database && database->is_writer && database->syncs_commits && count <= GATHERED;
    if (is_gathered && !file->gathered) {
        file->gathered = sqlite3_malloc(GATHERED);
        is_gathered = file->gathered != 0;
    }
    if (!is_gathered || offset != file->end || file->pending + count > GATHERED) {
        int code = write_gathered(file);
        if (code != SQLITE_OK) return code;
    }
    file->end = offset + count;
    if (!is_gathered) return beneath(&file->base)->pMethods->xWrite(beneath(&file->base), bytes, count, offset);
    memcpy(file->gathered + file->pending, bytes, count);
    file->pending += count;
    return SQLITE_OK;
}

static int close_file(sqlite3_file *base) {
    database_file *file = (database_file *)base;
    write_gathered(file);
    if (file->database) ((database_file *)file->database)->log = 0;
    sqlite3_free(file->page);
    sqlite3_free(file->gathered);
    return beneath(base)->pMethods->xClose(beneath(base));
}

static int read_file(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
    database_file *file = (database_file *)base;
    int code = write_gathered(file);
    if (code != SQLITE_OK) return code;
    code = beneath(base)->pMethods->xRead(beneath(base), bytes, count, offset);
    // SQLite takes a read that the system failed for a damaged file system, and tells it as a malformed database.
    if (code == FAILED_READ_AS_DAMAGE) return SQLITE_IOERR_READ;
    if (code != SQLITE_OK) return code;
    if (offset == 0 && count >= 100) adopt_header(file, bytes);
    if (file->has_checksums && is_page(count, offset)) {
        unsigned char checksum[STRATA_SQLITE_CHECKSUM_LENGTH];
        compute_checksum(bytes, count, checksum);
        if (memcmp((unsigned char *)bytes + count - sizeof checksum, checksum, sizeof checksum) != 0) {
            sqlite3_log(SQLITE_IOERR_DATA, "checksum mismatch at offset %lld", offset);
            return SQLITE_IOERR_DATA;
        }
    }
    return SQLITE_OK;
}

static int write_file(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    database_file *file = (database_file *)base;
    if (offset == 0 && count >= 100) adopt_header(file, bytes);
    if (file->has_checksums && is_page(count, offset) && count <= 65536) {
        if (!file->page) file->page = sqlite3_malloc(65536);
        if (!file->page) return SQLITE_IOERR_NOMEM;
        memcpy(file->page, bytes, count);
        compute_checksum(file->page, count, file->page + count - STRATA_SQLITE_CHECKSUM_LENGTH);
        bytes = file->page;
    }
    file->unsynced += count;
    return gather(file, bytes, count, offset);
}

// What a commit of few pages writes, how much room it is given ahead, and what has to stay free on the disk.
#define SHORT_COMMIT (64 << 10)
#define LEAST_ROOM (64 << 10)
#define MOST_ROOM (512 << 10)
#define DISK_RESERVE (256ull << 20)

// The first of the locks in the log's index, by SQLite's file format.
#define LOG_WRITE_LOCK 0

static int has_space(const char *path, sqlite3_int64 size) {
    struct statvfs disk;
    struct rlimit longest;
    // A write behind the limit would end the process.
    if (getrlimit(RLIMIT_FSIZE, &longest) != 0 || (longest.rlim_cur != RLIM_INFINITY && longest.rlim_cur < 4 * (rlim_t)size)) return 0;
    return statvfs(path, &disk) == 0 && (unsigned long long)disk.f_bavail * disk.f_frsize > DISK_RESERVE;
}

/// Gives a log that grows commit by commit room ahead: where each commit moves the end of the file, each waits for the file system's journal
/// besides its own pages.
///
/// SQLite finds the end of a log by its salts and checksums, as in one that was begun anew over an older one.
static void make_room(database_file *file) {
    static const char zeros[LEAST_ROOM];
    sqlite3_file *system = beneath(&file->base);
    sqlite3_int64 size;
    // Within a commit only: whoever syncs the log for a checkpoint may do so while another one appends to it.
    if (!file->database || !((database_file *)file->database)->is_writer) return;
    if (file->unsynced == 0 || file->unsynced > SHORT_COMMIT) return;
    if (system->pMethods->xFileSize(system, &size) != SQLITE_OK || file->end < size) return;
    // The first ones are those of a store that is made.
    if (++file->growths < 4) return;
    sqlite3_int64 room = size / 2 / LEAST_ROOM * LEAST_ROOM;
    room = room < LEAST_ROOM ? LEAST_ROOM : room > MOST_ROOM ? MOST_ROOM : room;
    if (!has_space(file->log_path, size + room)) return;
    for (sqlite3_int64 place = size; place < size + room; place += LEAST_ROOM) {
        if (system->pMethods->xWrite(system, zeros, LEAST_ROOM, place) == SQLITE_OK) continue;
        system->pMethods->xTruncate(system, size);
        return;
    }
}

static int sync_file(sqlite3_file *base, int flags) {
    int code = write_gathered((database_file *)base);
    if (code != SQLITE_OK) return code;
    make_room((database_file *)base);
    ((database_file *)base)->unsynced = 0;
    return beneath(base)->pMethods->xSync(beneath(base), flags);
}

// Beyond SQLite's own operations.
#define SYNCS_COMMITS 0x53545241

static int control_file(sqlite3_file *base, int operation, void *argument) {
    if (operation == SYNCS_COMMITS) {
        ((database_file *)base)->syncs_commits = *(int *)argument;
        return SQLITE_OK;
    }
    int code = write_gathered((database_file *)base);
    if (code != SQLITE_OK) return code;
    if (operation == SQLITE_FCNTL_CKPT_START) {
        // Another connection may have brought the checksums in, and copied the page that says so.
        unsigned char header[100];
        if (beneath(base)->pMethods->xRead(beneath(base), header, sizeof header, 0) == SQLITE_OK) {
            adopt_header((database_file *)base, header);
        }
    }
    return beneath(base)->pMethods->xFileControl(beneath(base), operation, argument);
}

static int characteristics(sqlite3_file *file) {
    int bits = beneath(file)->pMethods->xDeviceCharacteristics(beneath(file));
    return ((database_file *)file)->has_checksums ? bits & ~CAN_READ_PARTS : bits;
}

static int fetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **bytes) {
    *bytes = 0;
    // Mapped pages would be seen unchecked; without one SQLite reads the page.
    if (((database_file *)file)->has_checksums || beneath(file)->pMethods->iVersion < 3) return SQLITE_OK;
    return beneath(file)->pMethods->xFetch(beneath(file), offset, count, bytes);
}

static int unfetch(sqlite3_file *file, sqlite3_int64 offset, void *bytes) {
    if (beneath(file)->pMethods->iVersion < 3) return SQLITE_OK;
    return beneath(file)->pMethods->xUnfetch(beneath(file), offset, bytes);
}

static int truncate_file(sqlite3_file *f, sqlite3_int64 size) {
    int code = write_gathered((database_file *)f);
    return code == SQLITE_OK ? beneath(f)->pMethods->xTruncate(beneath(f), size) : code;
}
static int file_size(sqlite3_file *f, sqlite3_int64 *size) {
    int code = write_gathered((database_file *)f);
    return code == SQLITE_OK ? beneath(f)->pMethods->xFileSize(beneath(f), size) : code;
}
static int lock_file(sqlite3_file *f, int lock) { return beneath(f)->pMethods->xLock(beneath(f), lock); }
static int unlock_file(sqlite3_file *f, int lock) { return beneath(f)->pMethods->xUnlock(beneath(f), lock); }
static int check_lock(sqlite3_file *f, int *lock) { return beneath(f)->pMethods->xCheckReservedLock(beneath(f), lock); }
static int sector_size(sqlite3_file *f) { return beneath(f)->pMethods->xSectorSize(beneath(f)); }
static int shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **memory) {
    return beneath(f)->pMethods->xShmMap(beneath(f), page, size, extend, memory);
}
/// Writes what was gathered for the log of a database: nothing but frames of a rollback, as a commit's were synced.
static void write_log(database_file *database) {
    if (database->log) write_gathered((database_file *)database->log);
}
static int shm_lock(sqlite3_file *f, int offset, int n, int flags) {
    // Frames of a transaction that is rolled back must not be written later, over those of the next writer.
    if (offset == LOG_WRITE_LOCK && flags & SQLITE_SHM_UNLOCK) write_log((database_file *)f);
    int code = beneath(f)->pMethods->xShmLock(beneath(f), offset, n, flags);
    if (offset == LOG_WRITE_LOCK && code == SQLITE_OK && flags & SQLITE_SHM_EXCLUSIVE) {
        ((database_file *)f)->is_writer = (flags & SQLITE_SHM_LOCK) != 0;
    }
    return code;
}
static void shm_barrier(sqlite3_file *f) {
    // The log's index is about to show the frames.
    write_log((database_file *)f);
    beneath(f)->pMethods->xShmBarrier(beneath(f));
}
static int shm_unmap(sqlite3_file *f, int deletes) { return beneath(f)->pMethods->xShmUnmap(beneath(f), deletes); }

static const sqlite3_io_methods methods = {
    3, close_file, read_file, write_file, truncate_file, sync_file, file_size, lock_file, unlock_file, check_lock, control_file,
    sector_size, characteristics, shm_map, shm_lock, shm_barrier, shm_unmap, fetch, unfetch,
};

static int open_file(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *actual) {
    sqlite3_vfs *system = system_of(vfs);
    if (!(flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL))) return system->xOpen(system, name, file, flags, actual);
    memset(file, 0, sizeof(database_file));
    if (flags & SQLITE_OPEN_WAL && name) {
        ((database_file *)file)->log_path = name;
        ((database_file *)file)->database = sqlite3_database_file_object(name);
    }
    int code = system->xOpen(system, name, beneath(file), flags, actual);
    // The methods stand only where there is something to close.
    if (beneath(file)->pMethods) {
        file->pMethods = &methods;
        sqlite3_file *database = ((database_file *)file)->database;
        if (database) ((database_file *)database)->log = file;
    }
    return code;
}

static int delete_file(sqlite3_vfs *v, const char *name, int syncs) { return system_of(v)->xDelete(system_of(v), name, syncs); }
static int access_file(sqlite3_vfs *v, const char *name, int flags, int *answer) {
    return system_of(v)->xAccess(system_of(v), name, flags, answer);
}
static int full_path(sqlite3_vfs *v, const char *name, int count, char *path) {
    int result = system_of(v)->xFullPathname(system_of(v), name, count, path);
    const char *last = strrchr(name, '/');
    if (result != SQLITE_CANTOPEN || !last || last - name >= PATH_MAX - 1) return result;
    // SQLite refuses a `..` in the root directory, which is the root directory.
    char directory[PATH_MAX], resolved[PATH_MAX], whole[2 * PATH_MAX];
    snprintf(directory, sizeof directory, "%.*s", (int)(last - name) + 1, name);
    if (!realpath(directory, resolved)) return result;
    snprintf(whole, sizeof whole, "%s/%s", resolved, last + 1);
    return system_of(v)->xFullPathname(system_of(v), whole, count, path);
}
static void *dl_open(sqlite3_vfs *v, const char *name) { return system_of(v)->xDlOpen(system_of(v), name); }
static void dl_error(sqlite3_vfs *v, int count, char *text) { system_of(v)->xDlError(system_of(v), count, text); }
static void (*dl_symbol(sqlite3_vfs *v, void *library, const char *name))(void) {
    return system_of(v)->xDlSym(system_of(v), library, name);
}
static void dl_close(sqlite3_vfs *v, void *library) { system_of(v)->xDlClose(system_of(v), library); }
static int random_bytes(sqlite3_vfs *v, int count, char *bytes) { return system_of(v)->xRandomness(system_of(v), count, bytes); }
static int sleep_for(sqlite3_vfs *v, int microseconds) { return system_of(v)->xSleep(system_of(v), microseconds); }
static int current_time(sqlite3_vfs *v, double *time) { return system_of(v)->xCurrentTime(system_of(v), time); }
static int last_error(sqlite3_vfs *v, int count, char *text) { return system_of(v)->xGetLastError(system_of(v), count, text); }

int strata_sqlite_register_file_system(void) {
    static sqlite3_vfs vfs;
    sqlite3_vfs *system = sqlite3_vfs_find(0);
    if (!system) return SQLITE_ERROR;
    vfs = (sqlite3_vfs){
        .iVersion = 1,
        .szOsFile = (int)sizeof(database_file) + system->szOsFile,
        .mxPathname = system->mxPathname,
        .zName = strata_sqlite_file_system,
        .pAppData = system,
        .xOpen = open_file,
        .xDelete = delete_file,
        .xAccess = access_file,
        .xFullPathname = full_path,
        .xDlOpen = dl_open,
        .xDlError = dl_error,
        .xDlSym = dl_symbol,
        .xDlClose = dl_close,
        .xRandomness = random_bytes,
        .xSleep = sleep_for,
        .xCurrentTime = current_time,
        .xGetLastError = last_error,
    };
    return sqlite3_vfs_register(&vfs, 0);
}

void strata_sqlite_sync_commits(sqlite3 *database, int syncs) { sqlite3_file_control(database, "main", SYNCS_COMMITS, &syncs); }
