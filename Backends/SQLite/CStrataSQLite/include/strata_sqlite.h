#ifndef STRATA_SQLITE_H
#define STRATA_SQLITE_H

#if __has_include(<sqlite3.h>)
#include <sqlite3.h>
#else
#error "SQLite's header sqlite3.h is missing: install libsqlite3-dev (Debian, Ubuntu), sqlite-devel (Fedora) or sqlite-dev (Alpine)"
#endif
#include <string.h>

/// The name of the file system, for `sqlite3_open_v2`, that tells reads which the system failed from damage, and that checks and writes a
/// checksum in each page of databases which reserve eight bytes per page; logs that grow by short commits get room ahead.
///
/// The checksum is that of SQLite's own `cksumvfs` extension, so that its tools read these files and the other way round. Pages in the log
/// have the log's checksums and get theirs when they are copied into the database.
extern const char *const strata_sqlite_file_system;

/// How many bytes of each page are reserved where there are checksums.
#define STRATA_SQLITE_CHECKSUM_LENGTH 8

/// Makes the file system known to SQLite, whose default one it stands before. Answers a result code.
int strata_sqlite_register_file_system(void);

/// Tells the file system whether each commit of a connection syncs the log, so that its pages may be written together just before.
void strata_sqlite_sync_commits(sqlite3 *connection, int syncs);

// Swift cannot call variadic C functions, nor see the casts behind SQLITE_TRANSIENT.

/// Turns the library's memory statistics off; has an effect only before its first use.
static inline int strata_sqlite_disable_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/// Forbids statements that could damage the file itself.
static inline int strata_sqlite_set_defensive(sqlite3 *connection) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}

/// Forbids functions and virtual tables that are not known to be harmless within triggers, views and indexes.
static inline int strata_sqlite_distrust_schema(sqlite3 *connection) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}

/// Binds text, which is copied.
static inline int strata_sqlite_bind_text_copy(sqlite3_stmt *statement, int index, const char *bytes, int count) {
    return sqlite3_bind_text(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// Binds bytes, which are copied.
static inline int strata_sqlite_bind_blob_copy(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// Gives a function's result, text that is copied.
static inline void strata_sqlite_result_text_copy(sqlite3_context *context, const char *bytes, int count) {
    sqlite3_result_text(context, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

/// Gives a function's result, bytes that are copied.
static inline void strata_sqlite_result_blob_copy(sqlite3_context *context, const void *bytes, int count) {
    sqlite3_result_blob(context, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

/// What a commit changes in the header of a log's index: the first copy of the header, as SQLite's file format describes it.
typedef struct { unsigned char bytes[48]; } strata_sqlite_log_header;

/// The memory that the processes share of the index of a connection's log, valid as long as the connection; null where there is none.
/// Only for a connection that has read from a file with a log.
static inline const void *strata_sqlite_shared_log(sqlite3 *connection) {
    sqlite3_file *file = 0;
    void volatile *page = 0;
    if (sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return 0;
    if (!file || !file->pMethods || file->pMethods->iVersion < 2) return 0;
    if (file->pMethods->xShmMap(file, 0, 32768, 0, &page) != SQLITE_OK) return 0;
    return (const void *)page;
}

/// Reads the header of a shared log.
static inline strata_sqlite_log_header strata_sqlite_read_log_header(const void *shared) {
    strata_sqlite_log_header header;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    memcpy(&header, shared, sizeof header);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return header;
}

/// Whether the header of a shared log is as it was.
static inline int strata_sqlite_is_log_header(const void *shared, const strata_sqlite_log_header *header) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return memcmp(shared, header, sizeof *header) == 0;
}

/// What the index of a log says of the log and of its way into the database, as SQLite's file format describes it.
typedef struct {
    /// How many frames there are up to the last commit.
    unsigned int frames;
    /// How many pages the database has with them.
    unsigned int pages;
    /// Counts the transactions.
    unsigned int change;
    /// What the log's frames begin with; another after each time that the log was begun anew.
    unsigned int salt[2];
    /// How many frames are in the database.
    unsigned int backfilled;
    /// How many frames the last checkpoint was to bring into the database; set before it writes.
    unsigned int attempted;
} strata_sqlite_log_state;

/// Reads the state of a shared log.
static inline strata_sqlite_log_state strata_sqlite_read_log_state(const void *shared) {
    const volatile unsigned int *words = (const volatile unsigned int *)shared;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    strata_sqlite_log_state state = {words[4], words[5], words[2], {words[8], words[9]}, words[24], words[32]};
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return state;
}

/// Cuts a log's file off; the caller has the lock for writing, and no frame that counts lies behind the cut.
static inline int strata_sqlite_truncate_log(sqlite3 *connection, long long size) {
    sqlite3_file *file = 0;
    sqlite3_int64 length = 0;
    if (sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) != SQLITE_OK) return SQLITE_ERROR;
    if (!file || !file->pMethods || file->pMethods->xFileSize(file, &length) != SQLITE_OK) return SQLITE_ERROR;
    return length > size ? file->pMethods->xTruncate(file, size) : SQLITE_OK;
}

/// Says that closing leaves the log as it is.
static inline int strata_sqlite_leave_log(sqlite3 *connection) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/// A number that changes with each commit to the database that a connection makes or sees.
static inline unsigned strata_sqlite_commit_number(sqlite3 *connection) {
    unsigned version = 0;
    sqlite3_file_control(connection, "main", SQLITE_FCNTL_DATA_VERSION, &version);
    return version;
}

/// The system's error of the last call that failed on a connection's log or database, 0 for none.
static inline int strata_sqlite_file_error(sqlite3 *connection) {
    sqlite3_file *file = 0;
    int error = 0;
    if (sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) == SQLITE_OK && file && file->pMethods)
        file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &error);
    if (!error) sqlite3_file_control(connection, "main", SQLITE_FCNTL_LAST_ERRNO, &error);
    return error;
}

/// Which states of a database are being read.
typedef struct {
    /// Tells a log from the one before and the one after it.
    unsigned long long log;
    /// The last frame of the log that is committed.
    unsigned last;
    /// The least that any connection of any process sees of the log: at most ``last``, less where that cannot be told.
    unsigned oldest;
} strata_sqlite_log_readers;

/// Reads from the index of the log which states are being read: each reader holds one of five locks, beside which a mark says how much of
/// the log it sees at least. The first is of readers that see the database alone. A log is only started over once all of it is in the
/// database and nobody holds one of the other four.
/// Only for a connection that has read from a file with a log.
static inline strata_sqlite_log_readers strata_sqlite_read_log_readers(sqlite3 *connection) {
    strata_sqlite_log_readers readers = {0, 1, 0};
    const char *shared = (const char *)strata_sqlite_shared_log(connection);
    sqlite3_file *file = 0;
    if (!shared || sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return readers;
    const int first = 3, count = 5;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    memcpy(&readers.last, shared + 16, sizeof readers.last);
    memcpy(&readers.log, shared + 32, sizeof readers.log);
    readers.oldest = readers.last;
    for (int slot = 0; slot < count; slot++) {
        if (file->pMethods->xShmLock(file, first + slot, 1, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE) == SQLITE_OK) {
            file->pMethods->xShmLock(file, first + slot, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE);
            continue;
        }
        unsigned seen;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        memcpy(&seen, shared + (slot == 0 ? 96 : 100 + 4 * slot), sizeof seen);
        if (seen < readers.oldest) readers.oldest = seen;
    }
    return readers;
}

/// Forces the log to disk.
static inline int strata_sqlite_synchronize_log(sqlite3 *connection) {
    sqlite3_file *file = 0;
    if (sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) != SQLITE_OK) return SQLITE_ERROR;
    if (!file || !file->pMethods) return SQLITE_OK;
    return file->pMethods->xSync(file, SQLITE_SYNC_FULL);
}

#endif
