/// Core Data's `FETCH(request, context, countOnly)`; the format language's own takes an entity and a condition.
enum FetchFormat {
    /// The name of the function that replaces it in a tree.
    static let name = "FETCH:context:countOnly:"

    private static let null = Array("<null>".utf8)

    /// Returns the text with a function's call in place of each fetch with a placeholder, a variable, or a call.
    ///
    /// `<null>`, which `NSNull` prints as, becomes nil.
    static func parsable(_ format: String) -> String {
        let text = Array(format.utf8)
        var parsable: [UInt8] = []
        // The bytes that are copied already.
        var taken = 0
        var scanner = FormatTextScanner(text)
        while let offset = scanner.next(where: { $0 | 0x20 == UInt8(ascii: "f") || $0 == UInt8(ascii: "<") }) {
            if text[offset...].starts(with: null) {
                parsable += text[taken..<offset] + Array(" nil ".utf8)
                taken = offset + null.count
                continue
            }
            guard let call = call(text, offset) else { continue }
            parsable += text[taken..<offset] + Array("FUNCTION(".utf8) + text[call.request] + Array(", \"\(name)\",".utf8)
            taken = call.end
        }
        return taken == 0 ? format : String(decoding: parsable + text[taken...], as: UTF8.self)
    }

    /// Returns the request of a fetch that begins at an offset, and the end of the comma after it; `nil` if none does.
    private static func call(_ text: [UInt8], _ start: Int) -> (request: Range<Int>, end: Int)? {
        let word = Array("FETCH".utf8)
        var offset = start + word.count
        guard offset < text.count, zip(text[start..<offset], word).allSatisfy({ $0 & 0xDF == $1 }), start == 0 || !isOfName(text[start - 1])
        else { return nil }
        func skip(where isSkipped: (UInt8) -> Bool) { while offset < text.count, isSkipped(text[offset]) { offset += 1 } }
        func pass(_ byte: UInt8) -> Bool {
            skip { $0 <= UInt8(ascii: " ") }
            guard offset < text.count, text[offset] == byte else { return false }
            offset += 1
            return true
        }
        guard pass(UInt8(ascii: "(")) else { return nil }
        skip { $0 <= UInt8(ascii: " ") }
        let request = offset
        if pass(UInt8(ascii: "%")) {
            if !pass(UInt8(ascii: "@")) { return nil }
        } else if pass(UInt8(ascii: "$")) {
            skip(where: isOfName)
        } else if let end = functionCall(text, offset) {
            offset = end
        } else {
            return nil
        }
        let end = offset
        return pass(UInt8(ascii: ",")) ? (request..<end, offset) : nil
    }

    /// Returns the end of a `FUNCTION(…)` that begins at an offset; `nil` if none does.
    private static func functionCall(_ text: [UInt8], _ start: Int) -> Int? {
        let word = Array("FUNCTION".utf8)
        guard text.count > start + word.count, zip(text[start...], word).allSatisfy({ $0 & 0xDF == $1 }),
            !isOfName(text[start + word.count])
        else { return nil }
        var depth = 0
        var scanner = FormatTextScanner(text)
        scanner.pass(start + word.count)
        while let offset = scanner.next(where: { $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: ")") }) {
            depth += text[offset] == UInt8(ascii: "(") ? 1 : -1
            if depth == 0 { return offset + 1 }
        }
        return nil
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }
}

/// Scans a text of the format language, skipping quoted parts.
struct FormatTextScanner {
    private let text: [UInt8]
    private var position = 0

    init(_ text: [UInt8]) { self.text = text }

    /// Returns the offset of the next byte outside quotes that meets a condition; `nil` if there is none.
    mutating func next(where isMet: (UInt8) -> Bool) -> Int? {
        while position < text.count {
            let offset = position
            let byte = text[offset]
            position += 1
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { passQuoted(byte) }
            if isMet(byte) { return offset }
        }
        return nil
    }

    /// Skips some bytes.
    mutating func pass(_ count: Int) { position = min(position + count, text.count) }

    private mutating func passQuoted(_ quote: UInt8) {
        while position < text.count, text[position] != quote { position += text[position] == UInt8(ascii: "\\") ? 2 : 1 }
        pass(1)
    }
}
