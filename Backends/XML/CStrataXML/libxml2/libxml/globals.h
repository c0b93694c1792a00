#if __has_include_next(<libxml/globals.h>)
#include_next <libxml/globals.h>
#else
#include <libxml2/libxml/globals.h>
#endif
