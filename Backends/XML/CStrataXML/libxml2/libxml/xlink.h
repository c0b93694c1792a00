#if __has_include_next(<libxml/xlink.h>)
#include_next <libxml/xlink.h>
#else
#include <libxml2/libxml/xlink.h>
#endif
