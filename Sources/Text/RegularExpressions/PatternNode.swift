indirect enum PatternNode {
    case sequence([PatternNode])
    case alternation([PatternNode])
    case scalar(UInt32)
    /// A scalar in folded form, which matches all its case variants.
    case folded(UInt32)
    /// A set, by its index in the pattern's sets.
    case set(Int)
    case assertion(PatternAssertion)
    case capture(Int, PatternNode)
    case repetition(PatternNode, atLeast: Int, atMost: Int?, PatternGreed)
    /// An atomic group.
    case atomic(PatternNode)
    /// A look-around, by its index in the pattern's look-arounds.
    case look(Int)
    case backreference(Int, ignoresCase: Bool)
}

/// A look-around: a condition on the text after or before an offset.
struct PatternLook {
    let body: PatternNode
    let isAhead: Bool
    let isNegated: Bool
}

/// The order in which a repetition tries its lengths, and whether it backtracks.
enum PatternGreed { case greedy, lazy, possessive }

/// A condition on an offset in the text.
enum PatternAssertion {
    case textStart, lineStart
    case textEnd, textEndBeforeTerminator, lineEnd
    case wordBoundary, noWordBoundary

    /// Returns whether the condition holds between the bytes before and after an offset.
    func holds(_ text: UnsafeBufferPointer<UInt8>, at offset: Int) -> Bool {
        switch self {
        case .textStart: return offset == 0
        case .textEnd: return offset == text.count
        case .lineStart:
            if offset == 0 { return true }
            if offset == text.count { return false }
            let previous = unsafe text.scalar(before: offset).value
            return unsafe PatternAssertion.isTerminator(previous) && !(previous == 0x0D && text[offset] == 0x0A)
        case .textEndBeforeTerminator:
            return unsafe offset == text.count || (isBeforeTerminator(text, offset) && terminatorEnd(text, offset) == text.count)
        case .lineEnd: return unsafe offset == text.count || isBeforeTerminator(text, offset)
        case .wordBoundary: return unsafe isBoundary(text, offset)
        case .noWordBoundary: return unsafe !isBoundary(text, offset)
        }
    }

    /// Returns whether a line ends here, which is false within CR LF.
    private func isBeforeTerminator(_ text: UnsafeBufferPointer<UInt8>, _ offset: Int) -> Bool {
        let next = unsafe text.scalar(at: offset).value
        guard PatternAssertion.isTerminator(next) else { return false }
        return unsafe !(next == 0x0A && offset > 0 && text[offset - 1] == 0x0D)
    }

    private func terminatorEnd(_ text: UnsafeBufferPointer<UInt8>, _ offset: Int) -> Int {
        let next = unsafe text.scalar(at: offset)
        let isPair = unsafe next.value == 0x0D && offset + 1 < text.count && text[offset + 1] == 0x0A
        return offset + (isPair ? 2 : next.count)
    }

    private func isBoundary(_ text: UnsafeBufferPointer<UInt8>, _ offset: Int) -> Bool {
        let before = unsafe offset > 0 && PatternAssertion.word.contains(text.scalar(before: offset).value)
        let after = unsafe offset < text.count && PatternAssertion.word.contains(text.scalar(at: offset).value)
        return before != after
    }

    static func isTerminator(_ scalar: UInt32) -> Bool {
        0x0A...0x0D ~= scalar || scalar == 0x85 || scalar == 0x2028 || scalar == 0x2029
    }

    static func isWord(_ scalar: UInt32) -> Bool { word.contains(scalar) }

    /// Whether the condition tests word characters.
    var isAboutWords: Bool { self == .wordBoundary || self == .noWordBoundary }

    /// Whether the condition tests line ends.
    var isAboutLines: Bool { self == .lineStart || self == .lineEnd || self == .textEndBeforeTerminator }

    private static let word = ScalarSet(.word)
}
