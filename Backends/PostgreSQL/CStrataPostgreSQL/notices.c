#include "strata_postgresql.h"

static void ignore(void *context, const PGresult *result) {
    (void)context;
    (void)result;
}

void strata_postgresql_silence(PGconn *connection) { PQsetNoticeReceiver(connection, ignore, 0); }
