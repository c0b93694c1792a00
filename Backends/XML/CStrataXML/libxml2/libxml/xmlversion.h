#if __has_include_next(<libxml/xmlversion.h>)
#include_next <libxml/xmlversion.h>
#elif __has_include(<libxml2/libxml/xmlversion.h>)
#include <libxml2/libxml/xmlversion.h>
#else
#error "libxml2's headers are missing: install libxml2-dev (Debian, Ubuntu, Alpine) or libxml2-devel (Fedora)"
#endif
