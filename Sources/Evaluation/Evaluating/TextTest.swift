public import StrataText

/// A test of text against a constant, prepared once and run over many texts on one thread.
///
/// ASCII text is tested in place; other text is folded, exactly as by `TextFolding`.
// Safe: it keeps no pointer, only a closure that takes one.
@safe public struct TextTest {
    typealias Test = (UnsafeRawBufferPointer) throws(QueryError) -> Bool
    private let run: Test

    /// Prepares a textual operator, or a comparison of text.
    ///
    /// - Returns: `nil` for an operator that does not compare text.
    /// - Throws: `QueryError` of `.illegalPattern` for a regular expression that is malformed or too large.
    public init?(_ op: QueryComparison.Operator, _ constant: String, options: QueryComparison.Options) throws(QueryError) {
        switch op {
        case .isIn, .between: return nil
        case .matches: unsafe run = try unsafe TextTest.expression(constant, options.folding)
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
            unsafe run =
                unsafe options.collates ? TextTest.collated(op, constant, options) : TextTest.ordered(op, constant, options.folding)
        case .contains: unsafe run = unsafe TextTest.contains(constant, options.folding)
        case .beginsWith: unsafe run = unsafe TextTest.affix(constant, options.folding, isPrefix: true)
        case .endsWith: unsafe run = unsafe TextTest.affix(constant, options.folding, isPrefix: false)
        case .like:
            let pattern = LikePattern(TextFolding.fold(constant, options), ignoresCase: options.folding.contains(.caseInsensitive))
            unsafe run = TextTest.like(pattern, options.folding)
        }
    }

    /// Returns whether the text, which is UTF-8, passes.
    ///
    /// - Throws: `QueryError` of `.patternTooCostly` where a pattern takes too long on a text made for it.
    public func passes(_ bytes: UnsafeRawBufferPointer) throws(QueryError) -> Bool { try unsafe run(bytes) }

    /// Returns whether the text passes.
    ///
    /// - Throws: `QueryError` of `.patternTooCostly` where a pattern takes too long on a text made for it.
    public func passes(_ text: String) throws(QueryError) -> Bool {
        var text = text
        let result = text.withUTF8 { bytes in
            Result { () throws(QueryError) in try unsafe run(UnsafeRawBufferPointer(bytes)) }
        }
        return try result.get()
    }

    /// Returns a test of folded text; `test` ignores the case of ASCII letters itself where the options do.
    private static func folding(_ options: QueryComparison.Options, _ test: @escaping Test) -> Test {
        if options.isEmpty { return unsafe test }
        let scratch = Scratch()
        return { (text) throws(QueryError) in
            unsafe ASCIIText.isASCII(text) ? try test(text) : try scratch.folded(text, options, test)
        }
    }

    private static func like(_ pattern: LikePattern, _ options: QueryComparison.Options) -> Test {
        guard pattern.hasOne, !options.isEmpty else {
            return unsafe folding(options) { (text) throws(QueryError) in try unsafe matches(pattern, text) }
        }
        let scratch = Scratch()
        return { (text) throws(QueryError) in
            if unsafe ASCIIText.isASCII(text) { return try unsafe matches(pattern, text) }
            // `?` is one character of the text, however many it folds to.
            var groups: [Range<Int>]? = []
            return try unsafe scratch.folded(text, options, noting: &groups) { (folded, groups) throws(QueryError) in
                try unsafe matches(pattern, folded, groups: groups ?? [])
            }
        }
    }

    private static func matches(
        _ pattern: LikePattern, _ text: UnsafeRawBufferPointer, groups: [Range<Int>] = []
    ) throws(QueryError) -> Bool {
        do throws(PatternError) { return try unsafe pattern.matches(text, groups: groups) } catch { throw QueryError(error, "LIKE") }
    }

    private static func search(_ constant: String, _ options: QueryComparison.Options) -> ByteSearch {
        ByteSearch(Array(TextFolding.fold(constant, options).utf8), ignoresCase: options.contains(.caseInsensitive))
    }

    private static func contains(_ constant: String, _ options: QueryComparison.Options) -> Test {
        let search = search(constant, options)
        if options.isEmpty { return { (text) throws(QueryError) in unsafe search.find(in: text) != nil } }
        // Only with an ASCII needle and significant diacritics is it known that folding finds no more.
        let isDecidable = search.needle.allSatisfy { $0 < 0x80 } && !options.contains(.diacriticInsensitive)
        let letters = ASCIIText.letters(of: search.needle)
        let scratch = Scratch()
        return { (text) throws(QueryError) in
            // Folding leaves ASCII bytes where they are, adjacent, so a match here is one in the folded text.
            if unsafe search.find(in: text) != nil { return true }
            if unsafe ASCIIText.isASCII(text) || (isDecidable && !TextFolding.mayMake(letters, of: text)) { return false }
            return try unsafe scratch.folded(text, options) { (folded) throws(QueryError) in unsafe search.find(in: folded) != nil }
        }
    }

    private static func affix(_ constant: String, _ options: QueryComparison.Options, isPrefix: Bool) -> Test {
        let search = search(constant, options)
        func test(_ text: UnsafeRawBufferPointer) -> Bool { unsafe isPrefix ? search.isPrefix(of: text) : search.isSuffix(of: text) }
        if options.isEmpty { return { (text) throws(QueryError) in unsafe test(text) } }
        let length = search.needle.count
        let scratch = Scratch()
        return { (text) throws(QueryError) in
            // Where the end in question is ASCII, the rest of the text does not matter.
            let end = unsafe UnsafeRawBufferPointer(rebasing: isPrefix ? text.prefix(length) : text.suffix(length))
            if unsafe ASCIIText.isASCII(end) && end.count == length { return unsafe test(end) }
            if unsafe ASCIIText.isASCII(text) { return false }
            return try unsafe scratch.folded(text, options) { (folded) throws(QueryError) in unsafe test(folded) }
        }
    }

    private static func ordered(_ op: QueryComparison.Operator, _ constant: String, _ options: QueryComparison.Options) -> Test {
        let search = search(constant, options)
        switch op {
        case .equal: return unsafe folding(options) { (text) throws(QueryError) in unsafe search.isEqual(to: text) }
        case .notEqual: return unsafe folding(options) { (text) throws(QueryError) in unsafe !search.isEqual(to: text) }
        default: break
        }
        let needle = search.needle
        func test(_ text: UnsafeRawBufferPointer) -> Bool {
            unsafe ValueTest.holds(op, needle.withUnsafeBytes { unsafe compareBytes(text, $0) })
        }
        if options.isEmpty { return { (text) throws(QueryError) in unsafe test(text) } }
        let scratch = Scratch()
        return { (text) throws(QueryError) in
            try unsafe scratch.folded(text, options) { (folded) throws(QueryError) in unsafe test(folded) }
        }
    }

    private static func collated(_ op: QueryComparison.Operator, _ constant: String, _ options: QueryComparison.Options) -> Test {
        let collation = Collation(options)
        let needle = collation.key(constant)
        let scratch = Scratch()
        return { (text) throws(QueryError) in
            var key = scratch.bytes
            scratch.bytes = []
            defer { scratch.bytes = key }
            key.removeAll(keepingCapacity: true)
            unsafe collation.appendKey(of: text, to: &key)
            return unsafe ValueTest.holds(op, key.withUnsafeBytes { key in unsafe needle.withUnsafeBytes { unsafe compareBytes(key, $0) } })
        }
    }

    private static func expression(_ pattern: String, _ options: QueryComparison.Options) throws(QueryError) -> Test {
        let diacritics = options.intersection(.diacriticInsensitive)
        let expression: RegularExpression
        do throws(PatternError) {
            expression = try RegularExpression(TextFolding.fold(pattern, diacritics), ignoresCase: options.contains(.caseInsensitive))
        } catch {
            throw QueryError(error, pattern)
        }
        return unsafe folding(diacritics) { (text) throws(QueryError) in
            do throws(PatternError) { return try unsafe expression.matches(text) } catch { throw QueryError(error, pattern) }
        }
    }
}

/// Buffers for folded text, reused from one text to the next.
private final class Scratch {
    var bytes: [UInt8] = []

    func folded(_ text: UnsafeRawBufferPointer, _ options: QueryComparison.Options, _ test: TextTest.Test) throws(QueryError) -> Bool {
        var groups: [Range<Int>]?
        return try unsafe folded(text, options, noting: &groups) { (folded, _) throws(QueryError) in try unsafe test(folded) }
    }

    /// Runs a test over folded text and the ranges where several scalars come from one, unless `groups` is `nil`.
    func folded(
        _ text: UnsafeRawBufferPointer, _ options: QueryComparison.Options, noting groups: inout [Range<Int>]?,
        _ test: (UnsafeRawBufferPointer, [Range<Int>]?) throws(QueryError) -> Bool
    ) throws(QueryError) -> Bool {
        // Taken out, so that no access to this object is checked meanwhile.
        var folded = bytes
        bytes = []
        defer { bytes = folded }
        unsafe TextFolding.fold(text, options, into: &folded, noting: &groups)
        let noted = groups
        let result = unsafe folded.withUnsafeBytes { folded in
            Result { () throws(QueryError) in try unsafe test(folded, noted) }
        }
        return try result.get()
    }
}

extension QueryError {
    /// Creates the error of a regular expression, possibly with a text.
    init(_ error: PatternError, _ pattern: String) {
        self.init(error.reason == .tooCostly ? .patternTooCostly : .illegalPattern, subject: pattern, error.description)
    }
}
