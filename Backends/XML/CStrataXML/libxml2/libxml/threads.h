#if __has_include_next(<libxml/threads.h>)
#include_next <libxml/threads.h>
#else
#include <libxml2/libxml/threads.h>
#endif
