/// The syntax error of a text in the format language: its position, and what was expected there.
public struct QueryFormatError: Error, Sendable, Hashable {
    /// The text that was parsed.
    public let format: String
    /// The position of the error, as a number of UTF-8 bytes from the start; at most the length of the text.
    public let utf8Offset: Int
    /// The expected text at the position.
    public let expected: String
    /// The text at the position, or the kind of the argument.
    public let found: String

    /// Creates an error at a position in a text.
    init(format: String, utf8Offset: Int, expected: String, found: String?) {
        self.format = format
        self.utf8Offset = min(utf8Offset, format.utf8.count)
        self.expected = expected
        self.found = found ?? QueryFormatError.excerpt(of: format, at: self.utf8Offset)
    }

    /// The position of the error, as a number of characters from the start.
    ///
    /// - Complexity: O(n) in the position, as for ``line`` and ``column``.
    public var position: Int { before.count }

    /// The line, from 1.
    public var line: Int { before.reduce(1) { $1.isNewline ? $0 + 1 : $0 } }

    /// The column, in characters from 1.
    public var column: Int { before.reversed().prefix { !$0.isNewline }.count + 1 }

    private var before: Substring { format[..<format.utf8.index(format.startIndex, offsetBy: utf8Offset)] }

    /// Returns the word, number or sign at a position.
    private static func excerpt(of format: String, at offset: Int) -> String {
        let rest = format[format.utf8.index(format.startIndex, offsetBy: offset)...].prefix(25)
        if rest.isEmpty { return "the end" }
        func isWord(_ character: Character) -> Bool { character.isLetter || character.isNumber || "_@#$%".contains(character) }
        func isSign(_ character: Character) -> Bool { "=!<>&|*:".contains(character) }
        let length = rest.prefix(while: isWord).count + rest.prefix(while: isSign).count
        return "\"\(rest.prefix(max(length, 1)))\(length > 24 ? "…" : "")\""
    }
}

extension QueryFormatError: CustomStringConvertible {
    /// Core Data's generic code.
    public var cocoaCode: Int { 134060 }

    /// The error with its position, such as: position 11: expected an operator (==, !=, <, …), found ")".
    public var description: String {
        let line = self.line
        return "\(line == 1 ? "position \(position)" : "line \(line), column \(column)"): expected \(expected), found \(found)"
    }
}

/// A failure within the parser; a class, so that the parser's frames stay small.
final class FormatFailure: Error {
    let offset: Int
    let expected: String
    /// The text found; `nil` for the text at the offset.
    let found: String?

    init(_ offset: Int, expected: String, found: String? = nil) {
        self.offset = offset
        self.expected = expected
        self.found = found
    }
}
