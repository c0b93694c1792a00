#ifndef STRATA_XML_H
#define STRATA_XML_H

/// A parser at work on a document.
typedef struct strata_xml_parser strata_xml_parser;

/// Who hears of a document's parts as they are met. Each function gets `context`; texts are UTF-8 and valid during the call.
typedef struct {
    void *context;
    /// Fills at most `count` bytes, and answers how many: 0 at the end of the document, -1 where it cannot be read.
    int (*read)(void *context, char *bytes, int count);
    /// An element begins. Five pointers stand for each of the `count` attributes: local name, prefix, namespace, beginning and end of the
    /// value. Answers whether to go on.
    int (*begin)(void *context, const unsigned char *name, const unsigned char *const *attributes, int count);
    /// An element ends. Answers whether to go on.
    int (*end)(void *context, strata_xml_parser *parser);
    /// Text, or a part of one. Answers whether to go on.
    int (*text)(void *context, const unsigned char *text, int count);
    /// What the document holds is no well-formed XML, or what no store has; nothing but more of this is told from then on. The line is -1
    /// where it is not known.
    void (*refuse)(void *context, int line, const char *message);
} strata_xml_listener;

/// Reads a document to its end, or until the listener wants no more of it or the parser refuses it. Answers 0 where there is no memory.
///
/// Nothing is fetched, no document type is loaded, no entity is declared or expanded, no tree is built. The number of an element's
/// attributes is bounded here, all else by the listener and the length of the document.
int strata_xml_parse(const strata_xml_listener *listener);

/// How many bytes of the document the parser has left behind.
long strata_xml_position(strata_xml_parser *parser);

/// Whether a text is one that ends with a zero.
int strata_xml_is_equal(const unsigned char *text, const unsigned char *other);

#endif
