import StrataModelCode

/// Key paths for Objective-C, which are texts.
extension ExpressionPort {
    mutating func portKeyPath() {
        guard cursor.peek(2).kind == .mark("(") else { return }
        let tokens = cursor.source.tokens
        let start = cursor.token.range.lowerBound
        let (names, end) = names(in: min(cursor.index + 3, tokens.count - 1)..<tokens.count)
        guard tokens[end].kind == .mark(")"), let path = properties.keyPath(names, at: start, in: cursor.source.path) else {
            let path = names.joined(separator: ".")
            return remark("#keyPath(\(path))", "write the names of the properties as a text, as in \"\(names.last ?? "name")\"")
        }
        if let whole = interpolation(through: end) {
            edits.append(SourceEdit(range: whole, text: path))
        } else {
            edits.append(SourceEdit(range: start..<tokens[end].range.upperBound, text: SwiftName.literal(path)))
        }
    }

    /// Returns the range of an interpolation of only the expression at the cursor, `\(#keyPath(Person.name))`.
    private func interpolation(through end: Int) -> Range<Int>? {
        let tokens = cursor.source.tokens
        guard tokens[0].kind == .mark("\\"), tokens[..<cursor.index].dropFirst().dropLast().allSatisfy({ $0.kind == .mark("#") }),
            previous?.kind == .mark("("), tokens[end + 1].kind == .mark(")"), tokens[end + 2].kind == .end
        else { return nil }
        return tokens[0].range.lowerBound..<tokens[end + 1].range.upperBound
    }
}
