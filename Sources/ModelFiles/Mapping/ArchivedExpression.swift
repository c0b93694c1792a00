import StrataPropertyLists

extension KeyedArchive {
    /// The format text of the expression that the archive is of.
    ///
    /// - Throws: ``ModelFileError`` with `unsupportedExpression` for a kind of expression that mappings have no use for.
    func expressionText() throws(ModelFileError) -> String {
        guard let root = root else { throw ModelFileError(.malformedArchive, "the archive has no root") }
        return try ArchivedExpression(root, depth: 0).text()
    }

    /// The texts of the dictionary that the archive is of.
    func userInfo() -> [String: String] {
        guard let root else { return [:] }
        return Dictionary(root.ownPairs.compactMap { key, value in root.string(of: value).map { (key, $0) } }) { first, _ in first }
    }
}

/// An expression of Foundation's in an archive.
private struct ArchivedExpression {
    private let object: KeyedArchive.Object
    private let depth: Int

    init(_ object: KeyedArchive.Object, depth: Int) throws(ModelFileError) {
        // A damaged archive may lead back to itself.
        guard depth < 64 else { throw ModelFileError(.limitExceeded, "an expression is nested too deep") }
        self.object = object
        self.depth = depth
    }

    func text() throws(ModelFileError) -> String {
        switch object.className {
        case "NSConstantValueExpression": return try constant()
        case "NSSelfExpression": return "$source"
        case "NSVariableExpression":
            guard let name = object.string("NSVariable"), name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }), !name.isEmpty else {
                throw malformed("a variable has no name")
            }
            return "$" + name
        case "NSKeyPathExpression", "NSKeyPathSpecifierExpression": return try keyPath()
        case "NSFunctionExpression": return try function()
        case "NSAggregateExpression":
            return "{" + (try texts("NSCollection")).joined(separator: ", ") + "}"
        case let other?: throw ModelFileError(.unsupportedExpression, "an expression of the class \(other) cannot be read")
        case nil: throw malformed("an expression has no class")
        }
    }

    private func constant() throws(ModelFileError) -> String {
        switch object.value("NSConstantValue") {
        case nil: return "nil"
        case .bool(let flag)?: return flag ? "YES" : "NO"
        case .int(let number)?: return "\(number)"
        case .double(let number)? where number.isFinite: return "\(number)"
        default:
            guard let text = object.string("NSConstantValue") else {
                throw ModelFileError(.unsupportedExpression, "a constant is neither text nor a number")
            }
            return quoted(text)
        }
    }

    /// `$source.name`, where the path is the argument of `valueForKeyPath:`.
    private func keyPath() throws(ModelFileError) -> String {
        if let path = object.string("NSKeyPath") { return try checked(path) }
        guard let path = object.objects("NSArguments").first?.string("NSKeyPath") else { throw malformed("a key path is missing") }
        guard let operand = object.object("NSOperand") else { return try checked(path) }
        return "\(try part(operand)).\(try checked(path))"
    }

    private func function() throws(ModelFileError) -> String {
        guard let selector = object.string("NSSelectorName") else { throw malformed("a function has no name") }
        let arguments = try texts("NSArguments")
        // Functions of the language have Foundation's own class of them, a constant, for their operand.
        if let operand = object.object("NSOperand"), operand.className != "NSConstantValueExpression" {
            return "FUNCTION(\((["\(try part(operand))", quoted(selector)] + arguments).joined(separator: ", ")))"
        }
        guard selector.allSatisfy({ $0.isLetter || $0.isNumber || $0 == ":" || $0 == "_" }) else {
            throw malformed("a function has no name")
        }
        return "\(selector)(\(arguments.joined(separator: ", ")))"
    }

    private func texts(_ key: String) throws(ModelFileError) -> [String] {
        var texts: [String] = []
        for argument in object.objects(key) { texts.append(try part(argument)) }
        return texts
    }

    private func part(_ object: KeyedArchive.Object) throws(ModelFileError) -> String {
        try ArchivedExpression(object, depth: depth + 1).text()
    }

    private func checked(_ path: String) throws(ModelFileError) -> String {
        let isPath = path.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { name in
            !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "@" }
        }
        guard isPath else { throw malformed("\(path) is no key path") }
        return path
    }

    private func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    private func malformed(_ message: String) -> ModelFileError { ModelFileError(.malformedArchive, message) }
}
