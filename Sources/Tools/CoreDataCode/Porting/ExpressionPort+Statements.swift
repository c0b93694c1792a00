/// Statements that have a counterpart without Objective-C, which follows them in a condition.
extension ExpressionPort {
    /// Replaces `center.addObserver(self, selector:name:object:)` by the observation with a closure, without Objective-C.
    ///
    /// Returns whether it did. The cursor moves to the end of the call then.
    mutating func portObserver() -> Bool {
        let tokens = cursor.source.tokens
        guard previous?.kind == .mark("."), cursor.peek().kind == .mark("("), word(2) == "self", cursor.peek(3).kind == .mark(",") else {
            return false
        }
        var reader = cursor
        reader.advance()
        reader.skipBalanced()
        let end = reader.index - 1
        let arguments = arguments(in: (cursor.index + 2)..<end)
        guard arguments.map(\.label) == [nil, "selector", "name", "object"],
            let call = observed(selectorConstants[text(arguments[1].value)] ?? arguments[1].value),
            let statement = statement(at: cursor.index, through: end)
        else { return false }
        let source = cursor.source
        let receiver = source.text(tokens[statement.lowerBound].range.lowerBound..<cursor.token.range.lowerBound)
        let (name, object) = (text(arguments[2].value), text(arguments[3].value))
        let closure = "{ [weak self] \(call.usesNotification ? "notification in" : "_ in") \(call.text) }"
        let counterpart = "_ = \(receiver)addObserver(forName: \(name), object: \(object), queue: nil) \(closure)"
        replace(statement, with: counterpart)
        observesWithClosures = true
        cursor.index = end
        return true
    }

    /// Replaces the call of an optional requirement, `delegate?.didLoad?(self)`, by that of a required one, without Objective-C.
    ///
    /// The cursor, on the question mark, moves to the end of the call. A call within an expression gets a remark.
    mutating func portOptionalCall() {
        guard let member = previous, member.isName, optionalRequirements.contains(cursor.source.text(member)), cursor.index > 1,
            cursor.source.tokens[cursor.index - 2].kind == .mark("."), cursor.peek().kind == .mark("(")
        else { return }
        var reader = cursor
        reader.advance()
        reader.skipBalanced()
        let end = reader.index - 1
        let source = cursor.source
        guard let statement = statement(at: cursor.index, through: end) else {
            return remark(source.text(member), "call it without '?' where there is no Objective-C: its requirement has a body there")
        }
        let start = source.tokens[statement.lowerBound].range.lowerBound
        let call = source.text(cursor.token.range.upperBound..<source.tokens[end].range.upperBound)
        replace(statement, with: source.text(start..<cursor.token.range.lowerBound) + call)
        cursor.index = end
    }

    /// Puts the declaration of a constant, whose selector ends at the index of a token, between conditions; returns whether it did.
    mutating func portSelectorConstant(through end: Int) -> Bool {
        guard selectorConstants.values.contains(cursor.index..<(end + 1)), let statement = statement(at: cursor.index, through: end) else {
            return false
        }
        replace(statement, with: nil)
        cursor.index = end
        return true
    }

    /// Puts a statement between conditions, with its counterpart, if any, where there is no Objective-C.
    private mutating func replace(_ statement: Range<Int>, with counterpart: String?) {
        let source = cursor.source
        let start = source.tokens[statement.lowerBound].range.lowerBound
        let end = source.tokens[statement.upperBound - 1].range.upperBound
        let separator = source.lineEnd + source.margin(before: start)
        edits.append(SourceEdit(range: start..<start, text: "#if canImport(ObjectiveC)" + separator))
        let lines = (counterpart.map { ["", "#else", $0] } ?? [""]) + ["#endif"]
        edits.append(SourceEdit(range: end..<end, text: lines.joined(separator: separator)))
    }

    /// Returns the tokens of the statement that ends with a call, if it is all of its lines.
    private func statement(at index: Int, through end: Int) -> Range<Int>? {
        let tokens = cursor.source.tokens
        let next = tokens[min(end + 1, tokens.count - 1)]
        guard next.startsLine || next.kind == .end, next.kind != .mark("."), next.kind != .mark("?") else { return nil }
        var start = cursor.source.firstOnLine(index)
        while start > 0, [.mark("."), .mark("?"), .mark("!")].contains(tokens[start].kind) { start = cursor.source.firstOnLine(start - 1) }
        var depth = 0
        for token in tokens[start...end] {
            switch token.kind {
            case .mark("("), .mark("["), .mark("{"): depth += 1
            case .mark(")"), .mark("]"), .mark("}"): depth -= 1
            case .directive: return nil
            default: break
            }
            if depth < 0 { return nil }
        }
        return depth == 0 ? start..<(end + 1) : nil
    }

    private func text(_ range: Range<Int>) -> String {
        cursor.source.text(
            cursor.source.tokens[range.lowerBound].range.lowerBound..<cursor.source.tokens[range.upperBound - 1].range.upperBound)
    }

    /// Returns the arguments of a call, with the tokens of their values.
    private func arguments(in range: Range<Int>) -> [(label: String?, value: Range<Int>)] {
        var arguments: [(label: String?, value: Range<Int>)] = []
        var reader = TokenCursor(source: cursor.source, index: range.lowerBound)
        while reader.index < range.upperBound {
            var label: String?
            if reader.token.isName, reader.peek().kind == .mark(":") {
                label = reader.takeName()
                reader.advance()
            }
            let start = reader.index
            while reader.index < range.upperBound, !reader.isMark(",") { reader.skipBalanced() }
            if start < reader.index { arguments.append((label, start..<reader.index)) }
            reader.advance()
        }
        return arguments
    }

    /// Returns the call of the function that a selector names, in a closure with a weak `self`.
    private func observed(_ selector: Range<Int>) -> (text: String, usesNotification: Bool)? {
        let tokens = cursor.source.tokens
        guard selector.count > 4, tokens[selector.lowerBound].kind == .mark("#"), tokens[selector.lowerBound + 2].kind == .mark("(") else {
            return nil
        }
        let range = (selector.lowerBound + 3)..<(selector.upperBound - 1)
        let (names, end) = names(in: range)
        guard let name = names.last, names.count < 3 else { return nil }
        let labels = tokens[end..<range.upperBound].filter { $0.kind == .word }.map(cursor.source.text)
        let declared = cursor.source.functions(named: name).filter { end == range.upperBound || $0.labels == labels }
        guard declared.count == 1 || declared.isEmpty && end < range.upperBound else { return nil }
        let found = declared.first ?? DeclaredFunction(labels: labels)
        guard found.labels.count < 2 else { return nil }
        let call = (found.isThrowing ? "try? " : "") + "self?.\(name)"
        guard let label = found.labels.first else { return (call + "()", false) }
        let value = found.takesObject ? "notification as NSNotification" : "notification"
        return (call + "(" + (label == "_" ? "" : label + ": ") + value + ")", true)
    }
}
