#ifndef STRATA_CLIBXML2_SHIM_H
#define STRATA_CLIBXML2_SHIM_H

#include <libxml/xmlversion.h>
/* Only a private structure changes with it, and its headers contradict those of Foundation's own ICU. */
#undef LIBXML_ICU_ENABLED

#include <libxml/parser.h>
#include <libxml/xmlreader.h>
#include <libxml/xmlwriter.h>

#endif
