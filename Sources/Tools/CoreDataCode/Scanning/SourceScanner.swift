/// Finds the declarations of a file, types and members with `@NSManaged`, outside of functions.
struct SourceScanner {
    private var cursor: TokenCursor
    private var conditions = ConditionStack()
    private var found = SourceDeclarations()
    private var pending = PendingModifiers()

    /// - Parameter index: The number of the file in its module.
    static func scan(_ file: SourceFile, index: Int) -> SourceDeclarations { scan(TokenizedSource(file), index: index) }

    static func scan(_ source: TokenizedSource, index: Int) -> SourceDeclarations {
        var scanner = SourceScanner(cursor: TokenCursor(source: source))
        scanner.scanBody(DeclarationScope(levels: [], file: index))
        return scanner.found
    }

    /// Reads declarations up to the closing brace.
    private mutating func scanBody(_ scope: DeclarationScope) {
        pending = PendingModifiers()
        while !cursor.isAtEnd {
            switch cursor.kind {
            case .directive:
                conditions.apply(cursor.text)
                cursor.advance()
            case .mark("@"):
                pending.takeAttribute(&cursor)
            case .mark("}"):
                cursor.advance()
                if !scope.levels.isEmpty { return }
            case .mark("("), .mark("["), .mark("{"):
                skipCode()
                pending = PendingModifiers()
            case .mark("."):
                // The name of a member may be a keyword.
                cursor.advance()
                cursor.advance()
                pending = PendingModifiers()
            case .word:
                scanWord(scope)
            default:
                cursor.advance()
                pending = PendingModifiers()
            }
        }
    }

    /// Skips a bracketed part, as of a function's body, and notes the classes in it that need accessors.
    private mutating func skipCode() {
        let start = cursor.index
        cursor.skipBalanced()
        var conditions = conditions
        var owner: Int?
        for index in start..<cursor.index {
            let token = cursor.source.tokens[index]
            if token.kind == .directive { conditions.apply(cursor.source.text(token)) }
            if token.kind != .word || conditions.isForObjectiveC { continue }
            switch cursor.source.text(token) {
            case "class" where cursor.source.tokens[index + 1].isName: owner = index + 1
            case "NSManaged":
                if let name = owner { found.localClasses.append(cursor.source.location(cursor.source.tokens[name].range.lowerBound)) }
                owner = nil
            default: break
            }
        }
    }

    private mutating func scanWord(_ scope: DeclarationScope) {
        let word = cursor.text
        switch word {
        case "class" where startsMember(cursor.peek()):
            pending.isStatic = true
            cursor.advance()
        case "class", "struct", "enum", "protocol", "typealias":
            scanType(word, scope)
        case "actor" where cursor.peek().kind == .word && [.mark("{"), .mark(":"), .mark("<")].contains(cursor.peek(2).kind):
            scanType(word, scope)
        case "extension":
            scanExtension(scope)
        case "import":
            scanImport()
        case "init" where pending.isNonisolated:
            found.liftsIsolation = true
            cursor.advance()
            pending = PendingModifiers()
        case "var" where pending.isManaged:
            scanProperties(scope)
        case "func" where pending.isManaged:
            scanFunction(scope)
        case "var", "let", "func", "case":
            let modifiers = takePending()
            cursor.advance()
            if !scope.levels.isEmpty { noteMember(word, modifiers, scope) }
            // Its name may be a contextual keyword.
            cursor.advance()
        default:
            if !pending.takeModifier(&cursor) {
                cursor.advance()
                pending = PendingModifiers()
            }
        }
    }

    private func startsMember(_ token: SourceToken) -> Bool {
        guard token.kind == .word else { return false }
        let word = cursor.source.text(token)
        return ["func", "var", "let", "subscript"].contains(word) || PendingModifiers.modifiers.contains(word)
    }

    // MARK: - Types

    private mutating func scanType(_ keyword: String, _ scope: DeclarationScope) {
        let modifiers = takePending()
        cursor.advance()
        guard let name = cursor.takeName() else { return }
        let parameters = takeParameters()
        let kind = TypeDeclaration.Kind(keyword: keyword)
        var inherited: [TypeSyntax] = []
        if kind == .alias {
            guard cursor.take("="), let type = cursor.takeType() else { return }
            inherited = [type]
        } else {
            inherited = takeInheritance()
        }
        let access = modifiers.access ?? implicitAccess(scope)
        found.types.append(
            TypeDeclaration(
                name: name, kind: kind, access: access, parameters: parameters, inherited: inherited, attributes: modifiers.attributes,
                scope: scope, conditions: conditions))
        if kind == .alias { return }
        scanBraces(
            scope,
            DeclarationScope.Level(
                names: [name], isExtension: false, access: access, parameters: parameters, modifiers: modifiers))
    }

    private mutating func scanExtension(_ scope: DeclarationScope) {
        let modifiers = takePending()
        cursor.advance()
        guard case .named(let parts)? = cursor.takeType() else { return }
        let inherited = takeInheritance()
        let level = DeclarationScope.Level(
            names: parts.map(\.name), isExtension: true, access: modifiers.access, isConstrained: cursor.isWord("where"),
            modifiers: modifiers, inherited: inherited)
        scanBraces(scope, level)
    }

    /// Reads the part between the braces of a type within a scope.
    private mutating func scanBraces(_ scope: DeclarationScope, _ level: DeclarationScope.Level) {
        while !cursor.isAtEnd, !cursor.isMark("{") {
            if cursor.isMark("}") { return }
            cursor.advance()
        }
        let start = cursor.token.range.lowerBound
        cursor.advance()
        var inner = scope
        inner.levels.append(level)
        if level.modifiers.isNonisolated { found.liftsIsolation = true }
        scanBody(inner)
        found.bodies.append((start..<cursor.peek(-1).range.upperBound, inner))
        pending = PendingModifiers()
    }

    /// Returns the access of a declaration without an explicit one.
    private func implicitAccess(_ scope: DeclarationScope) -> AccessLevel {
        guard let level = scope.levels.last else { return .internal }
        return level.isExtension ? level.access ?? .internal : min(level.access ?? .internal, .internal)
    }

    private mutating func takeParameters() -> [String] {
        guard cursor.isMark("<") else { return [] }
        let first = cursor.index
        cursor.skipAngles()
        var names: [String] = []
        var depth = 0
        for index in first..<cursor.index {
            let kind = cursor.source.tokens[index].kind
            if kind == .mark("<") { depth += 1 } else if kind == .mark(">") { depth -= 1 }
            if depth == 1, kind == .mark("<") || kind == .mark(",") { names.append(cursor.source.text(cursor.source.tokens[index + 1])) }
        }
        return names
    }

    private mutating func takeInheritance() -> [TypeSyntax] {
        guard cursor.take(":") else { return [] }
        var types: [TypeSyntax] = []
        repeat {
            if cursor.isMark("~") || cursor.isWord("class") {
                cursor.advance()
                if cursor.kind == .word, cursor.peek(-1).kind == .mark("~") { cursor.advance() }
            } else if let type = cursor.takeType() {
                types.append(type)
            }
        } while cursor.take(",")
        return types
    }

    // MARK: - Imports

    private mutating func scanImport() {
        let modifiers = takePending()
        cursor.advance()
        var kind = ""
        if cursor.kind == .word, ["class", "struct", "enum", "protocol", "func", "var", "let", "typealias"].contains(cursor.text) {
            kind = cursor.text + " "
            cursor.advance()
        }
        guard var path = cursor.takeName() else { return }
        let module = path
        while cursor.isMark("."), let name = cursor.peek().kind == .word ? cursor.source.text(cursor.peek()) : nil {
            path += "." + name
            cursor.advance()
            cursor.advance()
        }
        let attributes = modifiers.attributes.map { $0 + " " }.joined()
        found.imports.append(
            ImportDeclaration(text: "\(attributes)import \(kind)\(path)", module: module, access: modifiers.access, conditions: conditions))
    }

    // MARK: - Members

    private mutating func takePending() -> PendingModifiers {
        defer { pending = PendingModifiers() }
        return pending
    }

    /// Adds the member whose name is at the cursor, without moving the cursor.
    private mutating func noteMember(_ keyword: String, _ modifiers: PendingModifiers, _ scope: DeclarationScope) {
        var reader = cursor
        let member: (name: String, kind: MemberDeclaration.Kind)? =
            switch keyword {
            case "var", "let": reader.takeProperty()
            case "func": reader.takeKeyedMethod()
            default: nil
            }
        guard let (name, kind) = member else { return }
        found.members.append(MemberDeclaration(name: name, kind: kind, modifiers: modifiers, scope: scope, conditions: conditions))
    }

    private mutating func scanProperties(_ scope: DeclarationScope) {
        let modifiers = takePending()
        repeat {
            cursor.advance()
            let location = cursor.location
            guard let name = cursor.takeName(), cursor.take(":"), let type = cursor.takeType() else { return }
            add(name, .property(type), modifiers, scope, location)
        } while cursor.isMark(",")
    }

    private mutating func scanFunction(_ scope: DeclarationScope) {
        let modifiers = takePending()
        cursor.advance()
        let location = cursor.location
        guard let name = cursor.takeName(), cursor.take("(") else { return }
        let parameters = cursor.takeList(to: ")") { cursor -> TypeSyntax.Element? in
            guard let label = cursor.takeName() else { return nil }
            _ = cursor.takeName()
            guard cursor.take(":"), let type = cursor.takeType() else { return nil }
            return TypeSyntax.Element(label: label == "_" ? nil : label, type: type)
        }
        guard let parameters else { return }
        var result: TypeSyntax?
        if cursor.kind == .arrow {
            cursor.advance()
            result = cursor.takeType()
        }
        add(name, .function(parameters, result: result), modifiers, scope, location)
    }

    private mutating func add(
        _ name: String, _ kind: ManagedDeclaration.Kind, _ modifiers: PendingModifiers, _ scope: DeclarationScope,
        _ location: SourceLocation
    ) {
        found.managed.append(
            ManagedDeclaration(
                name: name, kind: kind, modifiers: modifiers, scope: scope, conditions: conditions, location: location))
    }
}
