#include "strata_xml.h"

#include <libxml/xmlversion.h>
// Only a private structure changes with it, and its headers need not be there.
#undef LIBXML_ICU_ENABLED
#include <libxml/parser.h>

#include <pthread.h>
#include <string.h>

// Looking for duplicates among a tag's attributes takes time that is quadratic in their number.
#define MAXIMUM_ATTRIBUTES 1000

struct strata_xml_parser {
    const strata_xml_listener *listener;
    xmlParserCtxtPtr context;
    /// Whether there is nothing more to tell.
    int is_done;
};

/// Stops the parser where there is nothing more to do. Only for the callbacks of elements and text: elsewhere the parser goes on to use
/// what stopping it frees.
static int stop_if_done(strata_xml_parser *parser) {
    if (parser->is_done && parser->context) xmlStopParser(parser->context);
    return parser->is_done;
}

/// Tells a refusal; the next element or text stops the parser.
static void refuse(strata_xml_parser *parser, int line, const char *message) {
    parser->is_done = 1;
    parser->listener->refuse(parser->listener->context, line, message);
}

static void begin_element(
    void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespaces, const xmlChar **pairs, int count,
    int defaulted, const xmlChar **attributes
) {
    strata_xml_parser *parser = context;
    (void)uri, (void)namespaces, (void)pairs, (void)defaulted;
    if (stop_if_done(parser)) return;
    if (prefix) return refuse(parser, -1, "an element has a namespace");
    if (!parser->listener->begin(parser->listener->context, name, attributes, count)) parser->is_done = 1;
    stop_if_done(parser);
}

static void end_element(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
    strata_xml_parser *parser = context;
    (void)name, (void)prefix, (void)uri;
    if (stop_if_done(parser)) return;
    if (!parser->listener->end(parser->listener->context, parser)) parser->is_done = 1;
    stop_if_done(parser);
}

static void meet_text(void *context, const xmlChar *text, int count) {
    strata_xml_parser *parser = context;
    if (stop_if_done(parser)) return;
    if (!parser->listener->text(parser->listener->context, text, count)) parser->is_done = 1;
    stop_if_done(parser);
}

static void meet_reference(void *context, const xmlChar *name) {
    (void)name;
    refuse(context, -1, "there is a reference to an entity");
}

static void refuse_declaration(strata_xml_parser *parser) { refuse(parser, -1, "the document type declares something of its own"); }

static void declare_entity(void *context, const xmlChar *name, int type, const xmlChar *id, const xmlChar *uri, xmlChar *content) {
    (void)name, (void)type, (void)id, (void)uri, (void)content;
    refuse_declaration(context);
}

static void declare_unparsed_entity(void *context, const xmlChar *name, const xmlChar *id, const xmlChar *uri, const xmlChar *notation) {
    (void)name, (void)id, (void)uri, (void)notation;
    refuse_declaration(context);
}

static void declare_notation(void *context, const xmlChar *name, const xmlChar *id, const xmlChar *uri) {
    (void)name, (void)id, (void)uri;
    refuse_declaration(context);
}

static void declare_element(void *context, const xmlChar *name, int type, xmlElementContentPtr content) {
    (void)name, (void)type, (void)content;
    refuse_declaration(context);
}

static void declare_attribute(
    void *context, const xmlChar *element, const xmlChar *name, int type, int mode, const xmlChar *value, xmlEnumerationPtr values
) {
    (void)element, (void)name, (void)type, (void)mode, (void)value;
    xmlFreeEnumeration(values);
    refuse_declaration(context);
}

#if LIBXML_VERSION >= 21200
typedef const xmlError *error_pointer;
#else
typedef xmlError *error_pointer;
#endif

static void meet_error(void *context, error_pointer error) {
    if (!error || error->level < XML_ERR_ERROR) return;
    char message[512] = "unknown error";
    if (error->message) {
        size_t length = strcspn(error->message, "\n");
        if (length >= sizeof message) length = sizeof message - 1;
        memcpy(message, error->message, length);
        message[length] = 0;
    }
    refuse(context, error->line, message);
}

static int read_bytes(void *context, char *bytes, int count) {
    strata_xml_parser *parser = context;
    if (count <= 0) return -1;
    if (parser->context && (parser->context->maxatts > MAXIMUM_ATTRIBUTES * 5 || parser->context->nsMax > MAXIMUM_ATTRIBUTES)) {
        refuse(parser, -1, "an element has too many attributes");
        return -1;
    }
    return parser->listener->read(parser->listener->context, bytes, count);
}

static xmlSAXHandler handler = {
    .initialized = XML_SAX2_MAGIC,
    .startElementNs = begin_element,
    .endElementNs = end_element,
    .characters = meet_text,
    .ignorableWhitespace = meet_text,
    .cdataBlock = meet_text,
    .reference = meet_reference,
    .entityDecl = declare_entity,
    .unparsedEntityDecl = declare_unparsed_entity,
    .notationDecl = declare_notation,
    .elementDecl = declare_element,
    .attributeDecl = declare_attribute,
    .serror = meet_error,
};

int strata_xml_parse(const strata_xml_listener *listener) {
    // Before the first parser and on one thread, as libxml2 wants it.
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, xmlInitParser);
    strata_xml_parser parser = {.listener = listener};
    xmlParserCtxtPtr context = xmlCreateIOParserCtxt(&handler, &parser, read_bytes, NULL, &parser, XML_CHAR_ENCODING_UTF8);
    if (!context) return 0;
    parser.context = context;
    xmlCtxtUseOptions(context, XML_PARSE_NONET | XML_PARSE_HUGE | XML_PARSE_IGNORE_ENC);
    xmlParseDocument(context);
    // The parser makes a document of its own accord where a document type is met.
    if (context->myDoc) xmlFreeDoc(context->myDoc);
    xmlFreeParserCtxt(context);
    return 1;
}

long strata_xml_position(strata_xml_parser *parser) { return xmlByteConsumed(parser->context); }

int strata_xml_is_equal(const unsigned char *text, const unsigned char *other) {
    return strcmp((const char *)text, (const char *)other) == 0;
}
