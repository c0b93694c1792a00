/// Spells names and texts as Swift code.
package enum SwiftName {
    private static let keywords: Set<String> = [
        "Any", "Protocol", "Self", "Type", "as", "associatedtype", "await", "borrowing", "break", "case", "catch", "class", "consuming",
        "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func",
        "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private",
        "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw",
        "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    /// The members of managed objects, and of what generated code calls, that a property cannot have the name of.
    package static let reserved: Set<String> = [
        "entity", "hasChanges", "hasPersistentChangedValues", "isDeleted", "isFault", "isInserted", "isUpdated", "managedObjectContext",
        "objectID", "description", "hashValue", "entityDeclaration", "queryValue", "queryExpression",
    ]

    /// Whether a name needs no backticks, apart from keywords.
    package static func isPlain(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, first == "_" || first.properties.isXIDStart else { return false }
        return name != "_" && name.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue }
    }

    /// The name as an identifier, in backticks where it needs them; `nil` where no identifier has it.
    package static func identifier(_ name: String) -> String? {
        if isPlain(name) { return keywords.contains(name) ? "`\(name)`" : name }
        let isRaw =
            name.unicodeScalars.contains { $0.properties.isAlphabetic || $0.properties.numericType != nil }
            && name.unicodeScalars.allSatisfy { scalar in
                scalar != "`" && scalar != "\\"
                    && (scalar == " " || !scalar.properties.isWhitespace) && scalar.properties.generalCategory != .control
            }
        return isRaw ? "`\(name)`" : nil
    }

    /// A name of a declaration of the generator's own that begins with another name, as `ShopModel` with `Shop`.
    package static func derived(_ name: String, _ suffix: String) -> String {
        let scalars = name.unicodeScalars.map { $0 == "_" || $0.properties.isXIDContinue ? Character($0) : "_" }
        let text = String(scalars)
        return (isPlain(text) ? text : "_" + text) + suffix
    }

    package static func capitalized(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

    /// The name of a function of a name of a template: `byCode` of `ByCode`, and `URLs` of `URLs`.
    package static func uncapitalized(_ name: String) -> String {
        if let second = name.dropFirst().first, second.isUppercase { return name }
        return name.prefix(1).lowercased() + name.dropFirst()
    }

    /// A string literal.
    package static func literal(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case "\n": literal += "\\n"
            case "\r": literal += "\\r"
            case "\t": literal += "\\t"
            case _ where scalar.properties.generalCategory == .control: literal += "\\u{\(String(scalar.value, radix: 16))}"
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }

    /// A literal of several lines in which nothing is escaped.
    package static func block(_ text: String, indentation: String) -> String {
        var marks = "#"
        while text.contains("\"\"\"" + marks) || text.contains("\\" + marks) { marks += "#" }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : indentation + $0 }
        return "\(marks)\"\"\"\n\(lines.joined(separator: "\n"))\n\(indentation)\"\"\"\(marks)"
    }
}
