import StrataModelCode

/// Key paths for Objective-C, which are texts.
extension ExpressionPort {
    mutating func portKeyPath() {
        guard cursor.peek(2).kind == .mark("(") else { return }
        let start = cursor.token.range.lowerBound
        var names: [String] = []
        var distance = 3
        while [.word, .quotedWord].contains(cursor.peek(distance).kind) {
            names.append(cursor.source.text(cursor.peek(distance)))
            distance += 1
            guard cursor.peek(distance).kind == .mark(".") else { break }
            distance += 1
        }
        guard cursor.peek(distance).kind == .mark(")"), let path = properties.keyPath(names, at: start, in: cursor.source.path) else {
            let path = names.joined(separator: ".")
            return remark("#keyPath(\(path))", "write the names of the properties as a text, as in \"\(names.last ?? "name")\"")
        }
        if let whole = interpolation(endingAfter: distance) {
            edits.append(SourceEdit(range: whole, text: path))
        } else {
            edits.append(SourceEdit(range: start..<cursor.peek(distance).range.upperBound, text: SwiftName.literal(path)))
        }
    }

    /// Returns the range of an interpolation of only the expression at the cursor, `\(#keyPath(Person.name))`.
    private func interpolation(endingAfter distance: Int) -> Range<Int>? {
        let tokens = cursor.source.tokens
        guard tokens[0].kind == .mark("\\"), tokens[..<cursor.index].dropFirst().dropLast().allSatisfy({ $0.kind == .mark("#") }),
            previous?.kind == .mark("("), cursor.peek(distance + 1).kind == .mark(")"), cursor.peek(distance + 2).kind == .end
        else { return nil }
        return tokens[0].range.lowerBound..<cursor.peek(distance + 1).range.upperBound
    }
}
