#if __has_include_next(<libxml/hash.h>)
#include_next <libxml/hash.h>
#else
#include <libxml2/libxml/hash.h>
#endif
