#ifndef BENCHPQ_SHIM_H
#define BENCHPQ_SHIM_H

#include <libpq-fe.h>

#endif
