/// A position among the tokens of a file.
struct TokenCursor {
    let source: TokenizedSource
    var index = 0

    var token: SourceToken { source.tokens[index] }
    var kind: SourceToken.Kind { token.kind }
    var isAtEnd: Bool { kind == .end }
    var location: SourceLocation { source.location(token.range.lowerBound) }

    func peek(_ distance: Int = 1) -> SourceToken { source.tokens[min(index + distance, source.tokens.count - 1)] }

    mutating func advance() { if !isAtEnd { index += 1 } }

    var text: String { source.text(token) }

    /// Returns whether the token is a keyword, or an operator's character.
    func isWord(_ word: String) -> Bool { kind == .word && source.bytes[token.range].elementsEqual(word.utf8) }
    func isMark(_ mark: Character) -> Bool { kind == .mark(mark) }

    mutating func take(word: String) -> Bool {
        guard isWord(word) else { return false }
        advance()
        return true
    }

    mutating func take(_ mark: Character) -> Bool {
        guard isMark(mark) else { return false }
        advance()
        return true
    }

    mutating func takeName() -> String? {
        guard token.isName else { return nil }
        defer { advance() }
        return text
    }

    /// Reads elements with commas between them, and the mark after them; `nil` if one is malformed.
    mutating func takeList<Element>(to end: Character, _ take: (inout TokenCursor) -> Element?) -> [Element]? {
        var elements: [Element] = []
        while !isMark(end) {
            guard let element = take(&self) else { return nil }
            elements.append(element)
            if !self.take(",") { break }
        }
        return self.take(end) ? elements : nil
    }

    /// Skips a bracketed part of any kind; one token if it is no bracket.
    mutating func skipBalanced() {
        var depth = 0
        repeat {
            switch kind {
            case .mark("("), .mark("["), .mark("{"): depth += 1
            case .mark(")"), .mark("]"), .mark("}"): depth -= 1
            default: break
            }
            advance()
        } while depth > 0 && !isAtEnd
    }

    /// Skips generic parameters or arguments in angle brackets.
    mutating func skipAngles() {
        var depth = 0
        repeat {
            switch kind {
            case .mark("<"): depth += 1
            case .mark(">"): depth -= 1
            case .mark("{"), .mark("}"), .end: return
            default: break
            }
            advance()
        } while depth > 0
    }
}
