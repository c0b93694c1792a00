#if __has_include_next(<libxml/entities.h>)
#include_next <libxml/entities.h>
#else
#include <libxml2/libxml/entities.h>
#endif
