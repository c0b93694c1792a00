import StrataModel

/// A test of text against a constant, prepared once and run over many texts.
public struct TextTest {
    private let run: (UnsafeRawBufferPointer) -> Bool

    /// Prepares a textual operator, or an equality of folded text.
    ///
    /// - Returns: `nil` for an operator that does not compare text, or a regular expression that does not parse.
    public init?(_ op: QueryComparison.Operator, _ constant: String, _ options: QueryComparison.Options) {
        if op == .matches {
            let folding = options.subtracting(.caseInsensitive)
            guard let regex = try? Regex(TextFolding.fold(constant, folding)).dotMatchesNewlines(false) else { return nil }
            let expression = options.contains(.caseInsensitive) ? regex.ignoresCase() : regex
            run = { bytes in
                let text = TextFolding.fold(String(decoding: bytes, as: UTF8.self), folding)
                return (try? expression.wholeMatch(in: text)) != nil
            }
            return
        }
        let needle = Array(TextFolding.fold(constant, options).utf8)
        let test: (UnsafeRawBufferPointer) -> Bool
        switch op {
        case .contains: test = { TextTest.contains($0, needle) }
        case .beginsWith: test = { $0.count >= needle.count && TextTest.equal($0, 0, needle) }
        case .endsWith: test = { $0.count >= needle.count && TextTest.equal($0, $0.count - needle.count, needle) }
        case .equal: test = { $0.count == needle.count && TextTest.equal($0, 0, needle) }
        case .notEqual: test = { $0.count != needle.count || !TextTest.equal($0, 0, needle) }
        case .less: test = { TextTest.order($0, needle) == .less }
        case .lessOrEqual: test = { TextTest.order($0, needle) != .greater }
        case .greater: test = { TextTest.order($0, needle) == .greater }
        case .greaterOrEqual: test = { TextTest.order($0, needle) != .less }
        case .like:
            let pattern = LikePattern(TextFolding.fold(constant, options))
            test = { pattern.matches(String(decoding: $0, as: UTF8.self)) }
        case .matches, .isIn, .between: return nil
        }
        if options.isEmpty {
            run = test
        } else {
            run = { bytes in
                var folded = TextFolding.fold(String(decoding: bytes, as: UTF8.self), options)
                return folded.withUTF8 { test(UnsafeRawBufferPointer($0)) }
            }
        }
    }

    /// Whether the text passes.
    public func passes(_ bytes: UnsafeRawBufferPointer) -> Bool { run(bytes) }

    /// Whether the text passes.
    public func passes(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { run(UnsafeRawBufferPointer($0)) }
    }

    private static func order(_ bytes: UnsafeRawBufferPointer, _ needle: [UInt8]) -> Ordering {
        needle.withUnsafeBytes { compareBytes(bytes, $0) }
    }

    private static func equal(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ needle: [UInt8]) -> Bool {
        needle.withUnsafeBytes { compareBytes(UnsafeRawBufferPointer(rebasing: bytes[start..<(start + needle.count)]), $0) == .equal }
    }

    private static func contains(_ bytes: UnsafeRawBufferPointer, _ needle: [UInt8]) -> Bool {
        guard let first = needle.first else { return true }
        guard bytes.count >= needle.count else { return false }
        for start in 0...(bytes.count - needle.count) where bytes[start] == first && equal(bytes, start, needle) { return true }
        return false
    }
}

/// A pattern in which `?` stands for one character, `*` for any number of them, and a backslash takes the next one as it is.
struct LikePattern {
    private enum Element {
        case one, many
        case scalar(Unicode.Scalar)
    }

    private let elements: [Element]

    init(_ pattern: String) {
        var elements: [Element] = []
        var escaped = false
        for scalar in pattern.unicodeScalars {
            if escaped {
                elements.append(.scalar(scalar))
                escaped = false
            } else if scalar == "\\" {
                escaped = true
            } else {
                elements.append(scalar == "?" ? .one : scalar == "*" ? .many : .scalar(scalar))
            }
        }
        if escaped { elements.append(.scalar("\\")) }
        self.elements = elements
    }

    /// - Complexity: O(n × m) at worst: a mismatch returns to the last `*` only.
    func matches(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        var (t, p) = (0, 0)
        var star: (pattern: Int, text: Int)?
        while t < scalars.count {
            if p < elements.count {
                switch elements[p] {
                case .many:
                    star = (p, t)
                    p += 1
                    continue
                case .one:
                    (t, p) = (t + 1, p + 1)
                    continue
                case .scalar(let scalar) where scalar == scalars[t]:
                    (t, p) = (t + 1, p + 1)
                    continue
                case .scalar: break
                }
            }
            guard let last = star else { return false }
            star = (last.pattern, last.text + 1)
            (t, p) = (last.text + 1, last.pattern + 1)
        }
        while p < elements.count, case .many = elements[p] { p += 1 }
        return p == elements.count
    }
}
