#if __has_include_next(<libxml/encoding.h>)
#include_next <libxml/encoding.h>
#else
#include <libxml2/libxml/encoding.h>
#endif
