extension TokenCursor {
    /// Reads a type; `nil` if none begins.
    mutating func takeType() -> TypeSyntax? {
        var attributes: [String] = []
        var convention: String?
        while true {
            if isMark("@") {
                advance()
                attributes.append(takeName() ?? "")
                if isMark("("), peek(-1).range.upperBound == token.range.lowerBound { skipBalanced() }
            } else if kind == .word, ["inout", "borrowing", "consuming", "sending", "isolated", "__owned", "__shared"].contains(text),
                isTypeStart(peek())
            {
                convention = text
                advance()
            } else {
                break
            }
        }
        guard var type = takeComposition() else { return nil }
        if case .tuple(let elements) = type, isFunctionArrow {
            type = takeFunction(elements, attributes) ?? .other("function")
        }
        return convention.map(TypeSyntax.other) ?? type
    }

    private func isTypeStart(_ token: SourceToken) -> Bool {
        switch token.kind {
        case .word, .quotedWord, .mark("("), .mark("["), .mark("@"): true
        default: false
        }
    }

    private var isFunctionArrow: Bool { kind == .arrow || isWord("throws") || isWord("async") || isWord("rethrows") }

    private mutating func takeFunction(_ elements: [TypeSyntax.Element], _ attributes: [String]) -> TypeSyntax? {
        var function = TypeSyntax.Function(
            parameters: elements.map(\.type), result: .tuple([]), attributes: attributes)
        function.isAsync = take(word: "async")
        if take(word: "throws") {
            function.isThrowing = true
            if isMark("(") {
                skipBalanced()
                function.attributes.append("throws()")
            }
        }
        guard kind == .arrow else { return nil }
        advance()
        guard let result = takeType() else { return nil }
        function.result = result
        return .function(function)
    }

    private mutating func takeComposition() -> TypeSyntax? {
        if isWord("any"), isTypeStart(peek()) {
            advance()
            return takeComposition().map(TypeSyntax.existential)
        }
        if isWord("some"), isTypeStart(peek()) {
            advance()
            return takeComposition().map { _ in .other("some") }
        }
        guard let first = takePostfix() else { return nil }
        var members = [first]
        while isMark("&") {
            advance()
            guard let member = takePostfix() else { return nil }
            members.append(member)
        }
        return members.count == 1 ? first : .composition(members)
    }

    private mutating func takePostfix() -> TypeSyntax? {
        guard var type = takePrimary() else { return nil }
        while true {
            if isMark("?") {
                advance()
                type = .optional(type)
            } else if isMark("!"), peek(-1).range.upperBound == token.range.lowerBound {
                advance()
                type = .implicitlyUnwrapped(type)
            } else if isMark("."), peek().kind == .word, ["Type", "Protocol"].contains(source.text(peek())) {
                advance()
                type = .metatype(type, isProtocol: text == "Protocol")
                advance()
            } else {
                return type
            }
        }
    }

    private mutating func takePrimary() -> TypeSyntax? {
        switch kind {
        case .word, .quotedWord: return takeNamed()
        case .mark("["):
            advance()
            guard let first = takeType() else { return nil }
            if take(":") {
                guard let value = takeType(), take("]") else { return nil }
                return .dictionary(first, value)
            }
            return take("]") ? .array(first) : nil
        case .mark("("):
            advance()
            guard let elements = takeList(to: ")", { $0.takeElement() }) else { return nil }
            if elements.count == 1, !isFunctionArrow, elements[0].label == nil { return elements[0].type }
            return .tuple(elements)
        default: return nil
        }
    }

    private mutating func takeElement() -> TypeSyntax.Element? {
        var label: String?
        if token.isName, let colon = peek().kind == .mark(":") ? 1 : peek().isName && peek(2).kind == .mark(":") ? 2 : nil {
            label = text
            for _ in 0...colon { advance() }
        }
        guard let type = takeType() else { return nil }
        return TypeSyntax.Element(label: label == "_" ? nil : label, type: type)
    }

    private mutating func takeNamed() -> TypeSyntax? {
        var parts: [TypeSyntax.Part] = []
        repeat {
            guard let name = takeName() else { return nil }
            var part = TypeSyntax.Part(name: name)
            if isMark("<") {
                advance()
                guard let arguments = takeList(to: ">", { $0.takeType() }) else { return nil }
                part.arguments = arguments
            }
            parts.append(part)
            guard isMark("."), peek().isName else { break }
            if peek().kind == .word, ["Type", "Protocol"].contains(source.text(peek())) { break }
            advance()
        } while true
        return .named(parts)
    }
}
