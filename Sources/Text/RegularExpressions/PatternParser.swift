/// Parses regular expressions in ICU's syntax, as in `NSPredicate`'s `MATCHES`.
///
/// Not supported are `\X`, `\N{name}`, `\G` and the flags `d`, `u` and `w`.
struct PatternParser {
    /// The inline flags.
    struct Flags {
        /// The flag `i`: simple case folding.
        var ignoresCase = false
        /// The flag `s`: `.` matches line ends, too.
        var dotMatchesTerminators = false
        /// The flag `m`: `^` and `$` match at line ends, too.
        var anchorsMatchLines = false
        /// The flag `x`: white space is ignored, and `#` begins a comment.
        var allowsComments = false
    }

    /// The maximum nesting of groups and classes.
    static let maximumDepth = 200
    /// The maximum number of classes, and members of classes other than ranges.
    static let maximumSets = 2000
    /// The maximum number of scalars in a pattern.
    static let maximumLength = 65_536

    var flags: Flags
    let scalars: [Unicode.Scalar]
    var position = 0
    var depth = 0
    private(set) var sets: [ScalarSet] = []
    /// The look-arounds, nested ones before their parents.
    private(set) var looks: [PatternLook] = []
    private(set) var captureCount = 0
    private(set) var captureNames: [String: Int] = [:]
    /// Back-references by number, with their positions, to be checked once all groups are known.
    private var backreferences: [(number: Int, position: Int)] = []

    init(_ pattern: String, ignoresCase: Bool) {
        scalars = Array(pattern.unicodeScalars)
        flags = Flags(ignoresCase: ignoresCase)
    }

    mutating func parse() throws(PatternError) -> PatternNode {
        if scalars.count > PatternParser.maximumLength {
            throw PatternError(.tooLarge, at: PatternParser.maximumLength, "the pattern is too long")
        }
        let node = try alternation()
        if position < scalars.count { throw failure("unmatched )") }
        for reference in backreferences where reference.number > captureCount {
            throw PatternError(.syntax, at: reference.position, "there is no group \(reference.number)")
        }
        return node
    }

    // MARK: - Structure

    private mutating func alternation() throws(PatternError) -> PatternNode {
        var branches = [try sequence()]
        while take("|") { branches.append(try sequence()) }
        return branches.count == 1 ? branches[0] : .alternation(branches)
    }

    private mutating func sequence() throws(PatternError) -> PatternNode {
        var parts: [PatternNode] = []
        while true {
            skipComments()
            guard let next = peek, next != "|", next != ")" else { break }
            guard let part = try term() else { continue }
            parts.append(part)
        }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    /// Parses a term with its quantifier; `nil` for flags and comments.
    private mutating func term() throws(PatternError) -> PatternNode? {
        let start = position
        guard let next = advance() else { return nil }
        switch next {
        case "(":
            guard let group = try group(start) else { return nil }
            return try quantified(group)
        case "[": return try quantified(try set(try characterClass(start)))
        case ".": return try quantified(try set(flags.dotMatchesTerminators ? .everything : .negation(.lineTerminators)))
        case "^": return .assertion(flags.anchorsMatchLines ? .lineStart : .textStart)
        case "$": return .assertion(flags.anchorsMatchLines ? .lineEnd : .textEndBeforeTerminator)
        case "*", "+", "?": throw failure("nothing to repeat", at: start)
        case "{": throw failure("{ is no quantifier here; write \\{", at: start)
        case "\\": return try escape(start)
        default: return try quantified(literal(next.value))
        }
    }

    private mutating func group(_ start: Int) throws(PatternError) -> PatternNode? {
        depth += 1
        defer { depth -= 1 }
        guard depth <= PatternParser.maximumDepth else { throw PatternError(.tooLarge, at: start, "groups are nested too deep") }
        guard take("?") else {
            captureCount += 1
            let number = captureCount
            return .capture(number, try body(start))
        }
        guard let kind = advance() else { throw failure("unfinished group", at: start) }
        switch kind {
        case ":": return try body(start)
        case ">": return .atomic(try body(start))
        case "=": return try look(start, isAhead: true, isNegated: false)
        case "!": return try look(start, isAhead: true, isNegated: true)
        case "#":
            while let next = advance() { if next == ")" { return nil } }
            throw failure("unfinished comment", at: start)
        case "<":
            if take("=") { return try look(start, isAhead: false, isNegated: false) }
            if take("!") { return try look(start, isAhead: false, isNegated: true) }
            let name = try groupName()
            captureCount += 1
            let number = captureCount
            guard captureNames.updateValue(number, forKey: name) == nil else { throw failure("a second group \(name)", at: start) }
            return .capture(number, try body(start))
        default:
            position -= 1
            let outer = flags
            flags = try changedFlags()
            // Without a group of their own the flags apply to the rest of the enclosing one.
            if take(")") { return nil }
            guard take(":") else { throw failure("unknown kind of group", at: start) }
            defer { flags = outer }
            return try body(start)
        }
    }

    /// Parses a group's content and its end, and restores the flags.
    private mutating func body(_ start: Int) throws(PatternError) -> PatternNode {
        let outer = flags
        defer { flags = outer }
        let node = try alternation()
        guard take(")") else { throw failure("unmatched (", at: start) }
        return node
    }

    private mutating func look(_ start: Int, isAhead: Bool, isNegated: Bool) throws(PatternError) -> PatternNode {
        looks.append(PatternLook(body: try body(start), isAhead: isAhead, isNegated: isNegated))
        return .look(looks.count - 1)
    }

    private mutating func changedFlags() throws(PatternError) -> Flags {
        var changed = flags
        var value = true
        while let next = peek, next != ")", next != ":" {
            position += 1
            switch next {
            case "-" where value: value = false
            case "i": changed.ignoresCase = value
            case "s": changed.dotMatchesTerminators = value
            case "m": changed.anchorsMatchLines = value
            case "x": changed.allowsComments = value
            default: throw failure("unknown flag \(next)", at: position - 1)
            }
        }
        return changed
    }

    mutating func groupName() throws(PatternError) -> String {
        let start = position
        var name = String.UnicodeScalarView()
        while let next = advance() {
            if next == ">" && !name.isEmpty { return String(name) }
            guard next.isASCII, next.properties.isAlphabetic || (!name.isEmpty && "0"..."9" ~= next) else { break }
            name.append(next)
        }
        throw failure("a group's name is letters and digits between < and >", at: start)
    }

    // MARK: - Quantifiers

    /// Parses the quantifier after a term, if there is one.
    mutating func quantified(_ node: PatternNode) throws(PatternError) -> PatternNode {
        skipComments()
        let start = position
        let (least, most): (Int, Int?)
        switch peek {
        case "*": (least, most) = (0, nil)
        case "+": (least, most) = (1, nil)
        case "?": (least, most) = (0, 1)
        case "{":
            position += 1
            let first = try number(start)
            if take(",") {
                (least, most) = (first, peek == "}" ? nil : try number(start))
            } else {
                (least, most) = (first, first)
            }
            guard peek == "}" else { throw failure("unfinished {", at: start) }
            if let most, most < least { throw failure("nothing is at least \(least) and at most \(most)", at: start) }
        default: return node
        }
        position += 1
        let greed: PatternGreed = take("?") ? .lazy : take("+") ? .possessive : .greedy
        skipComments()
        if let next = peek, next == "*" || next == "+" || next == "?" || next == "{" { throw failure("a quantifier of a quantifier") }
        return .repetition(node, atLeast: least, atMost: most, greed)
    }

    private mutating func number(_ start: Int) throws(PatternError) -> Int {
        var digits = 0
        var value = 0
        while let next = peek, "0"..."9" ~= next {
            position += 1
            digits += 1
            value = min(value * 10 + Int(next.value - 0x30), 1_000_000_000)
        }
        if digits == 0 { throw failure("{ takes numbers", at: start) }
        return value
    }

    // MARK: - Leaves

    func literal(_ scalar: UInt32) -> PatternNode {
        guard flags.ignoresCase else { return .scalar(scalar) }
        let folded = ScalarFolding.fold(scalar)
        return ScalarFolding.hasVariants(folded) ? .folded(folded) : .scalar(scalar)
    }

    mutating func set(_ content: ScalarSet.Content) throws(PatternError) -> PatternNode {
        guard sets.count < PatternParser.maximumSets else {
            throw PatternError(.tooLarge, at: position, "more than \(PatternParser.maximumSets) classes")
        }
        sets.append(ScalarSet(content))
        return .set(sets.count - 1)
    }

    mutating func backreference(_ number: Int, at position: Int) -> PatternNode {
        backreferences.append((number, position))
        return .backreference(number, ignoresCase: flags.ignoresCase)
    }

    // MARK: - Reading

    func text(_ range: Range<Int>) -> String { String(String.UnicodeScalarView(scalars[range])) }

    var peek: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    mutating func advance() -> Unicode.Scalar? {
        guard let next = peek else { return nil }
        position += 1
        return next
    }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard peek == scalar else { return false }
        position += 1
        return true
    }

    private mutating func skipComments() {
        guard flags.allowsComments else { return }
        while let next = peek {
            if next.properties.isPatternWhitespace {
                position += 1
            } else if next == "#" {
                while let skipped = advance(), !PatternAssertion.isTerminator(skipped.value) {}
            } else {
                return
            }
        }
    }

    func failure(_ message: String, at position: Int? = nil) -> PatternError {
        PatternError(.syntax, at: position ?? self.position, message)
    }
}
