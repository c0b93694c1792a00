import StrataModelCode

/// Selectors, which are Objective-C names of functions.
extension ExpressionPort {
    mutating func portSelector() {
        guard cursor.peek(2).kind == .mark("(") else { return }
        var reader = cursor
        reader.advance()
        reader.advance()
        let first = reader.index + 1
        reader.skipBalanced()
        let source = cursor.source
        let end = max(first, reader.index - 1)
        let comparison = comparison(first..<end)
        if let range = use(asNameThrough: end), let name = comparison ?? accessor(first..<end) ?? function(first..<end) {
            edits.append(SourceEdit(range: range, text: SwiftName.literal(name)))
        } else if let comparison {
            // Two parentheses mark the text as intended for the compiler.
            let range = cursor.token.range.lowerBound..<source.tokens[end].range.upperBound
            edits.append(SourceEdit(range: range, text: "Selector((\"\(comparison)\"))"))
        } else if !portSelectorConstant(through: end) {
            remark("#selector", remedy)
        }
    }

    /// Returns the range of `NSStringFromSelector(#selector(…))`, or of `#selector(…).description`; else `nil`.
    private func use(asNameThrough end: Int) -> Range<Int>? {
        let tokens = cursor.source.tokens
        func text(_ index: Int) -> String? { tokens.indices.contains(index) ? cursor.source.text(tokens[index]) : nil }
        let start = cursor.index
        if text(start - 1) == "(", text(start - 2) == "NSStringFromSelector", text(start - 3) != ".", text(end + 1) == ")" {
            return tokens[start - 2].range.lowerBound..<tokens[end + 1].range.upperBound
        }
        guard text(end + 1) == ".", text(end + 2) == "description" else { return nil }
        return tokens[start].range.lowerBound..<tokens[end + 2].range.upperBound
    }

    // MARK: - Names

    /// Returns the name of a comparison function that sort descriptors support.
    private func comparison(_ range: Range<Int>) -> String? {
        let words = cursor.source.tokens[range].filter { $0.kind == .word }.map(cursor.source.text)
        guard words.count > 1, words[0].hasPrefix("NS") else { return nil }
        return words.dropFirst().first { comparisons.contains($0) }.map { $0 + ":" }
    }

    private var comparisons: [String] {
        ["compare", "caseInsensitiveCompare", "localizedCompare", "localizedCaseInsensitiveCompare", "localizedStandardCompare"]
    }

    /// Returns the name of a property's getter or setter: of `getter: Person.name`, or `setter: Person.name`.
    private func accessor(_ range: Range<Int>) -> String? {
        guard range.count > 2, cursor.source.tokens[range.lowerBound + 1].kind == .mark(":"), let kind = word(3),
            ["getter", "setter"].contains(kind), let (names, end) = path(range.dropFirst(2)), end == range.upperBound,
            let name = properties.getter(names, at: cursor.token.range.lowerBound, in: cursor.source.path)
        else { return nil }
        return kind == "getter" ? name : "set" + SwiftName.capitalized(name) + ":"
    }

    /// Returns the name of a function that the file declares exactly once.
    private func function(_ range: Range<Int>) -> String? {
        guard let (names, end) = path(range), let name = names.last else { return nil }
        if names.count > 1, names[0] != "Self", !declared.contains(names[0]) { return nil }
        // The labels between parentheses distinguish functions of one name.
        let labels: [String]? =
            end == range.upperBound
            ? nil : cursor.source.tokens[end..<range.upperBound].filter { $0.kind == .word }.map(cursor.source.text)
        let found = cursor.source.functions(named: name).filter { labels == nil || labels == $0.labels }
        return found.count == 1 ? found[0].selector : nil
    }

    /// Returns names with dots between them, without `self`, and the index after them.
    private func path(_ range: Range<Int>) -> (names: [String], end: Int)? {
        var (names, end) = names(in: range)
        if names.first == "self" { names.removeFirst() }
        return names.isEmpty ? nil : (names, end)
    }

    // MARK: - Replacements

    /// The suggested replacement for the call with the selector as argument.
    private var remedy: String {
        switch call {
        case "addObserver": "observe with a closure: 'addObserver(forName:object:queue:using:)'"
        case "scheduledTimer", "Timer": "give the timer a closure: 'scheduledTimer(withTimeInterval:repeats:block:)'"
        case "registerUndo": "register a closure: 'registerUndo(withTarget:handler:)'"
        case "NSStringFromSelector": "write the name as a text"
        default: "call the function itself, or keep a closure that does"
        }
    }

    /// The name of the function whose argument is at the cursor.
    private var call: String? {
        var depth = 0
        for index in stride(from: cursor.index - 1, to: 0, by: -1) {
            switch cursor.source.tokens[index].kind {
            case .mark(")"), .mark("]"), .mark("}"): depth += 1
            case .mark("("), .mark("["), .mark("{"):
                depth -= 1
                guard depth < 0 else { continue }
                let name = cursor.source.tokens[index - 1]
                return name.kind == .word ? cursor.source.text(name) : nil
            default: break
            }
        }
        return nil
    }
}

extension TokenizedSource {
    /// Returns the constant that is declared at an index with a selector: `let changed = #selector(change(_:))`.
    private func constant(at index: Int) -> (name: String, selector: Range<Int>)? {
        guard text(tokens[index]) == "let", index + 5 < tokens.count, tokens[index + 1].isName, tokens[index + 2].kind == .mark("="),
            tokens[index + 3].kind == .mark("#"), text(tokens[index + 4]) == "selector", tokens[index + 5].kind == .mark("(")
        else { return nil }
        var reader = TokenCursor(source: self, index: index + 5)
        reader.skipBalanced()
        return (text(tokens[index + 1]), (index + 3)..<reader.index)
    }

    /// The selectors of constants that are the argument `selector:` of calls, and nothing else.
    var selectorConstants: [String: Range<Int>] {
        let found = tokens.indices.compactMap { tokens[$0].kind == .word ? constant(at: $0) : nil }
        return Dictionary(found.map { ($0.name, $0.selector) }) { first, _ in first }.filter { name, _ in
            tokens.indices.filter { tokens[$0].isName && text(tokens[$0]) == name }.allSatisfy { index in
                index > 1
                    && (text(tokens[index - 1]) == "let" || tokens[index - 1].kind == .mark(":") && text(tokens[index - 2]) == "selector")
            }
        }
    }
}
