#ifndef BENCHXML_SHIM_H
#define BENCHXML_SHIM_H

/* libxml2 may be built with ICU, whose headers clash with the copy inside Foundation; nothing here uses them. */
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED

#include <libxml/parser.h>
#include <libxml/xmlreader.h>
#include <libxml/xmlwriter.h>

#endif
