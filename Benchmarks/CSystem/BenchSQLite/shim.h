#ifndef BENCHSQLITE_SHIM_H
#define BENCHSQLITE_SHIM_H

#include <sqlite3.h>

#endif
