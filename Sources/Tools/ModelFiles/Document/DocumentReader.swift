/// Parses the XML of models: elements, attributes and text in UTF-8, without document types.
///
/// Foundation's parser accepts mismatched and truncated elements, expands entities, and loses the attributes' order.
struct DocumentReader {
    private typealias Element = ModelDocument.Element

    private let bytes: [UInt8]
    private let limits: ModelFileLimits
    private let allowsDocumentType: Bool
    private var position = 0
    private var line = 1
    private var count = 0

    /// - Parameter allowsDocumentType: Whether a document type without declarations, as in a property list, is skipped.
    init(_ bytes: [UInt8], limits: ModelFileLimits, allowsDocumentType: Bool = false) throws(ModelFileError) {
        self.bytes = bytes
        self.limits = limits
        self.allowsDocumentType = allowsDocumentType
        guard String(validating: bytes, as: UTF8.self) != nil else { throw ModelFileError(.malformedXML, "the text is not in UTF-8") }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// Reads the root, which only comments may follow.
    mutating func document() throws(ModelFileError) -> ModelDocument.Element {
        try prologue()
        guard peek() == UInt8(ascii: "<") else { throw problem("the text has no element") }
        let root = try tree()
        while true {
            skipSpace()
            if position == bytes.count { return root }
            guard try skipAside() else { throw problem("something stands behind the root element") }
        }
    }

    private mutating func prologue() throws(ModelFileError) {
        if starts("<?xml"), let end = find("?>") {
            let declaration = String(decoding: bytes[position..<end], as: UTF8.self).lowercased()
            if declaration.contains("encoding"), !declaration.contains("utf-8"), !declaration.contains("us-ascii") {
                throw problem("the text is declared to be in another encoding than UTF-8")
            }
            advance(to: end + 2)
        }
        while true {
            skipSpace()
            if starts("<!DOCTYPE") {
                guard allowsDocumentType, let end = bytes[position...].firstIndex(of: UInt8(ascii: ">")),
                    !bytes[position..<end].contains(UInt8(ascii: "["))
                else { throw problem(.documentType, "a document type is not allowed") }
                advance(to: end + 1)
            } else {
                guard try skipAside() else { return }
            }
        }
    }

    // MARK: - Elements

    private mutating func tree() throws(ModelFileError) -> ModelDocument.Element {
        var open: [Element] = []
        while true {
            guard position < bytes.count else {
                throw problem("the text ends within \(open.last.map { "the element \($0.name) of line \($0.line ?? 0)" } ?? "an element")")
            }
            var closed: Element?
            if try skipAside() { continue }
            if starts("<![CDATA[") {
                guard let end = find("]]>") else { throw problem("a CDATA section has no end") }
                append(String(decoding: bytes[(position + 9)..<end], as: UTF8.self), to: &open)
                advance(to: end + 3)
            } else if starts("<!") {
                throw problem(.documentType, "a declaration is not allowed")
            } else if starts("</") {
                advance(to: position + 2)
                let name = try name()
                skipSpace()
                try expect(UInt8(ascii: ">"))
                guard let last = open.popLast(), last.name == name else { throw problem("the element \(name) ends where it did not begin") }
                closed = last
            } else if peek() == UInt8(ascii: "<") {
                guard open.count < limits.nesting else {
                    throw problem(.limitExceeded, "more than \(limits.nesting) elements are within each other")
                }
                let (element, isEmpty) = try start()
                if isEmpty { closed = element } else { open.append(element) }
            } else {
                // White space before a text, or without one, is skipped.
                if open.last?.text.isEmpty == true { skipSpace() }
                if peek() != UInt8(ascii: "<") { append(try text(until: UInt8(ascii: "<"), isAttribute: false), to: &open) }
            }
            guard var closed else { continue }
            closed.text = trimmed(closed.text)
            if open.isEmpty { return closed }
            open[open.count - 1].children.append(closed)
        }
    }

    private func append(_ text: String, to open: inout [Element]) { if !open.isEmpty { open[open.count - 1].text += text } }

    private mutating func start() throws(ModelFileError) -> (Element, isEmpty: Bool) {
        count += 1
        guard count <= limits.elements else { throw problem(.limitExceeded, "there are more than \(limits.elements) elements") }
        let begin = line
        advance(to: position + 1)
        var element = Element(try name(), line: begin)
        // Most elements have a few attributes, an attack may have thousands.
        var names: Set<String> = []
        func isNew(_ name: String) -> Bool {
            if element.attributes.count < 24 { return !element.attributes.contains { $0.name == name } }
            if names.isEmpty { names = Set(element.attributes.map(\.name)) }
            return names.insert(name).inserted
        }
        while true {
            let before = position
            skipSpace()
            if starts("/>") {
                advance(to: position + 2)
                return (element, true)
            }
            if peek() == UInt8(ascii: ">") {
                advance(to: position + 1)
                return (element, false)
            }
            guard position > before else { throw problem("the element \(element.name) is not closed") }
            let name = try name()
            guard isNew(name) else { throw problem("the element \(element.name) has the attribute \(name) twice") }
            skipSpace()
            try expect(UInt8(ascii: "="))
            skipSpace()
            guard let quote = peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
                throw problem("the attribute \(name) has no value in quotation marks")
            }
            advance(to: position + 1)
            let value = try text(until: quote, isAttribute: true)
            try expect(quote)
            element.attributes.append(.init(name, value))
        }
    }

    private mutating func name() throws(ModelFileError) -> String {
        let begin = position
        while let byte = peek(), byte >= 0x80 || isNameByte(byte) { position += 1 }
        guard begin < position, !(0x2D...0x39).contains(bytes[begin]) else { throw problem("a name is missing") }
        return String(decoding: bytes[begin..<position], as: UTF8.self)
    }

    private func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x3A, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
    }

    // MARK: - Text

    /// Returns the text up to a byte, with resolved references; in attributes line ends and tabs are spaces, as in XML.
    private mutating func text(until end: UInt8, isAttribute: Bool) throws(ModelFileError) -> String {
        let begin = position
        while position < bytes.count, bytes[position] >= 0x20, bytes[position] != end, bytes[position] != UInt8(ascii: "&"),
            bytes[position] != UInt8(ascii: "<")
        { position += 1 }
        if peek() == end { return String(decoding: bytes[begin..<position], as: UTF8.self) }
        var text = Array(bytes[begin..<position])
        while let byte = peek(), byte != end {
            switch byte {
            case UInt8(ascii: "&"):
                text += try reference()
                continue
            case UInt8(ascii: "<"): throw problem("a value has a < that is not escaped")
            case 0x0D:
                if position + 1 == bytes.count || bytes[position + 1] != 0x0A { text.append(isAttribute ? 0x20 : 0x0A) }
            case 0x09, 0x0A: text.append(isAttribute ? 0x20 : byte)
            case 0..<0x20: throw problem("the text has a control character")
            default: text.append(byte)
            }
            advance(to: position + 1)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static let entities: [String: UInt8] = [
        "amp": UInt8(ascii: "&"), "lt": UInt8(ascii: "<"), "gt": UInt8(ascii: ">"), "quot": UInt8(ascii: "\""), "apos": UInt8(ascii: "'"),
    ]

    private mutating func reference() throws(ModelFileError) -> [UInt8] {
        let window = bytes[position..<min(position + 12, bytes.count)]
        guard let end = window.firstIndex(of: UInt8(ascii: ";")) else { throw problem("an & is not escaped") }
        let name = String(decoding: bytes[(position + 1)..<end], as: UTF8.self)
        defer { position = end + 1 }
        if let byte = DocumentReader.entities[name] { return [byte] }
        let digits = name.hasPrefix("#x") ? name.dropFirst(2) : name.dropFirst(1)
        guard name.hasPrefix("#"), digits.allSatisfy(\.isHexDigit), let number = UInt32(digits, radix: name.hasPrefix("#x") ? 16 : 10),
            let scalar = Unicode.Scalar(number), number >= 0x20 || number == 9 || number == 10 || number == 13
        else { throw problem("the text refers to \(name), which is not known") }
        return Array(String(Character(scalar)).utf8)
    }

    private func trimmed(_ text: String) -> String {
        guard !text.isEmpty else { return text }
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let bytes = Array(text.utf8)
        guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }

    // MARK: - Bytes

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private func starts(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard position + count <= bytes.count else { return false }
        return text.withUTF8Buffer { wanted in
            for offset in 0..<count where unsafe wanted[offset] != bytes[position + offset] { return false }
            return true
        }
    }

    private func find(_ text: StaticString) -> Int? { bytes[position...].firstRange(of: Array(text.description.utf8))?.lowerBound }

    private mutating func advance(to end: Int) {
        while position < end {
            if bytes[position] == 0x0A { line += 1 }
            position += 1
        }
    }

    private mutating func expect(_ byte: UInt8) throws(ModelFileError) {
        guard peek() == byte else { throw problem("a \(Character(Unicode.Scalar(byte))) is missing") }
        position += 1
    }

    private mutating func skipSpace() {
        while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { advance(to: position + 1) }
    }

    /// Skips a comment or an instruction, if there is one.
    private mutating func skipAside() throws(ModelFileError) -> Bool {
        if try skip("<!--", "-->") { return true }
        return try skip("<?", "?>")
    }

    private mutating func skip(_ begin: StaticString, _ end: StaticString) throws(ModelFileError) -> Bool {
        guard starts(begin) else { return false }
        guard let offset = find(end) else { throw problem("\(begin) has no end") }
        advance(to: offset + end.description.utf8.count)
        return true
    }

    private func problem(_ message: String) -> ModelFileError { problem(.malformedXML, message) }

    private func problem(_ code: ModelFileError.Code, _ message: String) -> ModelFileError {
        ModelFileError(code, line: line, message)
    }
}
