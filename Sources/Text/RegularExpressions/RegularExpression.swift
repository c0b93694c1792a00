/// A regular expression in ICU's syntax that matches whole texts, in bounded time and memory.
///
/// Patterns without back-references, atomic groups and possessive quantifiers take linear time in pattern and text; the
/// others backtrack within a limit of steps. Scalars are compared, not characters; case is ignored by simple folding.
/// An instance is not thread-safe.
public final class RegularExpression {
    private enum Matcher {
        case literal
        case linear(LinearMatcher)
        case backtracking(BacktrackingMatcher)
    }

    private var matcher: Matcher
    private let program: PatternProgram?
    /// Tried before the linear matcher; made for the first text.
    private lazy var automaton = program.flatMap { LazyAutomaton($0) }
    /// The literal prefix of every match.
    private let prefix: [UInt8]

    /// Parses a pattern.
    ///
    /// - Throws: ``PatternError`` if it is malformed or exceeds the limits.
    public init(_ pattern: String, ignoresCase: Bool = false) throws(PatternError) {
        var parser = PatternParser(pattern, ignoresCase: ignoresCase)
        let node = try parser.parse()
        let (literal, isWhole) = RegularExpression.literalPrefix(node)
        prefix = Array(literal.utf8)
        if isWhole {
            matcher = .literal
            self.program = nil
            return
        }
        let program = try PatternCompiler(node, parser).program
        self.program = program
        matcher = program.needsBacktracking ? .backtracking(BacktrackingMatcher(program)) : .linear(LinearMatcher(program))
    }

    /// Returns whether the pattern matches all of a text in UTF-8.
    ///
    /// - Throws: ``PatternError`` if it exceeded the limit of steps.
    public func matches(_ text: UnsafeRawBufferPointer) throws(PatternError) -> Bool {
        guard text.count >= prefix.count,
            unsafe prefix.withUnsafeBytes({ unsafe compareBytes(UnsafeRawBufferPointer(rebasing: text[..<prefix.count]), $0) }) == .equal
        else { return false }
        let bytes = unsafe text.assumingMemoryBound(to: UInt8.self)
        if let answer = unsafe automaton?.matches(bytes) { return answer }
        switch matcher {
        case .literal: return text.count == prefix.count
        case .linear(var linear):
            // Taken out, so that its state is not copied.
            matcher = .literal
            defer { matcher = .linear(linear) }
            return try unsafe linear.matches(bytes)
        case .backtracking(let matcher): return try unsafe matcher.matches(bytes)
        }
    }

    /// Returns whether the pattern matches all of a text.
    ///
    /// - Throws: ``PatternError`` if it exceeded the limit of steps.
    public func matches(_ text: String) throws(PatternError) -> Bool {
        var text = text
        let result = text.withUTF8 { bytes in
            Result { () throws(PatternError) in try unsafe matches(UnsafeRawBufferPointer(bytes)) }
        }
        return try result.get()
    }

    /// Returns the literal prefix of a match, and whether it is the whole match.
    private static func literalPrefix(_ node: PatternNode) -> (String, Bool) {
        var text = String.UnicodeScalarView()
        let parts: [PatternNode] = if case .sequence(let parts) = node { parts } else { [node] }
        for part in parts {
            guard case .scalar(let value) = part, let scalar = Unicode.Scalar(value) else { return (String(text), false) }
            text.append(scalar)
        }
        return (String(text), true)
    }
}
