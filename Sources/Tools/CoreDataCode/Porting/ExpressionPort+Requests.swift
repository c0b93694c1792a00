/// Casts of fetch requests to other result types: only Objective-C has one class for all.
extension ExpressionPort {
    private static let anyResult = "NSFetchRequestResult"

    /// Changes a cast at its keyword, if the operand is known to be a request.
    mutating func portCast() {
        if word(1) == "AnyObject", cursor.peek(2).kind == .mark(")"), cursor.peek(3).kind == .mark("."), cursor.peek(4).isName {
            return remark("AnyObject", "cast to the class: members of any object are found by the run time of Objective-C")
        }
        // Without a mark it is a conversion to the same type, which compiles.
        let mark = cursor.peek()
        guard mark.kind == .mark("!") || mark.kind == .mark("?"), word(2) == "NSFetchRequest", cursor.peek(3).kind == .mark("<"),
            let operand = previous
        else { return }
        let isForced = mark.kind == .mark("!")
        let isErasing = word(4) == Self.anyResult
        if isErasing, let called = calledFunction, called.name == "fetchRequest" {
            // The type selects among several functions the one that every class has.
            if !isForced { edits.append(SourceEdit(range: called.start..<called.start, text: "Optional(")) }
            edits.append(SourceEdit(range: mark.range, text: ""))
            if !isForced, let end = endOfType { edits.append(SourceEdit(range: end..<end, text: ")")) }
            return
        }
        if !isErasing, let called = calledFunction {
            switch called.name {
            case "fetchRequest": return convert(from: called.start, isForced: isForced)
            case "fetchRequestTemplate", "fetchRequestFromTemplate":
                return edits.append(SourceEdit(range: operand.range.upperBound..<operand.range.upperBound, text: " as AnyObject"))
            default: return
            }
        }
        if let start = startOfMadeRequest { return convert(from: start, isForced: isForced) }
        if isForced, let start = startOfDeclaredRequest { return convert(from: start, isForced: true) }
        if isErasing {
            remark(
                "as NSFetchRequest<NSFetchRequestResult>",
                "leave the cast out: what takes such a request takes one for any class of objects")
        }
    }

    /// Converts the operand that begins at a byte to a request of the type after the keyword, whatever its own type.
    ///
    /// The code gets an `unsafeBitCast`, as a request of one class is never an instance of a request of another here. No
    /// property of a request has a type that depends on the class, so that all requests have one layout.
    private mutating func convert(from start: Int, isForced: Bool) {
        guard let operand = previous, let end = endOfType else { return }
        let type = cursor.source.text(cursor.peek(2).range.lowerBound..<end)
        edits.append(SourceEdit(range: start..<start, text: isForced ? "unsafeBitCast(" : "Optional(unsafeBitCast("))
        edits.append(SourceEdit(range: operand.range.upperBound..<end, text: ", to: \(type).self)" + (isForced ? "" : ")")))
    }

    /// The end of the type after the cast's mark.
    private var endOfType: Int? {
        var reader = cursor
        for _ in 0..<3 { reader.advance() }
        reader.skipAngles()
        return reader.index > cursor.index + 3 ? cursor.source.tokens[reader.index - 1].range.upperBound : nil
    }

    /// The function whose call precedes the keyword, and the first byte of its path.
    private var calledFunction: (name: String, start: Int)? {
        let tokens = cursor.source.tokens
        guard let open = opening(of: cursor.index - 1), open > 0, tokens[open - 1].kind == .word else { return nil }
        return startOfMembers(endingAt: open - 1).map { (cursor.source.text(tokens[open - 1]), $0) }
    }

    /// The start of a request's initializer before the keyword, `NSFetchRequest<Person>(entityName: name)`.
    private var startOfMadeRequest: Int? {
        let tokens = cursor.source.tokens
        guard let open = opening(of: cursor.index - 1), open > 0, tokens[open - 1].kind == .mark(">") else { return nil }
        let start = tokens[..<open].lastIndex { $0.kind == .word && cursor.source.text($0) == "NSFetchRequest" }
        guard let start, tokens[start + 1].kind == .mark("<"), !tokens[(start + 2)..<open].contains(where: { $0.kind == .mark("<") }),
            start == 0 || tokens[start - 1].kind != .mark(".")
        else { return nil }
        return tokens[start].range.lowerBound
    }

    /// The start of the names before the keyword, `request` or `self.request`, if the file declares it as a request.
    private var startOfDeclaredRequest: Int? {
        let tokens = cursor.source.tokens
        let last = cursor.index - 1
        guard last >= 0, tokens[last].kind == .word else { return nil }
        let name = cursor.source.text(tokens[last])
        let isDeclared = tokens.indices.contains { index in
            guard tokens[index].kind == .word, cursor.source.text(tokens[index]) == name, index + 2 < tokens.count else { return false }
            let following = tokens[(index + 1)...].prefix(8).prefix { !$0.startsLine }
            guard let next = following.first, next.kind == .mark(":") || next.kind == .mark("=") else { return false }
            let words = following.filter { $0.kind == .word }.map(cursor.source.text)
            return words.first == "NSFetchRequest" || (next.kind == .mark("=") && words.contains("fetchRequest"))
        }
        return isDeclared ? startOfMembers(endingAt: last) : nil
    }

    /// Returns the first byte of a member path with calls, by its last token.
    private func startOfMembers(endingAt last: Int) -> Int? {
        let tokens = cursor.source.tokens
        var first = last
        while first > 1, tokens[first - 1].kind == .mark("."), !tokens[first - 1].startsLine {
            if tokens[first - 2].kind == .word || tokens[first - 2].kind == .quotedWord {
                first -= 2
            } else if let open = opening(of: first - 2), open > 0, tokens[open - 1].kind == .word {
                first = open - 1
            } else {
                return nil
            }
        }
        return tokens[first].range.lowerBound
    }

    private func opening(of close: Int) -> Int? {
        let tokens = cursor.source.tokens
        guard close > 0, tokens[close].kind == .mark(")") else { return nil }
        var depth = 0
        for index in stride(from: close, through: 0, by: -1) {
            switch tokens[index].kind {
            case .mark(")"): depth += 1
            case .mark("("): depth -= 1
            default: break
            }
            if depth == 0 { return index }
        }
        return nil
    }
}
