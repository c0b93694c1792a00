#if __has_include_next(<libxml/xmlregexp.h>)
#include_next <libxml/xmlregexp.h>
#else
#include <libxml2/libxml/xmlregexp.h>
#endif
