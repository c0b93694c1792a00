/// Adds conditions around imports of Apple's modules, and imports that other systems need.
struct ImportPort {
    /// A range with attributes and an access level, and the line end with the indentation of the next line.
    private typealias Line = (range: Range<Int>, separator: String)

    private var cursor: TokenCursor
    private var conditions = ConditionStack()
    private let lineEnd: String
    /// Whether the file sees Foundation without them.
    private let hasFoundation: Bool
    private let needed: NeededImports
    private var isAdded: Bool
    /// The import of CoreData, and the last other one that all systems have.
    private var lines: (coreData: Line?, other: Line?)
    private(set) var edits: [SourceEdit] = []
    private(set) var remarks: [(module: String, remark: SourceRemark)] = []

    init(_ source: TokenizedSource, _ declarations: SourceDeclarations, _ needed: NeededImports) {
        cursor = TokenCursor(source: source)
        lineEnd = source.lineEnd
        hasFoundation = declarations.imports.contains { ["Foundation", "CoreData"].contains($0.module) && $0.conditions.isEmpty }
        self.needed = needed
        isAdded = needed.lines.isEmpty
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
        if !isAdded { addNeeded() }
    }

    private mutating func portImport() {
        let kinds: Set<String> = ["class", "struct", "enum", "protocol", "func", "var", "let", "typealias"]
        let source = cursor.source
        func isWord(_ distance: Int) -> Bool { cursor.peek(distance).kind == .word }
        var last = isWord(1) && kinds.contains(source.text(cursor.peek())) ? 2 : 1
        guard isWord(last) else { return }
        let (module, first) = (source.text(cursor.peek(last)), last)
        while cursor.peek(last + 1).kind == .mark("."), isWord(last + 2) { last += 2 }
        let line = line(through: last)
        guard let remedy = AppleModules.remedy(module) else {
            if module == "CoreData" {
                // A submodule is a header of Apple's framework: the whole module declares its names, too.
                if first == 1, last > first {
                    edits.append(SourceEdit(range: cursor.peek(first).range.upperBound..<cursor.peek(last).range.upperBound, text: ""))
                }
                lines.coreData = lines.coreData ?? line
            } else if conditions.isEmpty {
                lines.other = line ?? lines.other
            }
            return
        }
        remarks.append((module, SourceRemark(location: cursor.location, subject: "import \(module)", remedy: remedy)))
        guard let line else { return }
        var alternative: [String] = []
        if !isAdded, needed.addsModule, conditions.isEmpty, AppleModules.views.contains(module) {
            (alternative, isAdded) = (needed.lines, true)
        } else if !hasFoundation, edits.isEmpty {
            alternative = ["import Foundation"]
        }
        let after = (alternative.isEmpty ? [] : ["#else"] + alternative) + ["#endif"]
        let (start, end) = (line.range.lowerBound, line.range.upperBound)
        edits.append(SourceEdit(range: start..<start, text: "#if canImport(\(module))" + line.separator))
        edits.append(SourceEdit(range: end..<end, text: after.map { line.separator + $0 }.joined()))
    }

    private mutating func addNeeded() {
        guard let line = lines.coreData ?? lines.other else {
            let imports = needed.lines.map { "'\($0)'" }.joined(separator: " and ")
            let location = cursor.source.location(cursor.source.tokens[0].range.lowerBound)
            let remedy = "add \(imports) between '#if !canImport(ObjectiveC)' and '#endif'"
            return remarks.append(("CoreData", SourceRemark(location: location, subject: "import", remedy: remedy)))
        }
        let text = (["#if !canImport(ObjectiveC)"] + needed.lines + ["#endif"]).map { line.separator + $0 }.joined()
        edits.append(SourceEdit(range: line.range.upperBound..<line.range.upperBound, text: text))
    }

    /// Returns an import that ends at a token; `nil` if its line contains more than attributes and an access level.
    private func line(through last: Int) -> Line? {
        let source = cursor.source
        let first = source.firstOnLine(cursor.index)
        let next = cursor.peek(last + 1)
        guard next.startsLine || next.kind == .end, cursor.holdsModifiers(in: first..<cursor.index) else { return nil }
        let start = source.tokens[first].range.lowerBound
        let indentation = source.margin(before: start)
        guard indentation.allSatisfy(\.isWhitespace) else { return nil }
        return (start..<cursor.peek(last).range.upperBound, lineEnd + indentation)
    }
}
