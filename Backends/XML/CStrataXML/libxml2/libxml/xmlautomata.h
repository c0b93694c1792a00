#if __has_include_next(<libxml/xmlautomata.h>)
#include_next <libxml/xmlautomata.h>
#else
#include <libxml2/libxml/xmlautomata.h>
#endif
