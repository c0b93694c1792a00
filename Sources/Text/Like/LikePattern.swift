/// A pattern of `LIKE`: `?` matches one scalar, however many it folds to, `*` any number of them, and a backslash quotes the next one.
public struct LikePattern {
    private enum Element: Equatable {
        case one, many
        case byte(UInt8)
    }

    /// The pattern's parts between its stars; without one the whole pattern.
    private var parts: [LikePart] = []
    /// The elements, for a pattern with `?` and texts beyond ASCII.
    private var elements: [Element] = []
    /// Whether the pattern has a `?` that is not quoted.
    public let hasOne: Bool
    private let ignoresCase: Bool

    /// The maximum number of steps for one text.
    private static let stepBudget = 20_000_000

    /// Creates a pattern, which is in lower case where the case of ASCII letters is ignored.
    public init(_ pattern: String, ignoresCase: Bool) {
        self.ignoresCase = ignoresCase
        var escaped = false
        for byte in pattern.utf8 {
            if !escaped && byte == UInt8(ascii: "\\") {
                escaped = true
                continue
            }
            let element: Element =
                escaped ? .byte(byte) : byte == UInt8(ascii: "?") ? .one : byte == UInt8(ascii: "*") ? .many : .byte(byte)
            escaped = false
            if element != .many || elements.last != .many { elements.append(element) }
        }
        if escaped { elements.append(.byte(UInt8(ascii: "\\"))) }
        hasOne = elements.contains(.one)
        parts = elements.split(separator: .many, omittingEmptySubsequences: false).map { part in
            LikePart(part.map { if case .byte(let byte) = $0 { byte } else { nil } }, ignoresCase: ignoresCase)
        }
    }

    /// Returns whether the pattern matches the whole text.
    ///
    /// - Parameters:
    ///   - text: The text in UTF-8.
    ///   - groups: The ranges of scalars, in ascending order, that one scalar was folded to: `?` matches each range as one.
    /// - Complexity: O(text + pattern) without `?`, else O(text × the longest part between two stars).
    /// - Throws: ``PatternError`` if an adversarial text and pattern exceed the limit.
    public func matches(_ text: UnsafeRawBufferPointer, groups: [Range<Int>] = []) throws(PatternError) -> Bool {
        if unsafe hasOne && !(groups.isEmpty && ASCIIText.isASCII(text)) { return try unsafe matchesElements(text, groups) }
        guard let head = parts.first, let tail = parts.last else { return unsafe text.isEmpty }
        if parts.count == 1 { return unsafe head.isEqual(to: text) }
        let end = text.count - tail.count
        guard head.count <= end, unsafe head.isPrefix(of: text), unsafe tail.isSuffix(of: text) else { return false }
        var offset = head.count
        var steps = LikePattern.stepBudget
        let middle = unsafe UnsafeRawBufferPointer(rebasing: text[..<end])
        for part in parts.dropFirst().dropLast() {
            guard let found = unsafe part.find(in: middle, from: offset, steps: &steps) else {
                if steps < 0 { throw PatternError.tooCostly(on: text.count) }
                return false
            }
            offset = found + part.count
        }
        return true
    }

    /// Backtracks to the last star only: other splits at earlier ones cannot help.
    private func matchesElements(_ text: UnsafeRawBufferPointer, _ groups: [Range<Int>]) throws(PatternError) -> Bool {
        let bytes = unsafe text.assumingMemoryBound(to: UInt8.self)
        var (t, p) = (0, 0)
        var star: (pattern: Int, text: Int)?
        var steps = 0
        while t < bytes.count {
            steps += 1
            if steps > LikePattern.stepBudget { throw PatternError.tooCostly(on: text.count) }
            if p < elements.count {
                switch elements[p] {
                case .many:
                    star = (p, t)
                    p += 1
                    continue
                case .one:
                    t = unsafe LikePattern.end(of: groups, at: t) ?? t + bytes.scalar(at: t).count
                    p += 1
                    continue
                case .byte(let byte) where unsafe byte == (ignoresCase ? ASCIIText.lowered(bytes[t]) : bytes[t]):
                    (t, p) = (t + 1, p + 1)
                    continue
                case .byte: break
                }
            }
            guard let last = star else { return false }
            t = unsafe last.text + bytes.scalar(at: last.text).count
            star = (last.pattern, t)
            p = last.pattern + 1
        }
        while p < elements.count, case .many = elements[p] { p += 1 }
        return p == elements.count
    }

    /// Returns the end of the group that contains an offset; `nil` if none does.
    private static func end(of groups: [Range<Int>], at offset: Int) -> Int? {
        var (low, high) = (0, groups.count)
        while low < high {
            let middle = (low + high) / 2
            if groups[middle].upperBound <= offset { low = middle + 1 } else { high = middle }
        }
        return low < groups.count && groups[low].lowerBound <= offset ? groups[low].upperBound : nil
    }
}
