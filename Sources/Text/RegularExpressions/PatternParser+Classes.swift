extension PatternParser {
    /// Parses a class after its opening bracket: ranges, escapes, nested classes, `[:name:]`, `&&` and `--`.
    ///
    /// Adjacent members are united first; `&&` and `--` are left-associative then.
    mutating func characterClass(_ start: Int) throws(PatternError) -> ScalarSet.Content {
        depth += 1
        defer { depth -= 1 }
        guard depth <= PatternParser.maximumDepth else { throw PatternError(.tooLarge, at: start, "classes are nested too deep") }
        let isNegated = take("^")
        var result: ScalarSet.Content?
        var subtracts = false
        var operand = ClassOperand()
        // A leading bracket is a literal.
        if take("]") { operand.ranges.append(0x5D...0x5D) }
        while true {
            guard let next = advance() else { throw failure("unmatched [", at: start) }
            switch next {
            case "]":
                let content = try combine(result, operand, subtracts)
                return isNegated ? .negation(content) : content
            case "&" where peek == "&", "-" where peek == "-":
                result = try combine(result, operand, subtracts)
                (operand, subtracts) = (ClassOperand(), next == "-")
                position += 1
            case "[":
                if let content = try posixClass() {
                    operand.others.append(content)
                } else {
                    operand.others.append(try characterClass(position - 1))
                }
            case "\\":
                if take("Q") {
                    while let quoted = advance() {
                        if quoted == "\\", take("E") { break }
                        operand.ranges.append(quoted.value...quoted.value)
                    }
                } else if take("E") {
                    break
                } else {
                    switch try classScalar(position - 1) {
                    case .set(let content): operand.others.append(content)
                    case .scalar(let scalar): operand.ranges.append(try range(from: scalar))
                    }
                }
            case _ where flags.allowsComments && next.properties.isPatternWhitespace: break
            default: operand.ranges.append(try range(from: next.value))
            }
        }
    }

    /// The members between two operators.
    private struct ClassOperand {
        var ranges: [ClosedRange<UInt32>] = []
        var others: [ScalarSet.Content] = []
    }

    private func combine(
        _ left: ScalarSet.Content?, _ operand: ClassOperand, _ subtracts: Bool
    ) throws(PatternError) -> ScalarSet.Content {
        if operand.ranges.isEmpty && operand.others.isEmpty { throw failure("nothing to combine", at: position - 1) }
        if operand.others.count > PatternParser.maximumSets {
            throw PatternError(.tooLarge, at: position - 1, "a class of more than \(PatternParser.maximumSets) parts")
        }
        let ranges = ScalarSet.Content.united(operand.ranges)
        let closed: ScalarSet.Content = flags.ignoresCase ? .closedOverCase(ranges) : ranges
        let right: ScalarSet.Content = operand.others.isEmpty ? closed : .union([closed] + operand.others)
        guard let left else { return right }
        return .intersection(left, subtracts ? .negation(right) : right)
    }

    /// Parses a range that begins with a scalar just read, or the scalar alone.
    private mutating func range(from first: UInt32) throws(PatternError) -> ClosedRange<UInt32> {
        let start = position
        guard peek == "-", position + 1 < scalars.count, !["]", "-", "["].contains(scalars[position + 1]) else { return first...first }
        position += 1
        var last: UInt32
        if take("\\") {
            guard case .scalar(let scalar) = try classScalar(position - 1) else { throw failure("no range ends with a set", at: start) }
            last = scalar
        } else {
            last = advance()?.value ?? first
        }
        guard first <= last else { throw failure("the range runs backward", at: start) }
        return first...last
    }

    /// Parses an escape within a class, where `\b` is a backspace.
    private mutating func classScalar(_ start: Int) throws(PatternError) -> ClassEscape {
        take("b") ? .scalar(0x08) : try classEscape(start)
    }

    /// Parses `[:name:]` and `[:^name:]` after the inner bracket; `nil` for anything else.
    private mutating func posixClass() throws(PatternError) -> ScalarSet.Content? {
        guard peek == ":" else { return nil }
        let start = position
        var end = position + 1
        while end + 1 < scalars.count, scalars[end] != ":", scalars[end] != "]" { end += 1 }
        guard end + 1 < scalars.count, scalars[end] == ":", scalars[end + 1] == "]" else { return nil }
        position = end + 2
        return try property(text((start + 1)..<end), start, isNegated: false)
    }
}
