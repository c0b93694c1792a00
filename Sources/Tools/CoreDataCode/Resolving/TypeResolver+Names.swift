/// Name lookup of types.
extension TypeResolver {
    func resolve(_ parts: [TypeSyntax.Part], _ lookup: Lookup) throws(UnresolvedType) -> ResolvedType {
        guard let first = parts.first else { throw UnresolvedType("it has no name") }
        if parts.count == 1, let argument = lookup.arguments[first.name] { return argument }
        if lookup.scope.levels.contains(where: { $0.parameters.contains(first.name) }) {
            throw UnresolvedType("'\(first.name)' is a generic parameter")
        }
        var rest = Array(parts.dropFirst())
        var type: ResolvedType
        if let found = try find(first, lookup) {
            type = found
        } else if let next = rest.first, let found = try find(next, inModule: first.name, lookup) {
            type = found
            rest.removeFirst()
        } else {
            throw UnresolvedType(TypeResolver.unknown(first.name))
        }
        for part in rest {
            guard case .nominal(let name, let arguments) = type, let member = try member(part, of: name, arguments, lookup) else {
                throw UnresolvedType(TypeResolver.unknown(parts.map(\.name).joined(separator: ".")))
            }
            type = member
        }
        return type
    }

    static func unknown(_ name: String) -> String {
        "'\(name)' is declared neither in the target, nor by a target that it imports whose sources are in the build, nor by CoreData, "
            + "Foundation or Swift"
    }

    /// Returns the type of a name: a member of an enclosing type, or a type of the module or of an imported one.
    private func find(_ part: TypeSyntax.Part, _ lookup: Lookup) throws(UnresolvedType) -> ResolvedType? {
        // Most names are of Swift's types, which no enclosing type hides.
        let isSwifts = !types.names.contains(part.name) && LibraryTypes.all[part.name]?.module == "Swift"
        for count in stride(from: isSwifts ? 0 : lookup.scope.levels.count, to: 0, by: -1) {
            var scope = lookup.scope
            scope.levels = Array(lookup.scope.levels.prefix(count))
            guard let context = context(of: scope) else { continue }
            if part.name == "Self" { return .nominal(context) }
            if let found = try member(part, of: context, context.steps.map { _ in [] }, lookup) { return found }
        }
        if isSwifts { return try library(part.name, part, lookup) }
        if let found = try declared(part, module, lookup) { return found }
        switch part.name {
        case "Any": return .any
        case "AnyObject": return .anyObject
        default: break
        }
        let imported = importedModules(lookup.scope.file)
        var candidates: [ResolvedType] = []
        for name in types.modules where name != module && imported.contains(name) {
            if let found = try declared(part, name, lookup), !candidates.contains(found) { candidates.append(found) }
        }
        if candidates.count > 1 { throw UnresolvedType("'\(part.name)' is declared by more than one of the imported modules") }
        if let found = candidates.first { return found }
        return try library(part.name, part, lookup)
    }

    /// Returns the modules that a file imports, with those that they re-export.
    private func importedModules(_ file: Int) -> Set<String> {
        var found: Set<String> = []
        var open = types.imports[module].flatMap { $0.indices.contains(file) ? $0[file] : nil }?.map(\.module) ?? []
        while let name = open.popLast() {
            guard found.insert(name).inserted else { continue }
            let exported = (types.imports[name] ?? []).joined().filter { $0.text.contains("@_exported") || $0.access == .public }
            open += exported.map(\.module)
        }
        return found
    }

    private func find(_ part: TypeSyntax.Part, inModule name: String, _ lookup: Lookup) throws(UnresolvedType) -> ResolvedType? {
        if types.modules.contains(name) { return try declared(part, name, lookup) }
        guard ["Swift", "Foundation", "FoundationEssentials", "CoreData"].contains(name) else { return nil }
        return try library(part.name, part, lookup)
    }

    /// Returns a top-level type of a module.
    private func declared(_ part: TypeSyntax.Part, _ module: String, _ lookup: Lookup) throws(UnresolvedType) -> ResolvedType? {
        let found = types.entries(module, part.name).filter { entry in
            entry.declaration.access > .fileprivate && (module == self.module || entry.declaration.access >= .package)
                || module == self.module && entry.declaration.scope.file == lookup.scope.file
        }
        guard let entry = found.last else { return nil }
        return try type(entry, part, [], lookup)
    }

    /// Returns a type nested in a type, or in a superclass.
    private func member(
        _ part: TypeSyntax.Part, of name: NominalName, _ arguments: [[ResolvedType]], _ lookup: Lookup
    ) throws(UnresolvedType) -> ResolvedType? {
        var current: NominalName? = name
        var arguments = arguments
        var steps = 0
        while let name = current, steps < 32 {
            if let entry = types.entries(name.module, name.path + "." + part.name).last { return try type(entry, part, arguments, lookup) }
            if let found = LibraryTypes.all[name.path + "." + part.name], found.module == name.module {
                return .nominal(found, arguments + [try resolveAll(part.arguments, lookup)])
            }
            // A superclass's own superclass may be visible only from its declaration.
            current = lookup.depth > 8 ? nil : superclass(of: name)
            arguments = current?.steps.map { _ in [] } ?? []
            steps += 1
        }
        return nil
    }

    private func resolveAll(_ list: [TypeSyntax], _ lookup: Lookup) throws(UnresolvedType) -> [ResolvedType] {
        var types: [ResolvedType] = []
        for syntax in list { types.append(try resolve(syntax, lookup)) }
        return types
    }

    private func type(
        _ entry: DeclaredTypes.Entry, _ part: TypeSyntax.Part, _ outer: [[ResolvedType]], _ lookup: Lookup
    ) throws(UnresolvedType) -> ResolvedType {
        let own = try resolveAll(part.arguments, lookup)
        let parameters = entry.declaration.parameters
        switch entry.declaration.kind {
        case .alias:
            guard let target = entry.declaration.inherited.first, own.count == parameters.count else {
                throw UnresolvedType("'\(part.name)' needs \(parameters.count) generic arguments")
            }
            var inner = Lookup(scope: entry.declaration.scope, depth: lookup.depth + 1)
            inner.arguments = Dictionary(zip(parameters, own)) { first, _ in first }
            return try TypeResolver(types: types, module: entry.module).resolve(target, inner)
        case .protocol:
            guard own.isEmpty else { throw UnresolvedType("'\(part.name)' has generic arguments") }
            return .existential([entry.name], superclass: nil, isObject: false)
        default:
            let missing = entry.name.steps.count - 1 - outer.count
            return .nominal(entry.name, outer + Array(repeating: [], count: max(0, missing)) + [own])
        }
    }

    private func library(_ name: String, _ part: TypeSyntax.Part, _ lookup: Lookup) throws(UnresolvedType) -> ResolvedType? {
        if let text = LibraryTypes.aliases[name] {
            var cursor = TokenCursor(source: TokenizedSource(SourceFile(path: "", text: text)))
            guard let syntax = cursor.takeType() else { return nil }
            return try TypeResolver(types: types, module: "Swift").resolve(
                syntax, Lookup(scope: DeclarationScope(), depth: lookup.depth + 1))
        }
        guard let found = LibraryTypes.all[name] else { return nil }
        let arguments = try resolveAll(part.arguments, lookup)
        if found.kind == .protocol {
            guard arguments.isEmpty else { throw UnresolvedType("'\(name)' has generic arguments") }
            return .existential([found], superclass: nil, isObject: false)
        }
        if found.module == "Swift", found.path == "Optional", arguments.count == 1 { return .optional(arguments[0]) }
        return .nominal(found, [arguments])
    }
}
