#if __has_include_next(<libxml/valid.h>)
#include_next <libxml/valid.h>
#else
#include <libxml2/libxml/valid.h>
#endif
