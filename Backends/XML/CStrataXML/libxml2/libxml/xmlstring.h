#if __has_include_next(<libxml/xmlstring.h>)
#include_next <libxml/xmlstring.h>
#else
#include <libxml2/libxml/xmlstring.h>
#endif
