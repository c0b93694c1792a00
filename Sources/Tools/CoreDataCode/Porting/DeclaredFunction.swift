/// A function that a file declares, with its Objective-C name.
struct DeclaredFunction {
    /// The labels of its arguments, `_` for none.
    var labels: [String] = []
    /// The Objective-C name; `nil` if it does not follow from the labels alone.
    var selector: String?
    /// Whether a call needs `try`.
    var isThrowing = false
    /// Whether its first parameter is an `NSNotification`, not a `Notification`.
    var takesObject = false
}

extension TokenizedSource {
    /// Returns the functions of a name, wherever they are declared.
    func functions(named name: String) -> [DeclaredFunction] {
        tokens.indices.dropLast(2).filter { index in
            isWord(index, "func") && [.word, .quotedWord].contains(tokens[index + 1].kind) && text(tokens[index + 1]) == name
                && tokens[index + 2].kind == .mark("(")
        }.map { function(name, at: $0) }
    }

    private func isWord(_ index: Int, _ word: String) -> Bool { tokens[index].kind == .word && text(tokens[index]) == word }

    private func function(_ name: String, at index: Int) -> DeclaredFunction {
        var cursor = TokenCursor(source: self, index: index + 2)
        var end = cursor
        end.skipBalanced()
        cursor.advance()
        var function = DeclaredFunction()
        function.isThrowing = end.isWord("throws")
        function.takesObject = tokens[index..<end.index].contains { $0.kind == .word && text($0) == "NSNotification" }
        while cursor.index < end.index, let label = cursor.takeName() {
            function.labels.append(label)
            while cursor.index < end.index - 1, !cursor.isMark(",") {
                if cursor.isMark("<") { cursor.skipAngles() } else { cursor.skipBalanced() }
            }
            cursor.advance()
        }
        if let given = objectiveCName(before: index) {
            function.selector = given
        } else if function.labels.first ?? "_" == "_", !end.isWord("throws"), !end.isWord("async") {
            // A first label, an error and a completion handler are renamed in Objective-C.
            let rest = function.labels.dropFirst().map { ($0 == "_" ? "" : $0) + ":" }.joined()
            function.selector = function.labels.isEmpty ? name : name + ":" + rest
        }
        return function
    }

    /// Returns the name in `@objc(name)` among the attributes of the declaration whose keyword is at an index.
    private func objectiveCName(before index: Int) -> String? {
        var start = index - 1
        while start > 1 {
            switch tokens[start].kind {
            case .mark("{"), .mark("}"), .mark(";"): return nil
            case .mark("(") where isWord(start - 1, "objc"):
                var cursor = TokenCursor(source: self, index: start)
                cursor.skipBalanced()
                let end = cursor.peek(-1).range.lowerBound
                return text(tokens[start].range.upperBound..<max(tokens[start].range.upperBound, end)).filter { !$0.isWhitespace }
            case .word where ["var", "let", "func", "case", "init", "import", "typealias"].contains(text(tokens[start])): return nil
            default: start -= 1
            }
        }
        return nil
    }
}
