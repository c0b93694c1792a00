#ifndef STRATA_POSTGRESQL_H
#define STRATA_POSTGRESQL_H

#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#elif __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#error "PostgreSQL's header libpq-fe.h is missing: install libpq-dev (Debian, Ubuntu), libpq-devel (Fedora), libpq-dev (Alpine) or libpq (Homebrew)"
#endif

/// Has notices of the server go nowhere: libpq prints them.
void strata_postgresql_silence(PGconn *connection);

#endif
