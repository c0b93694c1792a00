#if __has_include_next(<libxml/xmlerror.h>)
#include_next <libxml/xmlerror.h>
#else
#include <libxml2/libxml/xmlerror.h>
#endif
