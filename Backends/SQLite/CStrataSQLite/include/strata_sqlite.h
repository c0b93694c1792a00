#ifndef STRATA_SQLITE_H
#define STRATA_SQLITE_H

/// The name of the file system, for `sqlite3_open_v2`, that tells reads which the system failed from damage, and that checks and writes a
/// checksum in each page of databases which reserve eight bytes per page.
///
/// The checksum is that of SQLite's own `cksumvfs` extension, so that its tools read these files and the other way round. Pages in the log
/// have the log's checksums and get theirs when they are copied into the database.
extern const char *const strata_sqlite_file_system;

/// How many bytes of each page are reserved where there are checksums.
#define STRATA_SQLITE_CHECKSUM_LENGTH 8

/// Makes the file system known to SQLite, whose default one it stands before. Answers a result code.
int strata_sqlite_register_file_system(void);

#endif
