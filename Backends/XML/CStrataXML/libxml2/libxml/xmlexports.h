#if __has_include_next(<libxml/xmlexports.h>)
#include_next <libxml/xmlexports.h>
#else
#include <libxml2/libxml/xmlexports.h>
#endif
