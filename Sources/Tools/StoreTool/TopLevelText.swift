/// The words and items of a text in the format language that stand outside of quotes and brackets.
public struct TopLevelText {
    /// The words that white space surrounds; none behind a `#`.
    public private(set) var words: [Substring] = []
    /// The parts between commas.
    public private(set) var items: [Substring] = []

    /// Divides a text.
    ///
    /// - Throws: `CommandFailure` where a quoted text does not end.
    public init(_ text: some StringProtocol) throws {
        let text = Substring(text)
        var index = text.startIndex
        var item = index
        var depth = 0
        var word: String.Index?
        func isBoundary(_ index: String.Index) -> Bool { index == text.endIndex || text[index].isWhitespace }
        while index < text.endIndex {
            let character = text[index]
            let next = text.index(after: index)
            switch character {
            case "\"", "'":
                index = try TopLevelText.end(ofQuoteAt: index, in: text)
                word = nil
                continue
            case "(", "{", "[": depth += 1
            case ")", "}", "]": depth -= 1
            case "," where depth == 0:
                items.append(text[item..<index])
                item = next
            default: break
            }
            if character.isLetter || character == "_" || (character.isNumber && word != nil) {
                if word == nil, index == text.startIndex || text[text.index(before: index)].isWhitespace { word = index }
                if let start = word, depth == 0, isBoundary(next) { words.append(text[start..<next]) }
            } else {
                word = nil
            }
            index = next
        }
        items.append(text[item...])
    }

    private static func end(ofQuoteAt start: String.Index, in text: Substring) throws -> String.Index {
        var index = text.index(after: start)
        while index < text.endIndex {
            let next = text.index(after: index)
            if text[index] == text[start] { return next }
            index = text[index] == "\\" && next < text.endIndex ? text.index(after: next) : next
        }
        let position = text.base.distance(from: text.base.startIndex, to: start)
        throw CommandFailure(.data, "the quoted text does not end\n\(CommandFailure.marked(text.base, at: position))")
    }
}
