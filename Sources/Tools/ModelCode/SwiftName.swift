import StrataText

/// Converts names and texts to Swift code.
public enum SwiftName {
    private static let keywords: Set<String> = [
        "Any", "Protocol", "Self", "Type", "as", "associatedtype", "await", "borrowing", "break", "case", "catch", "class", "consuming",
        "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func",
        "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private",
        "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw",
        "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    /// The members of managed objects, and names in generated code, that are no valid names of properties.
    public static let reserved: Set<String> = [
        "entity", "hasChanges", "hasPersistentChangedValues", "isDeleted", "isFault", "isInserted", "isUpdated", "managedObjectContext",
        "objectID", "description", "hashValue", "entityDeclaration", "queryValue", "queryExpression",
    ]

    /// Returns whether a name needs no backticks, apart from keywords.
    public static func isPlain(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, first == "_" || first.properties.isXIDStart else { return false }
        return name != "_" && name.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue }
    }

    /// Returns the name as an identifier, in backticks if needed; `nil` for an invalid one.
    public static func identifier(_ name: String) -> String? {
        if isPlain(name) { return keywords.contains(name) ? "`\(name)`" : name }
        let isRaw =
            name.unicodeScalars.contains { $0.properties.isAlphabetic || $0.properties.numericType != nil }
            && name.unicodeScalars.allSatisfy { scalar in
                scalar != "`" && scalar != "\\"
                    && (scalar == " " || !scalar.properties.isWhitespace) && scalar.properties.generalCategory != .control
            }
        return isRaw ? "`\(name)`" : nil
    }

    /// Returns the name of a generated declaration that begins with another name, as `ShopModel` with `Shop`.
    static func derived(_ name: String, _ suffix: String) -> String {
        let scalars = name.unicodeScalars.map { $0 == "_" || $0.properties.isXIDContinue ? Character($0) : "_" }
        let text = String(scalars)
        return (isPlain(text) ? text : "_" + text) + suffix
    }

    /// Returns a name with a capital first letter.
    public static func capitalized(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

    /// Returns the name of a function for a template: `byCode` for `ByCode`, and `URLs` for `URLs`.
    public static func uncapitalized(_ name: String) -> String {
        if let second = name.dropFirst().first, second.isUppercase { return name }
        return name.prefix(1).lowercased() + name.dropFirst()
    }

    /// Returns a string literal.
    public static func literal(_ text: String) -> String {
        TextEscaping.quoted(text) { scalar in
            scalar.properties.generalCategory == .control ? "\\u{\(String(scalar.value, radix: 16))}" : nil
        }
    }

    /// Returns a multiline literal without escapes.
    static func block(_ text: String, indentation: String) -> String {
        var marks = "#"
        while text.contains("\"\"\"" + marks) || text.contains("\\" + marks) { marks += "#" }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : indentation + $0 }
        return "\(marks)\"\"\"\n\(lines.joined(separator: "\n"))\n\(indentation)\"\"\"\(marks)"
    }
}
