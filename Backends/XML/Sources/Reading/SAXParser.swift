import CStrataXML

/// Runs libxml2's parser over a file and reports elements and text to the reader.
// Safe: the reader outlives the parsing, which is one call.
@safe struct SAXParser: ~Copyable {
    private let input: FileInput
    private let reader: UnsafeMutablePointer<DocumentReader>

    /// Reads a file until its end, or until the reader is done or fails.
    static func parse(_ input: FileInput, into reader: UnsafeMutablePointer<DocumentReader>) {
        let parser = UnsafeMutablePointer<SAXParser>.allocate(capacity: 1)
        unsafe parser.initialize(to: SAXParser(input: input, reader: reader))
        defer {
            unsafe parser.deinitialize(count: 1)
            unsafe parser.deallocate()
        }
        var listener = unsafe strata_xml_listener(
            context: parser,
            read: { context, bytes, count in
                guard let context = unsafe context, let bytes = unsafe bytes else { return -1 }
                return unsafe Int32(truncatingIfNeeded: SAXParser.of(context).pointee.input.read(into: bytes, count: Int(count)))
            },
            begin: { context, name, attributes, count in
                unsafe SAXParser.pass(context) { reader in
                    if let name = unsafe name {
                        unsafe reader.pointee.begin(name, ElementAttributes(pointers: attributes, count: Int(count)))
                    }
                }
            },
            end: { context, parser in
                unsafe SAXParser.pass(context) { unsafe $0.pointee.end(informationEnd: strata_xml_position(parser)) }
            },
            text: { context, text, count in
                unsafe SAXParser.pass(context) { reader in
                    if let text = unsafe text { unsafe reader.pointee.characters(text, Int(count)) }
                }
            },
            refuse: { context, line, message in
                guard let context = unsafe context, let message = unsafe message else { return }
                let reader = unsafe SAXParser.of(context).pointee.reader
                let text = unsafe String(cString: message)
                unsafe reader.pointee.fail(reader.pointee.errors.corrupt(line < 0 ? text : "line \(line): \(text)"))
            }
        )
        if unsafe strata_xml_parse(&listener) == 0 {
            unsafe reader.pointee.fail(reader.pointee.errors.tooLarge("there is no memory for a parser"))
        } else if unsafe !reader.pointee.isComplete, unsafe reader.pointee.failure == nil {
            unsafe reader.pointee.fail(reader.pointee.errors.corrupt("the file is truncated"))
        }
    }

    private static func of(_ context: UnsafeMutableRawPointer) -> UnsafeMutablePointer<SAXParser> {
        unsafe context.assumingMemoryBound(to: SAXParser.self)
    }

    /// Passes a part of the document to the reader, and returns whether the parser continues.
    private static func pass(_ context: UnsafeMutableRawPointer?, _ part: (UnsafeMutablePointer<DocumentReader>) -> Void) -> Int32 {
        guard let context = unsafe context else { return 0 }
        let reader = unsafe of(context).pointee.reader
        unsafe part(reader)
        return unsafe reader.pointee.failure != nil || reader.pointee.isComplete && reader.pointee.isMetadataOnly ? 0 : 1
    }
}
