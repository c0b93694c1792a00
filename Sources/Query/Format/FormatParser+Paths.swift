extension FormatParser {
    /// Reads `name.name…`: names, collection operators (`@sum`), escaped names and, behind the first, `%K`.
    mutating func keyPath() throws(FormatFailure) -> String {
        var path = ""
        var copied = scanner.position
        while true {
            switch scanner.next {
            case UInt8(ascii: "#"):
                path += scanner.text(copied..<scanner.position)
                path += try escapedName()
                copied = scanner.position
            case UInt8(ascii: "%"):
                path += scanner.text(copied..<scanner.position)
                path += try keyPathPlaceholder()
                copied = scanner.position
            default:
                if scanner.next == UInt8(ascii: "@") { scanner.position += 1 }
                let end = scanner.endOfName(from: scanner.position)
                guard end > scanner.position else { throw scanner.failure("the name of a property") }
                scanner.position = end
            }
            guard scanner.next == UInt8(ascii: ".") else { break }
            scanner.position += 1
        }
        let tail = scanner.text(copied..<scanner.position)
        return path.isEmpty ? tail : path + tail
    }

    /// Reads `#name`, or `#"any name"`.
    mutating func escapedName() throws(FormatFailure) -> String {
        scanner.position += 1
        if scanner.next == UInt8(ascii: "\"") || scanner.next == UInt8(ascii: "'") { return try scanner.string() }
        let start = scanner.position
        scanner.position = scanner.endOfName(from: start)
        guard scanner.position > start else { throw scanner.failure("a name, or one in quotes") }
        return scanner.text(start..<scanner.position)
    }

    /// Reads what follows a value: a path, or a position in a collection.
    mutating func postfix(_ base: Node) throws(FormatFailure) -> Node {
        guard case .value(var value) = base else { return base }
        while true {
            if scanner.next == UInt8(ascii: ".") {
                scanner.position += 1
                value = .path(value, try keyPath())
                try raiseHeight()
            } else if scanner.pass("[") {
                let baseHeight = height
                value = .element(value, try position())
                try raiseHeight(above: baseHeight)
            } else {
                return .value(value)
            }
        }
    }

    /// Reads a position in a collection and the closing bracket.
    private mutating func position() throws(FormatFailure) -> QueryExpression.Position {
        scanner.skipSpace()
        let word = scanner.keyword(at: scanner.position)
        if let (keyword, end) = word, scanner.bytes[scanner.skippingSpace(from: end)] == UInt8(ascii: "]") {
            let position: QueryExpression.Position? =
                switch keyword {
                case .first: .first
                case .last: .last
                case .size: .size
                default: nil
                }
            if let position {
                scanner.position = end
                try scanner.expect("]")
                return position
            }
        }
        let index = try value()
        guard scanner.pass("]") else { throw scanner.failure("an operator or \"]\"") }
        return .at(index)
    }
}
