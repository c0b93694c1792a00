#if __has_include_next(<libxml/dict.h>)
#include_next <libxml/dict.h>
#else
#include <libxml2/libxml/dict.h>
#endif
