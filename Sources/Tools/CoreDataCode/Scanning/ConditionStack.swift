/// The conditions of `#if` around a declaration, the outermost first.
struct ConditionStack: Hashable {
    /// A branch: its condition, and those of the branches before it, which are false.
    private struct Branch: Hashable {
        var earlier: [String] = []
        var condition: String?

        var text: String {
            let others = earlier.map { "!(\($0))" }
            return (others + (condition.map { [others.isEmpty ? $0 : "(\($0))"] } ?? [])).joined(separator: " && ")
        }
    }

    private var branches: [Branch] = []

    var texts: [String] { branches.map(\.text) }

    var isEmpty: Bool { branches.isEmpty }

    func around(_ lines: [String]) -> [String] { texts.map { "#if \($0)" } + lines + texts.map { _ in "#endif" } }

    mutating func apply(_ directive: String) {
        let text = directive.split(whereSeparator: \.isNewline).joined(separator: " ")
        if text.hasPrefix("#if") {
            branches.append(Branch(condition: ConditionStack.trimmed(text.dropFirst(3))))
        } else if text.hasPrefix("#elseif") {
            next(ConditionStack.trimmed(text.dropFirst(7)))
        } else if text.hasPrefix("#else") {
            next(nil)
        } else if !branches.isEmpty {
            branches.removeLast()
        }
    }

    private mutating func next(_ condition: String?) {
        guard var branch = branches.popLast() else { return }
        if let met = branch.condition { branch.earlier.append(met) }
        branch.condition = condition
        branches.append(branch)
    }

    /// Whether the branch is for Apple's systems only, so that it is never compiled without Objective-C.
    var isForObjectiveC: Bool {
        branches.contains { branch in
            branch.earlier.contains { ["!canImport(ObjectiveC)", "os(Linux)"].contains($0) }
                || branch.condition.map(ConditionStack.isForObjectiveC) == true
        }
    }

    /// Returns whether a condition holds on Apple's systems only: all its alternatives require a feature of theirs.
    private static func isForObjectiveC(_ condition: String) -> Bool {
        let text = condition.filter { !$0.isWhitespace }
        return text.split(separator: "|").allSatisfy { alternative in
            alternative.split(separator: "&").contains { apple.contains(String($0)) }
        }
    }

    private static let apple: Set<String> = Set(
        AppleModules.names.map { "canImport(\($0))" }
            + ["iOS", "macOS", "tvOS", "watchOS", "visionOS"].map { "os(\($0))" } + ["_runtime(_ObjC)", "targetEnvironment(macCatalyst)"])

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop { $0.isWhitespace }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
