#ifndef STRATA_CLIBXML2_SHIM_H
#define STRATA_CLIBXML2_SHIM_H

#include <libxml/parser.h>
#include <libxml/xmlreader.h>
#include <libxml/xmlwriter.h>

#endif
