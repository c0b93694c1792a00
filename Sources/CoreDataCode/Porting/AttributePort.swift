/// Puts conditions around attributes that need Objective-C.
struct AttributePort {
    private var cursor: TokenCursor
    private var conditions = ConditionStack()
    private(set) var edits: [SourceEdit] = []
    private(set) var remarks: [SourceRemark] = []
    private let lineEnd: String

    init(_ source: TokenizedSource) {
        cursor = TokenCursor(source)
        let first = source.bytes.firstIndex(of: UInt8(ascii: "\n")) ?? 0
        lineEnd = first > 0 && source.bytes[first - 1] == UInt8(ascii: "\r") ? "\r\n" : "\n"
    }

    mutating func run() {
        while !cursor.isAtEnd {
            if cursor.kind == .directive {
                conditions.apply(cursor.text)
                cursor.advance()
            } else if isObjectiveCAttribute, !conditions.isForObjectiveC {
                portAttributes()
            } else {
                if cursor.isWord("optional"), ["func", "var"].contains(where: { isWord($0, 1) }), !conditions.isForObjectiveC {
                    remark(
                        cursor.token, "optional",
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

    private mutating func remark(_ token: SourceToken, _ subject: String, _ remedy: String) {
        remarks.append(SourceRemark(place: cursor.source.place(token.range.lowerBound), subject: subject, remedy: remedy))
    }

    /// Puts conditions around some attributes in a row, on lines of their own before the line that they are on.
    private mutating func portAttributes() {
        let first = cursor.index
        var texts: [String] = []
        var end = 0
        repeat {
            let start = cursor.token.range.lowerBound
            cursor.advance()
            cursor.advance()
            end = cursor.peek(-1).range.upperBound
            if cursor.isMark("("), cursor.token.range.lowerBound == end {
                cursor.skipBalanced()
                end = cursor.peek(-1).range.upperBound
            }
            texts.append(cursor.source.text(start..<end))
        } while isObjectiveCAttribute
        let source = cursor.source
        let token = source.tokens[first]
        let lineStart = source.startOfLine(source.lineIndex(token.range.lowerBound))
        let isLineOfItsOwn = cursor.token.startsLine || cursor.isAtEnd
        // What comes before the attributes on their line may be modifiers and other attributes only.
        guard let before = startOfDeclaration(first) else {
            return remark(token, texts[0], "put it on a line of its own between '#if canImport(ObjectiveC)' and '#endif'")
        }
        let indentation = source.text(lineStart..<before)
        guard indentation.allSatisfy(\.isWhitespace) else {
            return remark(token, texts[0], "put it on a line of its own between '#if canImport(ObjectiveC)' and '#endif'")
        }
        let lines = (["#if canImport(ObjectiveC)"] + texts + ["#endif"]).joined(separator: lineEnd + indentation)
        let next = isLineOfItsOwn ? end : cursor.token.range.lowerBound
        if before == token.range.lowerBound {
            edits.append(SourceEdit(range: before..<next, text: lines + (isLineOfItsOwn ? "" : lineEnd + indentation)))
        } else {
            edits.append(SourceEdit(range: before..<before, text: lines + lineEnd + indentation))
            let start = isLineOfItsOwn ? source.tokens[first - 1].range.upperBound : token.range.lowerBound
            edits.append(SourceEdit(range: start..<next, text: ""))
        }
    }

    /// Where the declaration on the line of a token begins; `nil` where other than modifiers and attributes come before the token.
    private func startOfDeclaration(_ index: Int) -> Int? {
        let source = cursor.source
        var first = index
        while !source.tokens[first].startsLine, first > 0 { first -= 1 }
        var reader = TokenCursor(source)
        reader.index = first
        var modifiers = PendingModifiers()
        while reader.index < index {
            if reader.isMark("@") {
                modifiers.takeAttribute(&reader)
            } else if reader.kind != .word || !modifiers.takeModifier(&reader) {
                return nil
            }
        }
        return reader.index == index ? source.tokens[first].range.lowerBound : nil
    }
}
