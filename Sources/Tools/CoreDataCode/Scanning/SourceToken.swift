struct SourceToken {
    enum Kind: Hashable {
        case word
        case quotedWord
        case number
        /// A string literal of any form, with its interpolations, or a regular expression.
        case literal
        case arrow
        /// A character on its own: a bracket, a separator, or one of an operator.
        case mark(Character)
        /// `#if`, `#elseif`, `#else` or `#endif`, to the end of its condition.
        case directive
        case end
    }

    let kind: Kind
    /// The range of its bytes.
    let range: Range<Int>
    let startsLine: Bool

    /// Whether it is an identifier or a keyword.
    var isName: Bool { kind == .word || kind == .quotedWord }
}

struct TokenizedSource {
    let path: String
    let bytes: [UInt8]
    /// The tokens; the last one is the end.
    let tokens: [SourceToken]
    /// The interpolations of string literals, in their order, from the backslash to the parenthesis.
    let interpolations: [Range<Int>]
    private let lineStarts: [Int]

    init(_ file: SourceFile) {
        path = file.path
        bytes = Array(file.text.utf8)
        var lexer = SourceLexer(bytes)
        tokens = lexer.tokens()
        interpolations = lexer.interpolations
        var starts = [0]
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") { starts.append(index + 1) }
        lineStarts = starts
    }

    /// Creates the tokens of a part of a source, such as an interpolation.
    init(_ whole: TokenizedSource, _ range: Range<Int>) {
        (path, bytes, lineStarts) = (whole.path, whole.bytes, whole.lineStarts)
        var lexer = SourceLexer(bytes, in: range)
        tokens = lexer.tokens()
        interpolations = lexer.interpolations
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// Returns the text of a token; of an identifier between backticks, without them.
    func text(_ token: SourceToken) -> String {
        token.kind == .quotedWord
            ? text(token.range.lowerBound + 1..<max(token.range.lowerBound + 1, token.range.upperBound - 1)) : text(token.range)
    }

    /// The first line end: a line feed, possibly after a carriage return.
    var lineEnd: String {
        let first = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? 0
        return first > 0 && bytes[first - 1] == UInt8(ascii: "\r") ? "\r\n" : "\n"
    }

    private func lineIndex(_ offset: Int) -> Int {
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return low
    }

    /// Returns the text before an offset on its line.
    func margin(before offset: Int) -> String { text(lineStarts[lineIndex(offset)]..<offset) }

    func firstOnLine(_ index: Int) -> Int { tokens[...index].lastIndex { $0.startsLine } ?? 0 }

    func location(_ offset: Int) -> SourceLocation {
        let line = lineIndex(offset)
        return SourceLocation(path: path, line: line + 1, column: offset - lineStarts[line] + 1)
    }
}
