#if __has_include_next(<libxml/xmlIO.h>)
#include_next <libxml/xmlIO.h>
#else
#include <libxml2/libxml/xmlIO.h>
#endif
