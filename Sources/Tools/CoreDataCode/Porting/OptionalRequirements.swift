/// The bodies of a protocol's optional requirements where there is no Objective-C.
struct OptionalRequirements {
    /// The protocol with its access level.
    let name: String
    let access: String
    var functions: [String] = []

    /// The lines of an extension of the protocol.
    var lines: [String] { ["extension \(name) {"] + functions.map { "    \(access)\($0)" } + ["}"] }

    /// Returns the names of functions that protocols in a file require optionally.
    static func names(in file: SourceFile) -> [String] {
        guard file.text.contains("optional func") else { return [] }
        let source = TokenizedSource(file)
        return source.tokens.indices.dropLast(2).filter { index in
            source.tokens[index].kind == .word && source.text(source.tokens[index]) == "optional"
                && source.tokens[index + 1].kind == .word && source.text(source.tokens[index + 1]) == "func"
        }.map { source.text(source.tokens[$0 + 2]) }
    }
}

extension TokenCursor {
    /// Reads an optional requirement from its keyword `func`; returns its body, or `nil` if its result has no default.
    mutating func takeRequiredFunction() -> String? {
        guard take(word: "func"), takeName() != nil else { return nil }
        if isMark("<") { skipAngles() }
        guard isMark("(") else { return nil }
        skipBalanced()
        _ = take(word: "async")
        if take(word: "throws"), isMark("("), !token.startsLine { skipBalanced() }
        guard kind == .arrow else { return "{}" }
        advance()
        switch takeType() {
        case .optional, .implicitlyUnwrapped: return "{ nil }"
        case .tuple(let elements) where elements.isEmpty: return "{}"
        case .named(let parts) where parts.map(\.name) == ["Void"]: return "{}"
        default: return nil
        }
    }
}
