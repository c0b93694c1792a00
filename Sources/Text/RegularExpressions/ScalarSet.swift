/// A set of scalars in a pattern: a class, an escape such as `\d`, the dot.
struct ScalarSet: Sendable {
    indirect enum Content: Sendable {
        /// Sorted ranges that are not adjacent.
        case ranges([ClosedRange<UInt32>])
        case property(UnicodeProperty)
        case negation(Content)
        case union([Content])
        case intersection(Content, Content)
        /// All scalars with a case variant in the set.
        case closedOverCase(Content)

        func contains(_ scalar: UInt32) -> Bool {
            switch self {
            case .ranges(let ranges): return Scripts.contains(ranges, scalar)
            case .property(let property): return property.holds(scalar)
            case .negation(let content): return !content.contains(scalar)
            case .union(let contents):
                for content in contents where content.contains(scalar) { return true }
                return false
            case .intersection(let a, let b): return a.contains(scalar) && b.contains(scalar)
            case .closedOverCase(let content): return ScalarSet.containsVariant(content, scalar)
            }
        }
    }

    private let content: Content
    private let low: UInt64
    private let high: UInt64

    init(_ content: Content) {
        self.content = content
        func word(_ start: UInt32) -> UInt64 {
            (0..<64).reduce(0) { $0 | (content.contains(start + UInt32($1)) ? 1 << UInt64($1) : 0) }
        }
        low = word(0)
        high = word(64)
    }

    /// The scalars in sorted ranges, `nil` for sets with properties.
    var ranges: [ClosedRange<UInt32>]? { content.knownRanges }

    /// - Complexity: O(1) for ASCII.
    @inline(__always)
    func contains(_ scalar: UInt32) -> Bool {
        if scalar < 64 { return low >> UInt64(scalar) & 1 != 0 }
        if scalar < 128 { return high >> UInt64(scalar - 64) & 1 != 0 }
        return content.contains(scalar)
    }

    private static func containsVariant(_ content: Content, _ scalar: UInt32) -> Bool {
        if content.contains(scalar) { return true }
        let folded = ScalarFolding.fold(scalar)
        if content.contains(folded) { return true }
        guard let known = Unicode.Scalar(folded) else { return false }
        for mapping in [known.properties.uppercaseMapping, known.properties.titlecaseMapping] {
            let mapped = mapping.unicodeScalars
            if mapped.count == 1, let variant = mapped.first, content.contains(variant.value) { return true }
        }
        return rareVariants[folded]?.contains { content.contains($0) } ?? false
    }

    /// Scalars that fold to a scalar besides its uppercase and titlecase form.
    private static let rareVariants: [UInt32: [UInt32]] = [
        0x6B: [0x212A], 0x73: [0x17F], 0xE5: [0x212B], 0xDF: [0x1E9E], 0x3BC: [0xB5], 0x3C3: [0x3C2], 0x3C9: [0x2126],
        0x3B2: [0x3D0], 0x3B5: [0x3F5], 0x3B8: [0x3D1, 0x3F4], 0x3B9: [0x345, 0x1FBE], 0x3BA: [0x3F0], 0x3C0: [0x3D6], 0x3C1: [0x3F1],
        0x3C6: [0x3D5], 0x1E61: [0x1E9B],
    ]
}

extension ScalarSet.Content {
    /// The line terminators of the dot, `^` and `$`.
    static let lineTerminators = ScalarSet.Content.ranges([0x0A...0x0D, 0x85...0x85, 0x2028...0x2029])
    static let everything = ScalarSet.Content.ranges([0...0x10FFFF])
    static let digits = ScalarSet.Content.property(.category([.decimalNumber]))
    static let whitespace = ScalarSet.Content.property(.binary(\.isWhitespace))
    static let horizontalSpace = ScalarSet.Content.union([.ranges([0x09...0x09]), .property(.category([.spaceSeparator]))])
    static let word = ScalarSet.Content.union([
        .ranges([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A, 0x200C...0x200D]), .property(.binary(\.isAlphabetic)),
        .property(.category([.decimalNumber, .connectorPunctuation, .nonspacingMark, .spacingMark, .enclosingMark])),
    ])

    /// The scalars in sorted ranges, `nil` for sets with properties.
    fileprivate var knownRanges: [ClosedRange<UInt32>]? {
        switch self {
        case .ranges(let ranges): return ranges
        case .negation(let content): return content.knownRanges.map { ScalarSet.Content.others($0) }
        case .union(let contents):
            let known = contents.compactMap(\.knownRanges)
            guard known.count == contents.count else { return nil }
            return ScalarSet.Content.united(known.flatMap(\.self)).knownRanges
        case .property, .intersection, .closedOverCase: return nil
        }
    }

    /// Returns the complement of some sorted ranges.
    private static func others(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        var others: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges {
            if range.lowerBound > next { others.append(next...range.lowerBound - 1) }
            next = range.upperBound + 1
        }
        return next <= 0x10FFFF ? others + [next...0x10FFFF] : others
    }

    /// Returns the union of ranges in any order.
    static func united(_ ranges: [ClosedRange<UInt32>]) -> ScalarSet.Content {
        var sorted: [ClosedRange<UInt32>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = sorted.last, range.lowerBound <= last.upperBound + 1 {
                sorted[sorted.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                sorted.append(range)
            }
        }
        return .ranges(sorted)
    }
}
