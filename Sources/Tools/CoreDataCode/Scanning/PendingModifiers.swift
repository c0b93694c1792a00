/// Attributes and modifiers that precede a declaration.
struct PendingModifiers {
    static let modifiers: Set<String> = [
        "public", "internal", "private", "fileprivate", "open", "package", "final", "static", "weak", "unowned", "lazy", "dynamic",
        "override",
        "nonisolated", "optional", "required", "convenience", "mutating", "nonmutating", "indirect", "isolated", "distributed", "borrowing",
        "consuming", "prefix", "postfix", "infix",
    ]

    private(set) var access: AccessLevel?
    var isStatic = false
    private(set) var isManaged = false
    private(set) var isOverride = false
    private(set) var isUnsafe = false
    /// The name in `@objc(name)`.
    private(set) var objectiveCName: String?
    private(set) var attributes: [String] = []
    /// Those of them, and of the modifiers, that accessors need, too: isolation and availability.
    private(set) var accessorAttributes: [String] = []

    var isNonisolated: Bool { accessorAttributes.contains("nonisolated") }
    /// Whether `@objc` exposes the declaration.
    var isExposed: Bool { attributes.contains { $0.hasPrefix("@objc") && $0 != "@objcMembers" } }

    mutating func takeAttribute(_ cursor: inout TokenCursor) {
        let start = cursor.token.range.lowerBound
        cursor.advance()
        var name = cursor.takeName() ?? ""
        while cursor.isMark("."), cursor.peek().kind == .word {
            cursor.advance()
            name = cursor.takeName() ?? name
        }
        if cursor.isMark("<") { cursor.skipAngles() }
        var argument = ""
        if cursor.isMark("("), name == "objc" || cursor.peek(-1).range.upperBound == cursor.token.range.lowerBound {
            let first = cursor.token.range.upperBound
            cursor.skipBalanced()
            argument = cursor.source.text(first..<max(first, cursor.peek(-1).range.lowerBound))
        }
        let text = cursor.source.text(start..<cursor.peek(-1).range.upperBound)
        attributes.append(text)
        switch name {
        case "NSManaged": isManaged = true
        case "objc" where !argument.isEmpty: objectiveCName = argument.filter { !$0.isWhitespace }
        case "MainActor", "available": accessorAttributes.append(text)
        default: break
        }
    }

    /// Reads a modifier; returns false for any other word.
    mutating func takeModifier(_ cursor: inout TokenCursor) -> Bool {
        let word = cursor.text
        guard PendingModifiers.modifiers.contains(word) else { return false }
        cursor.advance()
        let hasArgument = cursor.isMark("(") && cursor.peek(2).kind == .mark(")")
        let isOfSetter = hasArgument && cursor.source.text(cursor.peek()) == "set"
        if hasArgument, cursor.source.text(cursor.peek()) == "unsafe" { isUnsafe = true }
        if hasArgument { cursor.skipBalanced() }
        if word == "static" { isStatic = true }
        if word == "override" { isOverride = true }
        if word == "nonisolated" { accessorAttributes.append(word) }
        if let level = AccessLevel(keyword: word), !isOfSetter { access = level }
        return true
    }
}

extension TokenCursor {
    /// Returns whether tokens are attributes and modifiers alone.
    func holdsModifiers(in range: Range<Int>) -> Bool {
        var reader = self
        reader.index = range.lowerBound
        var modifiers = PendingModifiers()
        while reader.index < range.upperBound {
            if reader.isMark("@") {
                modifiers.takeAttribute(&reader)
            } else if reader.kind != .word || !modifiers.takeModifier(&reader) {
                return false
            }
        }
        return reader.index == range.upperBound
    }
}
