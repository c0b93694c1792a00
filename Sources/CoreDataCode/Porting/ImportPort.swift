/// Puts conditions around imports of what only Apple's systems have.
struct ImportPort {
    private var cursor: TokenCursor
    private var conditions = ConditionStack()
    private let lineEnd: String
    /// Whether the file has Foundation without them.
    private let hasFoundation: Bool
    private(set) var edits: [SourceEdit] = []
    private(set) var remarks: [(module: String, remark: SourceRemark)] = []

    init(_ source: TokenizedSource, _ declarations: SourceDeclarations) {
        cursor = TokenCursor(source)
        lineEnd = source.lineEnd
        hasFoundation = declarations.imports.contains { ["Foundation", "CoreData"].contains($0.module) && $0.conditions.isEmpty }
    }

    mutating func run() {
        while !cursor.isAtEnd {
            if cursor.kind == .directive {
                conditions.apply(cursor.text)
            } else if cursor.isWord("import"), !conditions.isForObjectiveC {
                portImport()
            }
            cursor.advance()
        }
    }

    private mutating func portImport() {
        let kinds: Set<String> = ["class", "struct", "enum", "protocol", "func", "var", "let", "typealias"]
        let source = cursor.source
        func isWord(_ distance: Int) -> Bool { cursor.peek(distance).kind == .word }
        var last = isWord(1) && kinds.contains(source.text(cursor.peek())) ? 2 : 1
        guard isWord(last) else { return }
        let module = source.text(cursor.peek(last))
        guard let remedy = AppleModules.remedy(module) else { return }
        while cursor.peek(last + 1).kind == .mark("."), isWord(last + 2) { last += 2 }
        let place = source.place(cursor.token.range.lowerBound)
        remarks.append((module, SourceRemark(place: place, subject: "import \(module)", remedy: remedy)))
        // A line of its own, with nothing but attributes and an access level before it.
        var first = cursor.index
        while first > 0, !source.tokens[first].startsLine { first -= 1 }
        let next = cursor.peek(last + 1)
        guard next.startsLine || next.kind == .end, isStart(of: first) else { return }
        let start = source.tokens[first].range.lowerBound
        let indentation = source.text(source.startOfLine(source.lineIndex(start))..<start)
        guard indentation.allSatisfy(\.isWhitespace) else { return }
        let separator = lineEnd + indentation
        let alternative = hasFoundation || !edits.isEmpty ? "" : separator + "#else" + separator + "import Foundation"
        edits.append(SourceEdit(range: start..<start, text: "#if canImport(\(module))" + separator))
        let end = cursor.peek(last).range.upperBound
        edits.append(SourceEdit(range: end..<end, text: alternative + separator + "#endif"))
    }

    private func isStart(of first: Int) -> Bool {
        var reader = cursor
        reader.index = first
        var modifiers = PendingModifiers()
        while reader.index < cursor.index {
            if reader.isMark("@") {
                modifiers.takeAttribute(&reader)
            } else if reader.kind != .word || !modifiers.takeModifier(&reader) {
                return false
            }
        }
        return reader.index == cursor.index
    }
}
