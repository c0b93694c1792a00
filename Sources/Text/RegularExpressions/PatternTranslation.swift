/// A pattern in the syntax of PostgreSQL's advanced regular expressions that matches the same whole texts there.
public struct PatternTranslation {
    /// The pattern, of ASCII alone.
    public private(set) var pattern = "^(?:"
    /// Whether only texts of ASCII are matched as by the original.
    public private(set) var isForASCII = false
    private let sets: [ScalarSet]

    /// The maximum number of parts of a pattern with expanded repetitions, as the server compiles it.
    private static let greatestSize = 1_000
    private static let mostRepetitions = 255

    /// Translates a pattern of ``RegularExpression``.
    ///
    /// - Returns: `nil` where a pattern is malformed, too large, or says what the other syntax does not, or says differently.
    public init?(_ pattern: String, ignoresCase: Bool) {
        var parser = PatternParser(pattern, ignoresCase: ignoresCase)
        guard let node = try? parser.parse() else { return nil }
        sets = parser.sets
        guard PatternTranslation.size(node) <= PatternTranslation.greatestSize, add(PatternTranslation.withoutAnchors(node)) else {
            return nil
        }
        self.pattern += ")$"
    }

    /// Returns a node without its redundant anchors: whole texts are matched in any case.
    private static func withoutAnchors(_ node: PatternNode) -> PatternNode {
        guard case .sequence(var parts) = node else { return node }
        if case .assertion(.textStart) = parts.first { parts.removeFirst() }
        switch parts.last {
        case .assertion(.textEnd), .assertion(.textEndBeforeTerminator): parts.removeLast()
        default: break
        }
        return .sequence(parts)
    }

    private static func size(_ node: PatternNode) -> Int {
        switch node {
        case .sequence(let parts), .alternation(let parts): parts.reduce(1) { min($0 + size($1), greatestSize + 1) }
        case .capture(_, let part), .atomic(let part): size(part)
        case .repetition(let part, let atLeast, let atMost, _):
            min(size(part) * min(max(1, atMost ?? atLeast + 1), greatestSize + 1), greatestSize + 1)
        case .scalar, .folded, .set, .assertion, .look, .backreference: 1
        }
    }

    /// - Returns: Whether the other syntax supports the node.
    private mutating func add(_ node: PatternNode) -> Bool {
        switch node {
        case .sequence(let parts): return parts.allSatisfy { add($0) }
        case .alternation(let parts): return add(alternatives: parts)
        case .capture(_, let part): return add(alternatives: [part])
        case .repetition(let part, let atLeast, let atMost, let greed):
            // The preference among lengths does not affect whether a whole text matches.
            guard greed != .possessive, max(atLeast, atMost ?? 0) <= PatternTranslation.mostRepetitions, add(alternatives: [part])
            else { return false }
            pattern += "{\(atLeast),\(atMost.map { "\($0)" } ?? "")}"
            return true
        case .scalar(let value):
            guard value > 0 else { return false }
            pattern += PatternTranslation.spelled(value)
            return true
        case .folded(let value): return add(inASCII: { ScalarFolding.fold($0) == value })
        case .set(let number):
            let set = sets[number]
            if let ranges = set.ranges { return add(ranges) }
            return add(inASCII: set.contains)
        case .assertion, .atomic, .look, .backreference: return false
        }
    }

    private mutating func add(alternatives: [PatternNode]) -> Bool {
        pattern += "(?:"
        for (index, part) in alternatives.enumerated() {
            if index > 0 { pattern += "|" }
            if !add(part) { return false }
        }
        pattern += ")"
        return true
    }

    /// Adds the ASCII scalars that meet a condition: the server has other tables for the rest.
    private mutating func add(inASCII contains: (UInt32) -> Bool) -> Bool {
        isForASCII = true
        return add((1..<128).filter(contains).map { $0...$0 })
    }

    private mutating func add(_ ranges: [ClosedRange<UInt32>]) -> Bool {
        // No text on the server has a NUL.
        let ranges = ranges.compactMap { $0.upperBound == 0 ? nil : max(1, $0.lowerBound)...$0.upperBound }
        if ranges.isEmpty { return false }
        pattern += "["
        for range in ranges {
            pattern += PatternTranslation.spelled(range.lowerBound)
            if range.count > 1 { pattern += "-" + PatternTranslation.spelled(range.upperBound) }
        }
        pattern += "]"
        return true
    }

    /// Returns the scalar as `\u002A`, an escape of a literal in any context.
    private static func spelled(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        let width = value > 0xFFFF ? 8 : 4
        return (width == 8 ? "\\U" : "\\u") + String(repeating: "0", count: width - digits.count) + digits
    }
}
