#if __has_include_next(<libxml/SAX2.h>)
#include_next <libxml/SAX2.h>
#else
#include <libxml2/libxml/SAX2.h>
#endif
