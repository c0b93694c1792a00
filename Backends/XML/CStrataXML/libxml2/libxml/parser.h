#if __has_include_next(<libxml/parser.h>)
#include_next <libxml/parser.h>
#else
#include <libxml2/libxml/parser.h>
#endif
