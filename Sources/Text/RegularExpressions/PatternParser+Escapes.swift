extension PatternParser {
    /// Parses an escape outside a class; `nil` for an empty quotation.
    mutating func escape(_ start: Int) throws(PatternError) -> PatternNode? {
        guard let next = advance() else { throw failure("nothing follows the backslash", at: start) }
        switch next {
        case "A": return .assertion(.textStart)
        case "z": return .assertion(.textEnd)
        case "Z": return .assertion(.textEndBeforeTerminator)
        case "b": return .assertion(.wordBoundary)
        case "B": return .assertion(.noWordBoundary)
        case "Q": return try quotation()
        case "E": return nil
        case "R":
            let pair = PatternNode.sequence([.scalar(0x0D), .scalar(0x0A)])
            return try quantified(.atomic(.alternation([pair, try set(.lineTerminators)])))
        case "k":
            guard take("<") else { throw failure("\\k takes a name between < and >", at: start) }
            let name = try groupName()
            guard let number = captureNames[name] else { throw failure("there is no group \(name) before this", at: start) }
            return try quantified(backreference(number, at: start))
        case "1"..."9": return try quantified(backreference(try groupNumber(), at: start))
        default:
            position -= 1
            switch try classEscape(start) {
            case .scalar(let scalar): return try quantified(literal(scalar))
            case .set(let content): return try quantified(try set(content))
            }
        }
    }

    /// Parses the number of a back-reference: as many digits as name a preceding group, and one at least.
    private mutating func groupNumber() throws(PatternError) -> Int {
        var number = Int(scalars[position - 1].value - 0x30)
        while let next = peek, "0"..."9" ~= next, number * 10 + Int(next.value - 0x30) <= captureCount {
            number = number * 10 + Int(next.value - 0x30)
            position += 1
        }
        return number
    }

    /// Parses `\Q…\E`: literal text, up to the end without `\E`.
    private mutating func quotation() throws(PatternError) -> PatternNode? {
        var parts: [PatternNode] = []
        while let next = advance() {
            if next == "\\", take("E") { break }
            parts.append(literal(next.value))
        }
        // A quantifier applies to the last scalar.
        guard let last = parts.popLast() else { return nil }
        parts.append(try quantified(last))
        return .sequence(parts)
    }

    /// An escape with the same meaning inside a class and outside.
    enum ClassEscape {
        case scalar(UInt32)
        case set(ScalarSet.Content)
    }

    private static let classes: [Unicode.Scalar: ScalarSet.Content] = [
        "d": .digits, "w": .word, "s": .whitespace, "h": .horizontalSpace, "v": .lineTerminators,
    ]
    private static let controls: [Unicode.Scalar: UInt32] = ["t": 0x09, "n": 0x0A, "f": 0x0C, "r": 0x0D, "a": 0x07, "e": 0x1B]

    /// Parses an escape after its backslash.
    mutating func classEscape(_ start: Int) throws(PatternError) -> ClassEscape {
        guard let next = advance() else { throw failure("nothing follows the backslash", at: start) }
        if let control = PatternParser.controls[next] { return .scalar(control) }
        // A capital letter is the complement of its class.
        if let content = Unicode.Scalar(next.value | 0x20).flatMap({ PatternParser.classes[$0] }) {
            return .set(next.properties.isUppercase ? .negation(content) : content)
        }
        switch next {
        case "p": return .set(try property(start, isNegated: false))
        case "P": return .set(try property(start, isNegated: true))
        case "c":
            guard let letter = advance(), letter.isASCII else { throw failure("\\c takes a letter", at: start) }
            return .scalar(letter.value & 0x1F)
        case "0": return .scalar(try number(start, digits: 1...3, radix: 8))
        case "x":
            guard take("{") else { return .scalar(try number(start, digits: 1...2, radix: 16)) }
            let value = try number(start, digits: 1...6, radix: 16)
            guard take("}") else { throw failure("unfinished \\x{", at: start) }
            return .scalar(value)
        case "u": return .scalar(try number(start, digits: 4...4, radix: 16))
        case "U": return .scalar(try number(start, digits: 8...8, radix: 16))
        default:
            if next.isASCII && next.properties.isAlphabetic || "1"..."9" ~= next { throw failure("unknown escape \\\(next)", at: start) }
            return .scalar(next.value)
        }
    }

    private mutating func number(_ start: Int, digits: ClosedRange<Int>, radix: UInt32) throws(PatternError) -> UInt32 {
        var value: UInt32 = 0
        var count = 0
        while count < digits.upperBound, let digit = peek?.hexadecimalValue, digit < radix {
            value = value * radix + digit
            count += 1
            position += 1
        }
        guard digits.contains(count) else { throw failure("too few digits", at: start) }
        guard Unicode.Scalar(value) != nil else { throw failure("no scalar has that number", at: start) }
        return value
    }

    private mutating func property(_ start: Int, isNegated: Bool) throws(PatternError) -> ScalarSet.Content {
        guard take("{") else { return try property(advance().map { String($0) } ?? "", start, isNegated: isNegated) }
        guard let end = scalars[position...].firstIndex(of: "}") else { throw failure("unfinished \\p{", at: start) }
        defer { position = end + 1 }
        return try property(text(position..<end), start, isNegated: isNegated)
    }

    /// Returns a property by name; `^` before it negates.
    func property(_ name: String, _ start: Int, isNegated: Bool) throws(PatternError) -> ScalarSet.Content {
        let inverted = name.hasPrefix("^")
        guard let content = UnicodeProperty.named(inverted ? String(name.dropFirst()) : name) else {
            throw failure("unknown property \(name)", at: start)
        }
        let closed: ScalarSet.Content = flags.ignoresCase ? .closedOverCase(content) : content
        return inverted != isNegated ? .negation(closed) : closed
    }
}

extension Unicode.Scalar {
    fileprivate var hexadecimalValue: UInt32? { isASCII ? Character(self).hexDigitValue.map { UInt32($0) } : nil }
}
