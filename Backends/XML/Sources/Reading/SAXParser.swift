internal import CLibXML2

/// Runs libxml2's parser over a file: elements and text reach the reader, nothing else is done.
///
/// Nothing is fetched, no document type is loaded, no entity is declared or expanded, no tree is built. Depth and shape are bounded by
/// the reader, the number of attributes here, all else by the length of the file.
struct SAXParser: ~Copyable {
    private let input: FileInput
    private let reader: UnsafeMutablePointer<DocumentReader>
    private var context: xmlParserCtxtPtr?

    private static let maximumAttributes: Int32 = 1000
    // Done once, before the first parser and on one thread, as libxml2 wants it.
    private static let initialized: Void = xmlInitParser()

    /// Reads a file to its end, or until the reader has what it wants or fails.
    static func parse(_ input: FileInput, into reader: UnsafeMutablePointer<DocumentReader>) {
        _ = initialized
        let parser = UnsafeMutablePointer<SAXParser>.allocate(capacity: 1)
        parser.initialize(to: SAXParser(input: input, reader: reader))
        defer {
            parser.deinitialize(count: 1)
            parser.deallocate()
        }
        var handler = SAXParser.handler
        guard
            let context = xmlCreateIOParserCtxt(
                &handler,
                parser,
                { context, buffer, count in SAXParser.read(context, buffer, count) },
                nil,
                parser,
                XML_CHAR_ENCODING_UTF8
            )
        else { return reader.pointee.fail(reader.pointee.errors.tooLarge("there is no memory for a parser")) }
        defer {
            // The parser makes a document of its own accord where a document type is met.
            if let document = context.pointee.myDoc { xmlFreeDoc(document) }
            xmlFreeParserCtxt(context)
        }
        parser.pointee.context = context
        let options = XML_PARSE_NONET.rawValue | XML_PARSE_HUGE.rawValue | XML_PARSE_IGNORE_ENC.rawValue
        xmlCtxtUseOptions(context, Int32(bitPattern: UInt32(options)))
        xmlParseDocument(context)
        if !reader.pointee.isComplete, reader.pointee.failure == nil {
            reader.pointee.fail(reader.pointee.errors.corrupt("the file ends early"))
        }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<SAXParser>? {
        context?.assumingMemoryBound(to: SAXParser.self)
    }

    private static var handler: xmlSAXHandler {
        var handler = xmlSAXHandler()
        handler.initialized = UInt32(XML_SAX2_MAGIC)
        handler.startElementNs = { context, name, prefix, _, _, _, count, _, attributes in
            guard let parser = SAXParser.of(context), let name, !parser.pointee.stopIfDone() else { return }
            if prefix != nil { return parser.pointee.refuse("an element has a namespace") }
            parser.pointee.reader.pointee.begin(name, ElementAttributes(pointers: attributes, count: Int(count)))
            parser.pointee.stopIfDone()
        }
        handler.endElementNs = { context, _, _, _ in
            guard let parser = SAXParser.of(context), !parser.pointee.stopIfDone() else { return }
            parser.pointee.reader.pointee.end(informationEnd: xmlByteConsumed(parser.pointee.context))
            parser.pointee.stopIfDone()
        }
        handler.characters = { context, text, count in
            guard let parser = SAXParser.of(context), let text, !parser.pointee.stopIfDone() else { return }
            parser.pointee.reader.pointee.characters(text, Int(count))
            parser.pointee.stopIfDone()
        }
        handler.ignorableWhitespace = handler.characters
        handler.cdataBlock = handler.characters
        handler.reference = { context, _ in SAXParser.of(context)?.pointee.refuse("there is a reference to an entity") }
        handler.entityDecl = { context, _, _, _, _, _ in SAXParser.of(context)?.pointee.refuseDeclaration() }
        handler.unparsedEntityDecl = { context, _, _, _, _ in SAXParser.of(context)?.pointee.refuseDeclaration() }
        handler.notationDecl = { context, _, _, _ in SAXParser.of(context)?.pointee.refuseDeclaration() }
        handler.elementDecl = { context, _, _, _ in SAXParser.of(context)?.pointee.refuseDeclaration() }
        handler.attributeDecl = { context, _, _, _, _, _, tree in
            xmlFreeEnumeration(tree)
            SAXParser.of(context)?.pointee.refuseDeclaration()
        }
        handler.serror = { context, error in
            guard let parser = SAXParser.of(context), let error, error.pointee.level.rawValue >= XML_ERR_ERROR.rawValue else { return }
            let message = error.pointee.message.map { String(cString: $0) } ?? "unknown error"
            parser.pointee.refuse("line \(error.pointee.line): \(message.split(separator: "\n").first ?? "")")
        }
        return handler
    }

    private static func read(
        _ context: UnsafeMutableRawPointer?,
        _ buffer: UnsafeMutablePointer<CChar>?,
        _ count: Int32
    ) -> Int32 {
        guard let parser = of(context), let buffer, count > 0 else { return -1 }
        if let context = parser.pointee.context {
            // Looking for duplicates among a tag's attributes takes time that is quadratic in their number.
            if context.pointee.maxatts > maximumAttributes * 5 || context.pointee.nsMax > maximumAttributes {
                parser.pointee.refuse("an element has too many attributes")
                return -1
            }
        }
        return Int32(truncatingIfNeeded: parser.pointee.input.read(into: buffer, count: Int(count)))
    }

    private func refuseDeclaration() { refuse("the document type declares something of its own") }

    /// Records a failure; the next element or text stops the parser.
    private func refuse(_ message: String) { reader.pointee.fail(reader.pointee.errors.corrupt(message)) }

    /// Stops the parser where there is nothing more to do.
    ///
    /// Only for the callbacks of elements and text: elsewhere the parser goes on to use what stopping it frees.
    @discardableResult
    private func stopIfDone() -> Bool {
        guard reader.pointee.failure != nil || reader.pointee.isComplete && reader.pointee.isMetadataOnly, let context else { return false }
        xmlStopParser(context)
        return true
    }
}
