import StrataModel

/// Reads the arguments of a format from a C argument list, whose types only the format's placeholders determine.
///
/// C's own formatter reads the list, whose layout depends on the system, and writes numbers and addresses as text.
enum VariadicArguments {
    /// The type of a placeholder's argument in the text of C's formatter.
    private enum Kind {
        case object, text, wideText, signed, unsigned, floating
    }

    /// Returns the arguments for the placeholders of a format, which the list must match.
    static func arguments(of format: String, _ list: CVaListPointer) -> [Any] {
        let placeholders = placeholders(format)
        if placeholders.isEmpty { return [] }
        var buffer = [CChar](repeating: 0, count: placeholders.count * 64)
        let conversions = placeholders.map(\.conversion).joined(separator: "\n")
        let length = unsafe buffer.withUnsafeMutableBufferPointer { unsafe vsnprintf($0.baseAddress, $0.count, conversions, list) }
        let written = buffer.prefix(Int(max(length, 0))).map { UInt8(bitPattern: $0) }
        let texts = String(decoding: written, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard texts.count == placeholders.count else { programmerError("the arguments of the format \"\(format)\" cannot be read") }
        return zip(placeholders, texts).map { value(String($1), $0.kind) }
    }

    private static func placeholders(_ format: String) -> [(kind: Kind, conversion: String)] {
        let text = Array(format.utf8)
        var found: [(Kind, String)] = []
        var scanner = FormatTextScanner(text)
        while let start = scanner.next(where: { $0 == UInt8(ascii: "%") }) {
            var offset = start + 1
            while offset < text.count, "+-0123456789.hlqLztj ".utf8.contains(text[offset]) { offset += 1 }
            guard offset < text.count else { break }
            let size = String(decoding: text[start + 1..<offset].filter { "hlqLztj".utf8.contains($0) }, as: UTF8.self)
            if let placeholder = placeholder(text[offset], size == "q" ? "ll" : size) { found.append(placeholder) }
            scanner.pass(offset - start)
        }
        return found
    }

    private static func placeholder(_ letter: UInt8, _ size: String) -> (kind: Kind, conversion: String)? {
        switch letter {
        case UInt8(ascii: "@"), UInt8(ascii: "K"): (.object, "%p")
        case UInt8(ascii: "s"): (.text, "%p")
        case UInt8(ascii: "S"): (.wideText, "%p")
        case UInt8(ascii: "d"), UInt8(ascii: "i"): (.signed, "%\(size)d")
        case UInt8(ascii: "c"), UInt8(ascii: "C"): (.signed, "%d")
        case UInt8(ascii: "D"): (.signed, "%ld")
        case UInt8(ascii: "u"), UInt8(ascii: "x"), UInt8(ascii: "X"), UInt8(ascii: "o"): (.unsigned, "%\(size)u")
        case UInt8(ascii: "U"), UInt8(ascii: "O"): (.unsigned, "%lu")
        case UInt8(ascii: "f"), UInt8(ascii: "F"), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "g"), UInt8(ascii: "G"),
            UInt8(ascii: "a"), UInt8(ascii: "A"):
            (.floating, size == "L" ? "%La" : "%a")
        default: nil
        }
    }

    private static func value(_ text: String, _ kind: Kind) -> Any {
        switch kind {
        case .signed: return Int64(text) ?? 0
        case .unsigned: return UInt64(text) ?? 0
        case .floating: return Double(text) ?? .nan
        case .object, .text, .wideText:
            guard text.hasPrefix("0x"), let address = UInt(text.dropFirst(2), radix: 16),
                let pointer = unsafe UnsafeRawPointer(bitPattern: address)
            else { return NSNull() }
            return unsafe value(at: pointer, kind)
        }
    }

    /// Returns the value at an argument's address.
    // Right: the placeholder determines the type, as in C's functions, and the list keeps the value alive.
    private static func value(at pointer: UnsafeRawPointer, _ kind: Kind) -> Any {
        switch kind {
        case .text: return unsafe String(cString: pointer.assumingMemoryBound(to: CChar.self))
        case .wideText: return unsafe String(decodingCString: pointer.assumingMemoryBound(to: UInt16.self), as: UTF16.self)
        default:
            let object = unsafe Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
            return (object as? ArgumentText)?.argument ?? object
        }
    }
}
