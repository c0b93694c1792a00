/// Adds conditions around attributes that need Objective-C.
struct AttributePort {
    private var cursor: TokenCursor
    private var conditions = ConditionStack()
    private(set) var edits: [SourceEdit] = []
    private(set) var remarks: [SourceRemark] = []
    /// The bodies of optional requirements, by protocol.
    private(set) var defaults: [OptionalRequirements] = []
    /// The last protocol before the cursor.
    private var enclosing: OptionalRequirements?
    private let lineEnd: String

    init(_ source: TokenizedSource) {
        cursor = TokenCursor(source: source)
        lineEnd = source.lineEnd
    }

    mutating func run() {
        while !cursor.isAtEnd {
            if cursor.kind == .directive {
                conditions.apply(cursor.text)
                cursor.advance()
            } else if isObjectiveCAttribute, !conditions.isForObjectiveC {
                if !portOptionalRequirement() { portAttributes() }
            } else {
                if cursor.isWord("protocol"), cursor.peek().isName { noteProtocol() }
                if cursor.isWord("optional"), ["func", "var"].contains(where: { isWord($0, 1) }), !conditions.isForObjectiveC {
                    remark(
                        cursor.location, "optional",
                        "a protocol's optional members need Objective-C: give them a body in an extension of the protocol")
                }
                cursor.advance()
            }
        }
    }

    private func isWord(_ word: String, _ distance: Int) -> Bool {
        let token = cursor.peek(distance)
        return token.kind == .word && cursor.source.text(token) == word
    }

    private var isObjectiveCAttribute: Bool { cursor.isMark("@") && (isWord("objc", 1) || isWord("objcMembers", 1)) }

    private mutating func remark(_ location: SourceLocation, _ subject: String, _ remedy: String) {
        remarks.append(SourceRemark(location: location, subject: subject, remedy: remedy))
    }

    /// Adds conditions around adjacent attributes, on lines of their own before their line.
    private mutating func portAttributes() {
        let first = cursor.index
        var texts: [String] = []
        var end = 0
        repeat {
            let start = cursor.token.range.lowerBound
            cursor.advance()
            cursor.advance()
            end = cursor.peek(-1).range.upperBound
            if cursor.isMark("("), cursor.token.range.lowerBound == end || cursor.source.text(cursor.peek(-1)) == "objc" {
                cursor.skipBalanced()
                end = cursor.peek(-1).range.upperBound
            }
            texts.append(cursor.source.text(start..<end))
        } while isObjectiveCAttribute
        restrictToClasses()
        let source = cursor.source
        let token = source.tokens[first]
        let isLineOfItsOwn = cursor.token.startsLine || cursor.isAtEnd
        // If other code precedes the declaration on its line, the conditions begin a line after it.
        let declaration = startIndex(first)
        let before = source.tokens[declaration].range.lowerBound
        let margin = source.margin(before: source.tokens[source.firstOnLine(first)].range.lowerBound)
        guard margin.allSatisfy(\.isWhitespace) else {
            return remark(
                source.location(token.range.lowerBound), texts[0],
                "put it on a line of its own between '#if canImport(ObjectiveC)' and '#endif'")
        }
        let isInside = !source.tokens[declaration].startsLine
        let indentation = isInside ? margin + "    " : margin
        let lines = (["#if canImport(ObjectiveC)"] + texts + ["#endif"]).joined(separator: lineEnd + indentation)
        let next = isLineOfItsOwn ? end : cursor.token.range.lowerBound
        if isInside {
            let end = source.tokens[declaration - 1].range.upperBound
            edits.append(SourceEdit(range: end..<before, text: lineEnd + indentation))
        }
        if before == token.range.lowerBound {
            edits.append(SourceEdit(range: before..<next, text: lines + (isLineOfItsOwn ? "" : lineEnd + indentation)))
        } else {
            edits.append(SourceEdit(range: before..<before, text: lines + lineEnd + indentation))
            let start = isLineOfItsOwn ? source.tokens[first - 1].range.upperBound : token.range.lowerBound
            edits.append(SourceEdit(range: start..<next, text: ""))
        }
    }

    private mutating func noteProtocol() {
        let access = cursor.index > 0 ? cursor.source.text(cursor.peek(-1)) : ""
        enclosing = OptionalRequirements(
            name: cursor.source.text(cursor.peek()), access: ["public", "package"].contains(access) ? access + " " : "")
    }

    /// Makes an optional requirement, `@objc optional func f()`, a required one with a body; returns whether it did.
    private mutating func portOptionalRequirement() -> Bool {
        guard let enclosing, isWord("objc", 1), isWord("optional", 2), isWord("func", 3), cursor.token.startsLine else { return false }
        let source = cursor.source
        let start = cursor.token.range.lowerBound
        var reader = cursor
        for _ in 0..<3 { reader.advance() }
        let function = reader.token.range.lowerBound
        guard let body = reader.takeRequiredFunction(), reader.token.startsLine || reader.isMark("}") else { return false }
        let end = reader.peek(-1).range.upperBound
        let text = source.text(function..<end)
        let separator = lineEnd + source.margin(before: start)
        edits.append(SourceEdit(range: start..<start, text: "#if canImport(ObjectiveC)" + separator))
        edits.append(SourceEdit(range: end..<end, text: ["", "#else", text, "#endif"].joined(separator: separator)))
        if defaults.last?.name != enclosing.name { defaults.append(enclosing) }
        defaults[defaults.count - 1].functions.append("\(text) \(body)")
        cursor = reader
        return true
    }

    /// Makes a protocol one of classes, as the attribute does, so that weak references to it compile.
    private mutating func restrictToClasses() {
        let access: Set<String> = ["public", "package", "internal", "fileprivate", "private"]
        var distance = 0
        while cursor.peek(distance).kind == .word, access.contains(cursor.source.text(cursor.peek(distance))) { distance += 1 }
        guard isWord("protocol", distance), cursor.peek(distance + 1).isName else { return }
        let (name, next) = (cursor.peek(distance + 1), cursor.peek(distance + 2))
        switch next.kind {
        case .mark("{"): edits.append(SourceEdit(range: name.range.upperBound..<name.range.upperBound, text: ": AnyObject"))
        case .mark(":"):
            var inherited: [String] = []
            var index = distance + 3
            while cursor.peek(index).kind != .mark("{"), cursor.peek(index).kind != .end {
                inherited.append(cursor.source.text(cursor.peek(index)))
                index += 1
            }
            if !["AnyObject", "NSObjectProtocol", "class"].contains(where: inherited.contains) {
                edits.append(SourceEdit(range: next.range.upperBound..<next.range.upperBound, text: " AnyObject,"))
            }
        default: break
        }
    }

    /// Returns the index of the first modifier or attribute that precedes a token on its line.
    private func startIndex(_ index: Int) -> Int {
        (cursor.source.firstOnLine(index)..<index).first { cursor.holdsModifiers(in: $0..<index) } ?? index
    }
}
