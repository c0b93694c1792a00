#if __has_include_next(<libxml/list.h>)
#include_next <libxml/list.h>
#else
#include <libxml2/libxml/list.h>
#endif
