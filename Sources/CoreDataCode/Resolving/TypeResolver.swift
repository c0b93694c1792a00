/// What keeps a type from being known.
struct UnresolvedType: Error {
    var message: String
}

/// Finds what types names mean in the files of a module.
struct TypeResolver {
    private let types: DeclaredTypes
    let module: String

    init(_ types: DeclaredTypes, module: String) {
        self.types = types
        self.module = module
    }

    /// A place where names are looked up.
    private struct Place {
        var scope: DeclarationScope
        var depth = 0
        /// What generic parameters of an alias stand for.
        var arguments: [String: ResolvedType] = [:]
    }

    // MARK: - What a declaration is in

    /// The type that a body is one of; `nil` where the type that is extended is not known.
    func context(of scope: DeclarationScope) -> NominalName? {
        var context: NominalName?
        for (index, level) in scope.levels.enumerated() {
            var outer = scope
            outer.levels = Array(scope.levels.prefix(index))
            if level.isExtension {
                let syntax = TypeSyntax.named(level.names.map { TypeSyntax.Part(name: $0) })
                guard let type = try? resolve(syntax, Place(scope: outer), allowsUnbound: true), case .nominal(let name, _) = type else {
                    return nil
                }
                context = name
            } else {
                let path = ((context?.steps.map(\.name) ?? []) + level.names).joined(separator: ".")
                guard let entry = types.entries(context?.module ?? module, path).last else { return nil }
                context = entry.name
            }
        }
        return context
    }

    /// Who may use a type, with all types around it.
    func access(of name: NominalName) -> AccessLevel {
        var access = AccessLevel.open
        for count in 1...max(1, name.steps.count) {
            let path = name.steps.prefix(count).map(\.name).joined(separator: ".")
            if let entry = types.entries(name.module, path).last { access = min(access, entry.declaration.access) }
        }
        return access
    }

    /// The class that a class inherits; `nil` for none, or one that is not known.
    func superclass(of name: NominalName) -> NominalName? {
        for entry in types.entries(name.module, name.path) where entry.name.kind == .class {
            guard let first = entry.declaration.inherited.first,
                let type = try? TypeResolver(types, module: entry.module).resolve(first, Place(scope: entry.declaration.scope, depth: 1))
            else { continue }
            if case .nominal(let name, _) = type, name.kind == .class { return name }
        }
        return nil
    }

    /// Whether a type is one that the sources declare.
    func isDeclared(_ name: NominalName) -> Bool { !types.entries(name.module, name.path).isEmpty }

    /// Whether the target declares a type of this name at its top.
    func declares(_ name: String) -> Bool { !types.entries(module, name).isEmpty }

    // MARK: - Types

    /// The type that is meant in a scope.
    func resolve(_ syntax: TypeSyntax, in scope: DeclarationScope) throws(UnresolvedType) -> ResolvedType {
        try resolve(syntax, Place(scope: scope))
    }

    private func resolve(_ syntax: TypeSyntax, _ place: Place, allowsUnbound: Bool = false) throws(UnresolvedType) -> ResolvedType {
        guard place.depth < 32 else { throw UnresolvedType(message: "it stands for itself") }
        switch syntax {
        case .named(let parts): return try resolve(parts, place)
        case .array(let element): return .swift("Array", .struct, [try resolve(element, place)])
        case .dictionary(let key, let value):
            return .swift("Dictionary", .struct, [try resolve(key, place), try resolve(value, place)])
        case .optional(let type), .implicitlyUnwrapped(let type): return .optional(try resolve(type, place))
        case .tuple(let elements):
            var resolved: [ResolvedType.Element] = []
            for element in elements { resolved.append(.init(label: element.label, type: try resolve(element.type, place))) }
            return resolved.count == 1 && resolved[0].label == nil ? resolved[0].type : .tuple(resolved)
        case .function(let function): return try resolve(function, place)
        case .composition(let members): return try compose(members, place)
        case .existential(let type): return try resolve(type, place)
        case .metatype(let type, let isProtocol):
            let instance = try resolve(type, place)
            // `any P.Type` is that of any type that conforms, `(any P).Type` that of `any P` itself.
            if case .existential = type { return .metatype(instance) }
            switch instance {
            case .existential where !isProtocol, .existentialMetatype: return .existentialMetatype(instance)
            default: return .metatype(instance)
            }
        case .other(let text): throw UnresolvedType(message: "no property of an object is of a type with '\(text)'")
        }
    }

    private func resolve(_ function: TypeSyntax.Function, _ place: Place) throws(UnresolvedType) -> ResolvedType {
        let known: Set<String> = ["Sendable", "MainActor", "escaping"]
        if let other = function.attributes.first(where: { !known.contains($0) }) {
            throw UnresolvedType(message: "it is a function with '\(other)'")
        }
        guard !function.isAsync else { throw UnresolvedType(message: "it is a function with 'async'") }
        var parameters: [ResolvedType] = []
        for parameter in function.parameters {
            var type = try resolve(parameter, place)
            if case .function(var inner) = type, case .function(let written) = parameter {
                inner.isEscaping = written.attributes.contains("escaping")
                type = .function(inner)
            }
            parameters.append(type)
        }
        return .function(
            ResolvedType.Function(
                parameters: parameters, result: try resolve(function.result, place), isThrowing: function.isThrowing,
                isSendable: function.attributes.contains("Sendable"), isOnMainActor: function.attributes.contains("MainActor")))
    }

    /// `A & B`: protocols in the order of their modules and names, without those that others inherit, and a class.
    private func compose(_ members: [TypeSyntax], _ place: Place) throws(UnresolvedType) -> ResolvedType {
        var protocols: Set<NominalName> = []
        var superclass: ResolvedType?
        var isObject = false
        for member in members {
            let type = try resolve(member, place)
            switch type {
            case .existential(let names, let other, let object):
                protocols.formUnion(names)
                superclass = superclass ?? other
                isObject = isObject || object
            case .nominal(let name, _) where name.kind == .class: superclass = type
            default: throw UnresolvedType(message: "a part of it is neither a protocol nor a class")
            }
        }
        let inherited = protocols.reduce(into: Set<NominalName>()) { $0.formUnion(inheritedProtocols(of: $1)) }
        let kept = protocols.subtracting(inherited).sorted { ($0.module, $0.path) < ($1.module, $1.path) }
        return .existential(kept, superclass: superclass, isObject: isObject && superclass == nil && !kept.contains(where: requiresClass))
    }

    private func inheritedProtocols(of name: NominalName, depth: Int = 0) -> Set<NominalName> {
        guard depth < 16 else { return [] }
        var found: Set<NominalName> = []
        for type in inheritance(of: name) {
            guard case .existential(let names, _, _) = type else { continue }
            for inherited in names { found.formUnion(inheritedProtocols(of: inherited, depth: depth + 1).union([inherited])) }
        }
        return found
    }

    private func requiresClass(_ name: NominalName) -> Bool {
        ([name] + inheritedProtocols(of: name)).contains { name in
            inheritance(of: name).contains { type in
                if case .existential(_, let superclass, let isObject) = type { return isObject || superclass != nil }
                return type.nominalName?.kind == .class
            }
        }
    }

    private func inheritance(of name: NominalName) -> [ResolvedType] {
        types.entries(name.module, name.path).flatMap { entry in
            entry.declaration.inherited.compactMap {
                try? TypeResolver(types, module: entry.module).resolve($0, Place(scope: entry.declaration.scope, depth: 8))
            }
        }
    }

    // MARK: - Names

    private func resolve(_ parts: [TypeSyntax.Part], _ place: Place) throws(UnresolvedType) -> ResolvedType {
        guard let first = parts.first else { throw UnresolvedType(message: "it has no name") }
        if parts.count == 1, let argument = place.arguments[first.name] { return argument }
        if place.scope.levels.contains(where: { $0.parameters.contains(first.name) }) {
            throw UnresolvedType(message: "'\(first.name)' is a generic parameter")
        }
        var rest = Array(parts.dropFirst())
        var type: ResolvedType
        if let found = try find(first, place) {
            type = found
        } else if let next = rest.first, let found = try find(next, inModule: first.name, place) {
            type = found
            rest.removeFirst()
        } else {
            throw UnresolvedType(message: TypeResolver.unknown(first.name))
        }
        for part in rest {
            guard case .nominal(let name, let arguments) = type, let member = try member(part, of: name, arguments, place) else {
                throw UnresolvedType(message: TypeResolver.unknown(parts.map(\.name).joined(separator: ".")))
            }
            type = member
        }
        return type
    }

    static func unknown(_ name: String) -> String {
        "'\(name)' is declared neither in the target, nor by a target that it imports whose sources are in the build, nor by CoreData, "
            + "Foundation or Swift"
    }

    /// What a name means where it is written: a member of a type around it, or a type of the module or of an imported one.
    private func find(_ part: TypeSyntax.Part, _ place: Place) throws(UnresolvedType) -> ResolvedType? {
        for count in stride(from: place.scope.levels.count, to: 0, by: -1) {
            var scope = place.scope
            scope.levels = Array(place.scope.levels.prefix(count))
            guard let context = context(of: scope) else { continue }
            if part.name == "Self" { return .nominal(context) }
            if let found = try member(part, of: context, context.steps.map { _ in [] }, place) { return found }
        }
        if let found = try declared(part, module, place) { return found }
        switch part.name {
        case "Any": return .any
        case "AnyObject": return .anyObject
        default: break
        }
        let imported = importedModules(place.scope.file)
        var candidates: [ResolvedType] = []
        for name in types.modules where name != module && imported.contains(name) {
            if let found = try declared(part, name, place), !candidates.contains(found) { candidates.append(found) }
        }
        if candidates.count > 1 { throw UnresolvedType(message: "'\(part.name)' is declared by more than one of the imported modules") }
        if let found = candidates.first { return found }
        return try library(part.name, part, place)
    }

    /// The modules that a file imports, with those that they export.
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

    private func find(_ part: TypeSyntax.Part, inModule name: String, _ place: Place) throws(UnresolvedType) -> ResolvedType? {
        if types.modules.contains(name) { return try declared(part, name, place) }
        guard ["Swift", "Foundation", "FoundationEssentials", "CoreData"].contains(name) else { return nil }
        return try library(part.name, part, place)
    }

    /// A type at the top of a module.
    private func declared(_ part: TypeSyntax.Part, _ module: String, _ place: Place) throws(UnresolvedType) -> ResolvedType? {
        let found = types.entries(module, part.name).filter { entry in
            entry.declaration.access > .fileprivate && (module == self.module || entry.declaration.access >= .package)
                || module == self.module && entry.declaration.scope.file == place.scope.file
        }
        guard let entry = found.last else { return nil }
        return try type(entry, part, [], place)
    }

    /// A type in a type, or in one that it inherits.
    private func member(
        _ part: TypeSyntax.Part, of name: NominalName, _ arguments: [[ResolvedType]], _ place: Place
    ) throws(UnresolvedType) -> ResolvedType? {
        var current: NominalName? = name
        var arguments = arguments
        var steps = 0
        while let name = current, steps < 32 {
            if let entry = types.entries(name.module, name.path + "." + part.name).last { return try type(entry, part, arguments, place) }
            if let found = LibraryTypes.type(name.path + "." + part.name), found.module == name.module {
                return .nominal(found, arguments + [try resolveAll(part.arguments, place)])
            }
            // A superclass's own superclass may be one that is only found from where it is declared.
            current = place.depth > 8 ? nil : superclass(of: name)
            arguments = current?.steps.map { _ in [] } ?? []
            steps += 1
        }
        return nil
    }

    private func resolveAll(_ list: [TypeSyntax], _ place: Place) throws(UnresolvedType) -> [ResolvedType] {
        var types: [ResolvedType] = []
        for syntax in list { types.append(try resolve(syntax, place)) }
        return types
    }

    private func type(
        _ entry: DeclaredTypes.Entry, _ part: TypeSyntax.Part, _ outer: [[ResolvedType]], _ place: Place
    ) throws(UnresolvedType) -> ResolvedType {
        let own = try resolveAll(part.arguments, place)
        let parameters = entry.declaration.parameters
        switch entry.declaration.kind {
        case .alias:
            guard let target = entry.declaration.inherited.first, own.count == parameters.count else {
                throw UnresolvedType(message: "'\(part.name)' needs \(parameters.count) generic arguments")
            }
            var inner = Place(scope: entry.declaration.scope, depth: place.depth + 1)
            inner.arguments = Dictionary(zip(parameters, own)) { first, _ in first }
            return try TypeResolver(types, module: entry.module).resolve(target, inner)
        case .protocol:
            guard own.isEmpty else { throw UnresolvedType(message: "'\(part.name)' has generic arguments") }
            return .existential([entry.name], superclass: nil, isObject: false)
        default:
            let missing = entry.name.steps.count - 1 - outer.count
            return .nominal(entry.name, outer + Array(repeating: [], count: max(0, missing)) + [own])
        }
    }

    private func library(_ name: String, _ part: TypeSyntax.Part, _ place: Place) throws(UnresolvedType) -> ResolvedType? {
        if let text = LibraryTypes.alias(name) {
            var cursor = TokenCursor(TokenizedSource(SourceFile(path: "", text: text)))
            guard let syntax = cursor.takeType() else { return nil }
            return try TypeResolver(types, module: "Swift").resolve(syntax, Place(scope: DeclarationScope(), depth: place.depth + 1))
        }
        guard let found = LibraryTypes.type(name) else { return nil }
        let arguments = try resolveAll(part.arguments, place)
        if found.kind == .protocol {
            guard arguments.isEmpty else { throw UnresolvedType(message: "'\(name)' has generic arguments") }
            return .existential([found], superclass: nil, isObject: false)
        }
        if found.module == "Swift", found.path == "Optional", arguments.count == 1 { return .optional(arguments[0]) }
        return .nominal(found, [arguments])
    }
}
