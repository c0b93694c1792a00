/// Overriding members in extensions, which need Objective-C: they are moved into the body of their class, if it is in the same file.
///
/// The code means the same on Apple's systems, so that no condition is needed.
struct OverrideMoves {
    private struct Class {
        /// The offset of the closing brace.
        var end: Int
        var members: [String] = []
    }

    private let source: TokenizedSource
    private var classes: [String: Class] = [:]
    private var edits: [SourceEdit] = []
    private(set) var remarks: [SourceRemark] = []

    /// Returns a file in which no extension overrides a member of a class in the same file, and remarks on others that do.
    static func apply(to file: SourceFile) -> (file: SourceFile, remarks: [SourceRemark]) {
        guard file.text.contains("extension "), file.text.contains("override ") else { return (file, []) }
        var moves = OverrideMoves(TokenizedSource(file))
        moves.run()
        return (moves.edits.isEmpty ? file : SourceFile(path: file.path, text: moves.text), moves.remarks)
    }

    private init(_ source: TokenizedSource) { self.source = source }

    private mutating func run() {
        each("class") { moves, cursor, name in
            cursor.skipBalanced()
            moves.classes[name] = Class(end: cursor.peek(-1).range.lowerBound)
        }
        each("extension") { moves, cursor, name in moves.takeMembers(&cursor, of: name) }
        for found in classes.values where !found.members.isEmpty {
            // The brace is on a line of its own, but in a class without members.
            let margin = source.margin(before: found.end)
            let isOwnLine = margin.allSatisfy(\.isWhitespace)
            let start = isOwnLine ? found.end - margin.utf8.count : found.end
            let text = found.members.joined(separator: source.lineEnd + source.lineEnd)
            edits.append(SourceEdit(range: start..<start, text: source.lineEnd + text + source.lineEnd))
        }
    }

    /// Calls a function at the body of each type of the file's own scope that a keyword declares.
    private mutating func each(_ keyword: String, _ body: (inout OverrideMoves, inout TokenCursor, String) -> Void) {
        var cursor = TokenCursor(source: source)
        var conditions = ConditionStack()
        while !cursor.isAtEnd {
            if cursor.kind == .directive { conditions.apply(cursor.text) }
            if cursor.isMark("{") {
                cursor.skipBalanced()
            } else if cursor.take(word: keyword) {
                guard let name = cursor.takeName() else { continue }
                var isPlain = true
                while !cursor.isMark("{"), !cursor.isAtEnd {
                    if cursor.isWord("where") || cursor.isMark(".") { isPlain = false }
                    cursor.advance()
                }
                if isPlain, !conditions.isForObjectiveC, !cursor.isAtEnd { body(&self, &cursor, name) }
            } else {
                cursor.advance()
            }
        }
    }

    /// Reads the body of an extension, and moves the members that override others.
    private mutating func takeMembers(_ cursor: inout TokenCursor, of name: String) {
        let access = extensionAccess(before: cursor.index)
        cursor.advance()
        var conditions = ConditionStack()
        var first = cursor.index
        while !cursor.isMark("}"), !cursor.isAtEnd {
            if cursor.kind == .directive {
                conditions.apply(cursor.text)
                cursor.advance()
                first = cursor.index
                continue
            }
            var modifiers = PendingModifiers()
            while cursor.isMark("@") || cursor.kind == .word {
                if cursor.isMark("@") { modifiers.takeAttribute(&cursor) } else if !modifiers.takeModifier(&cursor) { break }
            }
            let isOverride = modifiers.isOverride && !conditions.isForObjectiveC
            let location = cursor.location
            skipMember(&cursor)
            if isOverride {
                let range = first..<cursor.index
                if classes[name] != nil, conditions.isEmpty {
                    move(range, of: name, access: modifiers.access == nil ? access : nil)
                } else {
                    remarks.append(
                        SourceRemark(
                            location: location, subject: "override",
                            remedy: "an extension overrides nothing without Objective-C: move the member into the declaration of \(name)"))
                }
            }
            first = cursor.index
        }
        if cursor.isMark("}") { cursor.advance() }
    }

    /// Skips the rest of a member after its modifiers: to the end of its body, or of its line where it has none.
    private func skipMember(_ cursor: inout TokenCursor) {
        repeat {
            if cursor.isMark("{") { return cursor.skipBalanced() }
            if cursor.isMark("(") || cursor.isMark("[") { cursor.skipBalanced() } else { cursor.advance() }
            // A result or a condition may be on the next line.
            let continues = cursor.isMark("{") || cursor.kind == .arrow || cursor.isWord("throws") || cursor.isWord("where")
            if cursor.token.startsLine, !continues { return }
        } while !cursor.isMark("}") && !cursor.isAtEnd
    }

    private mutating func move(_ tokens: Range<Int>, of name: String, access: String?) {
        let start = source.tokens[tokens.lowerBound].range.lowerBound
        let end = source.tokens[tokens.upperBound - 1].range.upperBound
        let before = source.tokens[tokens.lowerBound - 1].range.upperBound
        // The comment before the member, from the line after that of the token before it.
        let gap = source.bytes[before..<start]
        let from = gap.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? start
        var lines = source.text(from..<start)
        while let line = lines.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).first, lines.contains("\n"),
            line.allSatisfy(\.isWhitespace)
        {
            lines.removeFirst(line.count + 1)
        }
        classes[name]?.members.append(lines + (access.map { $0 + " " } ?? "") + source.text(start..<end))
        // The rest of its last line, if nothing follows there.
        let next = source.bytes[end...].firstIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\r") } ?? end
        let isLineEnd = from < start && next < source.bytes.count && source.bytes[next] == UInt8(ascii: "\n")
        edits.append(SourceEdit(range: from..<(isLineEnd ? next + 1 : end), text: ""))
    }

    /// Returns the access level that members of an extension get from it, if it has one.
    private func extensionAccess(before body: Int) -> String? {
        let start = source.tokens[..<body].lastIndex { source.text($0) == "extension" } ?? 0
        guard start > 0 else { return nil }
        let word = source.text(source.tokens[start - 1])
        return ["public", "package", "open"].contains(word) ? word : nil
    }

    private var text: String {
        var bytes = source.bytes
        for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            bytes.replaceSubrange(edit.range, with: edit.text.utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
