#if __has_include_next(<libxml/xmlmemory.h>)
#include_next <libxml/xmlmemory.h>
#else
#include <libxml2/libxml/xmlmemory.h>
#endif
