// Opens libpq and libxml2 when the command first calls them, for a store on a server or of XML: with the 26 libraries that they need they
// take a quarter of the time in which the command starts. Packaging/tool makes an archive of it for each, with LIBPQ or LIBXML2 defined as
// the library's name, which is linked in its stead.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *find(const char *library, const char *name) {
    void *handle = dlopen(library, RTLD_NOW);
    void *found = handle ? dlsym(handle, name) : NULL;
    if (found) return found;
    fprintf(stderr, "error: %s\n", dlerror());
    // EX_UNAVAILABLE
    exit(69);
}

#define CALL(library, type, name, parameters, arguments)                       \
    type name parameters {                                                      \
        static _Atomic(__typeof__(&name)) known;                                \
        __typeof__(&name) function = known;                                     \
        if (!function) known = function = (__typeof__(&name))find(library, #name); \
        return function arguments;                                              \
    }

#ifdef LIBPQ
#include <libpq-fe.h>
#define PQ(type, name, parameters, arguments) CALL(LIBPQ, type, name, parameters, arguments)

PQ(PGconn *, PQconnectdbParams, (const char *const *keys, const char *const *values, int expand), (keys, values, expand))
PQ(PQconninfoOption *, PQconninfoParse, (const char *text, char **error), (text, error))
PQ(void, PQconninfoFree, (PQconninfoOption *options), (options))
PQ(void, PQfinish, (PGconn *connection), (connection))
PQ(PGcancel *, PQgetCancel, (PGconn *connection), (connection))
PQ(void, PQfreeCancel, (PGcancel *cancel), (cancel))
PQ(int, PQcancel, (PGcancel *cancel, char *error, int size), (cancel, error, size))
PQ(ConnStatusType, PQstatus, (const PGconn *connection), (connection))
PQ(PGTransactionStatusType, PQtransactionStatus, (const PGconn *connection), (connection))
PQ(const char *, PQparameterStatus, (const PGconn *connection, const char *name), (connection, name))
PQ(int, PQserverVersion, (const PGconn *connection), (connection))
PQ(int, PQbackendPID, (const PGconn *connection), (connection))
PQ(char *, PQerrorMessage, (const PGconn *connection), (connection))
PQ(int, PQsocket, (const PGconn *connection), (connection))
PQ(PQnoticeReceiver, PQsetNoticeReceiver, (PGconn *connection, PQnoticeReceiver receiver, void *context), (connection, receiver, context))
PQ(int, PQsetnonblocking, (PGconn *connection, int flag), (connection, flag))
PQ(int, PQflush, (PGconn *connection), (connection))
PQ(int, PQisBusy, (PGconn *connection), (connection))
PQ(int, PQconsumeInput, (PGconn *connection), (connection))
PQ(PGnotify *, PQnotifies, (PGconn *connection), (connection))
PQ(int, PQenterPipelineMode, (PGconn *connection), (connection))
PQ(int, PQexitPipelineMode, (PGconn *connection), (connection))
PQ(int, PQpipelineSync, (PGconn *connection), (connection))
PQ(int, PQsendQuery, (PGconn *connection, const char *query), (connection, query))
PQ(int, PQsendPrepare, (PGconn *connection, const char *name, const char *query, int count, const Oid *types),
   (connection, name, query, count, types))
PQ(int, PQsendQueryParams,
   (PGconn *connection, const char *query, int count, const Oid *types, const char *const *values, const int *lengths, const int *formats,
    int format),
   (connection, query, count, types, values, lengths, formats, format))
PQ(int, PQsendQueryPrepared,
   (PGconn *connection, const char *name, int count, const char *const *values, const int *lengths, const int *formats, int format),
   (connection, name, count, values, lengths, formats, format))
PQ(PGresult *, PQgetResult, (PGconn *connection), (connection))
PQ(int, PQputCopyData, (PGconn *connection, const char *bytes, int count), (connection, bytes, count))
PQ(int, PQputCopyEnd, (PGconn *connection, const char *error), (connection, error))
PQ(ExecStatusType, PQresultStatus, (const PGresult *result), (result))
PQ(char *, PQresultErrorField, (const PGresult *result, int code), (result, code))
PQ(int, PQntuples, (const PGresult *result), (result))
PQ(char *, PQfname, (const PGresult *result, int column), (result, column))
PQ(Oid, PQftype, (const PGresult *result, int column), (result, column))
PQ(char *, PQcmdTuples, (PGresult *result), (result))
PQ(char *, PQgetvalue, (const PGresult *result, int row, int column), (result, row, column))
PQ(int, PQgetlength, (const PGresult *result, int row, int column), (result, row, column))
PQ(int, PQgetisnull, (const PGresult *result, int row, int column), (result, row, column))
PQ(void, PQclear, (PGresult *result), (result))
PQ(void, PQfreemem, (void *bytes), (bytes))
#endif

#ifdef LIBXML2
#include <libxml/parser.h>
#define XML(type, name, parameters, arguments) CALL(LIBXML2, type, name, parameters, arguments)

XML(void, xmlInitParser, (void), ())
XML(xmlParserCtxtPtr, xmlCreateIOParserCtxt,
    (xmlSAXHandlerPtr handler, void *user, xmlInputReadCallback read, xmlInputCloseCallback close, void *context, xmlCharEncoding encoding),
    (handler, user, read, close, context, encoding))
XML(int, xmlCtxtUseOptions, (xmlParserCtxtPtr context, int options), (context, options))
XML(int, xmlParseDocument, (xmlParserCtxtPtr context), (context))
XML(void, xmlStopParser, (xmlParserCtxtPtr context), (context))
XML(long, xmlByteConsumed, (xmlParserCtxtPtr context), (context))
XML(void, xmlFreeParserCtxt, (xmlParserCtxtPtr context), (context))
XML(void, xmlFreeDoc, (xmlDocPtr document), (document))
XML(void, xmlFreeEnumeration, (xmlEnumerationPtr values), (values))
#endif
