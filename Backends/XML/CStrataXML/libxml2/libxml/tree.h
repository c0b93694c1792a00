#if __has_include_next(<libxml/tree.h>)
#include_next <libxml/tree.h>
#else
#include <libxml2/libxml/tree.h>
#endif
