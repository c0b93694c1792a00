/// Selectors, which are names of functions for Objective-C.
extension ExpressionPort {
    mutating func portSelector() {
        guard cursor.peek(2).kind == .mark("(") else { return }
        var reader = cursor
        reader.advance()
        reader.advance()
        let first = reader.index + 1
        reader.skipBalanced()
        let source = cursor.source
        let function = source.tokens[first..<max(first, reader.index - 1)].filter { $0.kind == .word }.map(source.text)
        // The functions that sort descriptors know by their names.
        if function.count > 1, let name = function.dropFirst().first(where: { comparisons.contains($0) }), function[0].hasPrefix("NS") {
            let range = cursor.token.range.lowerBound..<source.tokens[reader.index - 1].range.upperBound
            // Two parentheses tell the compiler that the text is meant.
            edits.append(SourceEdit(range: range, text: "Selector((\"\(name):\"))"))
            return
        }
        remark("#selector", remedy)
    }

    private var comparisons: Set<String> {
        ["compare", "caseInsensitiveCompare", "localizedCompare", "localizedCaseInsensitiveCompare", "localizedStandardCompare"]
    }

    /// What to write in the place of the call that the selector is an argument of.
    private var remedy: String {
        switch call {
        case "addObserver": "observe with a closure: 'addObserver(forName:object:queue:using:)'"
        case "scheduledTimer", "Timer": "give the timer a closure: 'scheduledTimer(withTimeInterval:repeats:block:)'"
        case "registerUndo": "register a closure: 'registerUndo(withTarget:handler:)'"
        default: "call the function itself, or keep a closure that does"
        }
    }

    /// The name of the function whose argument is at the cursor.
    private var call: String? {
        var depth = 0
        var index = cursor.index - 1
        while index > 0 {
            let token = cursor.source.tokens[index]
            switch token.kind {
            case .mark(")"), .mark("]"), .mark("}"): depth += 1
            case .mark("("), .mark("["), .mark("{"):
                if depth == 0 {
                    let name = cursor.source.tokens[index - 1]
                    return name.kind == .word ? cursor.source.text(name) : nil
                }
                depth -= 1
            default: break
            }
            index -= 1
        }
        return nil
    }
}
