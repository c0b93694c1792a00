/// Divides Swift source into tokens; strings and comments are only skipped.
struct SourceLexer {
    private let bytes: [UInt8]
    private var index = 0
    private var found: [SourceToken] = []
    private var isAtLineStart = true
    /// The interpolations of string literals, from the backslash to the parenthesis; not nested ones.
    private(set) var interpolations: [Range<Int>] = []
    private var interpolationDepth = 0
    private let end: Int

    /// - Parameter range: The bytes to read; all of them by default.
    init(_ bytes: [UInt8], in range: Range<Int>? = nil) {
        self.bytes = bytes
        index = range?.lowerBound ?? 0
        end = range?.upperBound ?? bytes.count
    }

    mutating func tokens() -> [SourceToken] {
        if index == 0, bytes.starts(with: [0x23, 0x21]) { skipLine() }
        while index < end {
            let start = index
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "\n"):
                isAtLineStart = true
                index += 1
                continue
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), 0, 0x0B, 0x0C:
                index += 1
                continue
            case UInt8(ascii: "/") where next == UInt8(ascii: "/"):
                skipLine()
                continue
            case UInt8(ascii: "/") where next == UInt8(ascii: "*"):
                skipComment()
                continue
            case UInt8(ascii: "/"):
                add(skipRegularExpression(marks: 0) ? .literal : mark(), from: start)
            case UInt8(ascii: "\""):
                skipString(marks: 0)
                add(.literal, from: start)
            case UInt8(ascii: "#"):
                add(numberSign(), from: start)
            case UInt8(ascii: "`"):
                index += 1
                skip { $0 != UInt8(ascii: "`") && $0 != UInt8(ascii: "\n") }
                index = min(index + 1, bytes.count)
                add(.quotedWord, from: start)
            case UInt8(ascii: "-") where next == UInt8(ascii: ">"):
                index += 2
                add(.arrow, from: start)
            case _ where SourceLexer.isWord(byte):
                skip(while: SourceLexer.isWord)
                add(SourceLexer.isDigit(byte) ? .number : .word, from: start)
            default:
                add(mark(), from: start)
            }
        }
        add(.end, from: index)
        return found
    }

    private mutating func add(_ kind: SourceToken.Kind, from start: Int) {
        found.append(SourceToken(kind: kind, range: start..<index, startsLine: isAtLineStart))
        isAtLineStart = false
    }

    private mutating func mark() -> SourceToken.Kind {
        defer { index += 1 }
        return .mark(Character(Unicode.Scalar(bytes[index])))
    }

    private var next: UInt8? { byte(index + 1) }

    private func byte(_ offset: Int) -> UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// The number of number signs from here on.
    private var markCount: Int { bytes[index...].prefix { $0 == UInt8(ascii: "#") }.count }

    private mutating func skip(while condition: (UInt8) -> Bool) {
        while index < bytes.count, condition(bytes[index]) { index += 1 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    /// Returns whether a byte is part of an identifier; beyond ASCII all are.
    private static func isWord(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte >= 0x80
            || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
    }

    // MARK: - Comments

    private mutating func skipLine() { skip { $0 != UInt8(ascii: "\n") } }

    /// Skips a comment and nested ones; the next token on its last line does not start a line, unless the comment did.
    private mutating func skipComment() {
        var depth = 0
        while index < bytes.count {
            switch (bytes[index], next) {
            case (UInt8(ascii: "/"), UInt8(ascii: "*")):
                depth += 1
                index += 2
            case (UInt8(ascii: "*"), UInt8(ascii: "/")):
                depth -= 1
                index += 2
                if depth == 0 { return }
            default:
                if bytes[index] == UInt8(ascii: "\n") { isAtLineStart = true }
                index += 1
            }
        }
    }

    // MARK: - Number signs

    private mutating func numberSign() -> SourceToken.Kind {
        let marks = markCount
        if byte(index + marks) == UInt8(ascii: "\"") {
            index += marks
            skipString(marks: marks)
            return .literal
        }
        if byte(index + marks) == UInt8(ascii: "/"), skipRegularExpression(marks: marks) { return .literal }
        for name in ["#if", "#elseif", "#else", "#endif"] where isWord(name) {
            skipCondition()
            return .directive
        }
        return mark()
    }

    private func isWord(_ name: String) -> Bool {
        let end = index + name.utf8.count
        return bytes[index...].starts(with: name.utf8) && (end >= bytes.count || !SourceLexer.isWord(bytes[end]))
    }

    /// Skips a condition: to the end of a line without open parentheses or operator.
    private mutating func skipCondition() {
        var depth = 0
        var end = index
        defer { index = end }
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            case UInt8(ascii: "/") where next == UInt8(ascii: "/"):
                if depth <= 0 { return }
                skipLine()
                continue
            case UInt8(ascii: "/") where next == UInt8(ascii: "*"):
                skipComment()
                continue
            case UInt8(ascii: "\n") where depth <= 0 && !["&&", "||"].contains(where: { bytes[..<end].suffix(2).elementsEqual($0.utf8) }):
                return
            default: break
            }
            if bytes[index] > UInt8(ascii: " ") { end = index + 1 }
            index += 1
        }
    }

    // MARK: - Strings

    /// Skips a string literal that begins at a quotation mark, after `marks` number signs.
    private mutating func skipString(marks: Int) {
        let isLong = bytes[index...].starts(with: "\"\"\"".utf8)
        let quotes = isLong ? "\"\"\"" : "\""
        index += quotes.utf8.count
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\\") where hasMarks(marks, at: index + 1):
                let start = index
                index += 1 + marks
                guard byte(index) == UInt8(ascii: "(") else {
                    index += 1
                    continue
                }
                interpolationDepth += 1
                skipInterpolation()
                interpolationDepth -= 1
                if interpolationDepth == 0 { interpolations.append(start..<index) }
            case UInt8(ascii: "\"") where bytes[index...].starts(with: quotes.utf8) && hasMarks(marks, at: index + quotes.utf8.count):
                index += quotes.utf8.count + marks
                return
            case UInt8(ascii: "\n") where !isLong:
                return
            default:
                index += 1
            }
        }
        index = min(index, bytes.count)
    }

    private func hasMarks(_ count: Int, at offset: Int) -> Bool {
        offset <= bytes.count && bytes[offset...].starts(with: repeatElement(UInt8(ascii: "#"), count: count))
    }

    /// Skips parentheses with expressions, which may contain strings.
    private mutating func skipInterpolation() {
        var depth = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "("):
                depth += 1
                index += 1
            case UInt8(ascii: ")"):
                depth -= 1
                index += 1
                if depth == 0 { return }
            case UInt8(ascii: "\""):
                skipString(marks: 0)
            case UInt8(ascii: "#"):
                let marks = markCount
                index += marks
                if byte(index) == UInt8(ascii: "\"") { skipString(marks: marks) }
            case UInt8(ascii: "/") where next == UInt8(ascii: "*"):
                skipComment()
            default:
                index += 1
            }
        }
    }

    /// Skips a regular expression if one begins; a slash after an operand, or alone on the line, is an operator.
    private mutating func skipRegularExpression(marks: Int) -> Bool {
        let start = index + marks + 1
        guard start < bytes.count else { return false }
        if marks == 0 {
            if let last = found.last, !isAtLineStart {
                switch last.kind {
                case .number, .literal, .quotedWord, .mark(")"), .mark("]"), .mark("}"), .mark("?"), .mark("!"): return false
                case .word where !["return", "in", "case", "try", "await"].contains(String(decoding: bytes[last.range], as: UTF8.self)):
                    return false
                default: break
                }
            }
            guard bytes[start] > UInt8(ascii: " ") else { return false }
        }
        var end = start
        var isInClass = false
        while end < bytes.count, marks > 0 || bytes[end] != UInt8(ascii: "\n") {
            switch bytes[end] {
            case UInt8(ascii: "\\"): end += 1
            case UInt8(ascii: "["): isInClass = true
            case UInt8(ascii: "]"): isInClass = false
            case UInt8(ascii: "/") where !isInClass && hasMarks(marks, at: end + 1):
                index = end + 1 + marks
                return true
            default: break
            }
            end += 1
        }
        return false
    }
}
