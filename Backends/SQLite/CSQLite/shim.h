#ifndef STRATA_CSQLITE_SHIM_H
#define STRATA_CSQLITE_SHIM_H

#include <sqlite3.h>

// Swift cannot call variadic C functions, nor see the casts behind SQLITE_TRANSIENT.

/// Turns the library's memory statistics off; has an effect only before its first use.
static inline int strata_sqlite_disable_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/// Forbids statements that could damage the file itself.
static inline int strata_sqlite_set_defensive(sqlite3 *connection) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
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

#endif
