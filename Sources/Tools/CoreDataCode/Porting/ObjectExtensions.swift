/// Extensions of `NSObject` whose members managed objects use, which are no `NSObject` where there is no Objective-C.
///
/// Their text is repeated as an extension of `NSManagedObject`.
struct ObjectExtensions {
    /// The words of all files that name `NSManagedObject`.
    private let words: Set<String>

    init(_ files: [SourceFile]) {
        words = files.filter { $0.text.contains("NSManagedObject") }.reduce(into: []) { words, file in
            let source = TokenizedSource(file)
            for token in source.tokens where token.isName { words.insert(source.text(token)) }
        }
    }

    /// Returns the lines of the extensions that repeat those of a file.
    func repeated(_ source: TokenizedSource, imports: Bool) -> [String] {
        var lines: [String] = []
        var cursor = TokenCursor(source: source)
        var conditions = ConditionStack()
        while !cursor.isAtEnd {
            if cursor.kind == .directive { conditions.apply(cursor.text) }
            let start = cursor.index
            guard cursor.take(word: "extension") else {
                cursor.advance()
                continue
            }
            // One with conformances, or conditions, is left alone.
            guard cursor.isWord("NSObject"), cursor.peek().kind == .mark("{"), !conditions.isForObjectiveC else { continue }
            cursor.advance()
            let body = cursor.index
            cursor.skipBalanced()
            guard isUsed(source, body..<cursor.index) else { continue }
            let access =
                start > 0 && ["public", "internal", "package", "fileprivate", "private"].contains(source.text(source.tokens[start - 1]))
            let end = cursor.peek(-1).range.upperBound
            let text = source.text(source.tokens[body].range.lowerBound..<end).replacing("@objc ", with: "")
            lines.append((access ? source.text(source.tokens[start - 1]) + " " : "") + "extension NSManagedObject " + text)
        }
        return lines.isEmpty || imports ? lines : ["import CoreData"] + lines
    }

    /// Returns whether a file about managed objects names one of the members of an extension, and nothing in it needs Objective-C.
    private func isUsed(_ source: TokenizedSource, _ body: Range<Int>) -> Bool {
        let names = body.filter { source.tokens[$0].isName }.map { source.text(source.tokens[$0]) }
        if names.contains(where: { $0.hasPrefix("objc_") || $0.hasPrefix("perform") || UnavailableNames.remedy($0) != nil }) {
            return false
        }
        return zip(names, names.dropFirst()).contains { ["func", "var"].contains($0) && words.contains($1) }
    }
}
