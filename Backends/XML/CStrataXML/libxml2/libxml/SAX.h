#if __has_include_next(<libxml/SAX.h>)
#include_next <libxml/SAX.h>
#else
#include <libxml2/libxml/SAX.h>
#endif
