/// The reason why a type is unknown.
struct UnresolvedType: Error {
    var message: String

    init(_ message: String) { self.message = message }
}

/// Resolves names of types in the files of a module.
struct TypeResolver {
    let types: DeclaredTypes
    let module: String

    /// The context of a name lookup.
    struct Lookup {
        var scope: DeclarationScope
        var depth = 0
        /// The arguments of an alias's generic parameters.
        var arguments: [String: ResolvedType] = [:]
    }

    // MARK: - Scopes

    /// Returns the type of a body; `nil` if the extended type is unknown.
    func context(of scope: DeclarationScope) -> NominalName? {
        var context: NominalName?
        for (index, level) in scope.levels.enumerated() {
            var outer = scope
            outer.levels = Array(scope.levels.prefix(index))
            if level.isExtension {
                let syntax = TypeSyntax.named(level.names.map { TypeSyntax.Part(name: $0) })
                guard let type = try? resolve(syntax, Lookup(scope: outer)), case .nominal(let name, _) = type else {
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

    /// Returns the access level of a type, within those of its enclosing types.
    func access(of name: NominalName) -> AccessLevel {
        var access = AccessLevel.open
        for count in 1...max(1, name.steps.count) {
            let path = name.steps.prefix(count).map(\.name).joined(separator: ".")
            if let entry = types.entries(name.module, path).last { access = min(access, entry.declaration.access) }
        }
        return access
    }

    /// Returns the superclass of a class; `nil` for none, or an unknown one.
    func superclass(of name: NominalName) -> NominalName? {
        for entry in types.entries(name.module, name.path) where entry.name.kind == .class {
            guard let first = entry.declaration.inherited.first,
                let type = try? TypeResolver(types: types, module: entry.module).resolve(
                    first, Lookup(scope: entry.declaration.scope, depth: 1))
            else { continue }
            if case .nominal(let name, _) = type, name.kind == .class { return name }
        }
        return nil
    }

    /// Returns a class and its known superclasses.
    func lineage(of name: NominalName) -> [NominalName] {
        var classes: [NominalName] = []
        var current: NominalName? = name
        while let name = current, !classes.contains(name) {
            classes.append(name)
            current = superclass(of: name)
        }
        return classes
    }

    /// Returns whether a class is one of managed objects; `nil` if a superclass is unknown.
    func isManagedObject(_ name: NominalName) -> Bool? {
        var current = name
        for _ in 0..<32 {
            guard current.kind == .class else { return false }
            if current.module == "CoreData" { return current.path == "NSManagedObject" }
            guard let parent = superclass(of: current) else {
                let inherited = types.entries(current.module, current.path).flatMap(\.declaration.inherited)
                return inherited.count == inheritance(of: current).count ? false : nil
            }
            current = parent
        }
        return nil
    }

    /// Returns whether an enumeration has raw values of one of some types of Swift's.
    func hasRawValues(_ name: NominalName, _ rawTypes: Set<String>) -> Bool {
        inheritance(of: name).contains { type in
            guard let name = type.nominalName, name.module == "Swift" else { return false }
            return name.kind == .struct && rawTypes.contains(name.path)
        }
    }

    func isDeclared(_ name: NominalName) -> Bool { !types.entries(name.module, name.path).isEmpty }

    /// Returns whether the target declares a top-level type of this name.
    func declares(_ name: String) -> Bool { !types.entries(module, name).isEmpty }

    /// Returns a type as code in the module.
    func code(_ type: ResolvedType) -> String { type.code(in: module, qualifies: declares) }

    // MARK: - Types

    func resolve(_ syntax: TypeSyntax, in scope: DeclarationScope) throws(UnresolvedType) -> ResolvedType {
        try resolve(syntax, Lookup(scope: scope))
    }

    func resolve(_ syntax: TypeSyntax, _ lookup: Lookup) throws(UnresolvedType) -> ResolvedType {
        guard lookup.depth < 32 else { throw UnresolvedType("it stands for itself") }
        switch syntax {
        case .named(let parts): return try resolve(parts, lookup)
        case .array(let element): return .swift("Array", .struct, [try resolve(element, lookup)])
        case .dictionary(let key, let value):
            return .swift("Dictionary", .struct, [try resolve(key, lookup), try resolve(value, lookup)])
        case .optional(let type), .implicitlyUnwrapped(let type): return .optional(try resolve(type, lookup))
        case .tuple(let elements):
            var resolved: [ResolvedType.Element] = []
            for element in elements { resolved.append(.init(label: element.label, type: try resolve(element.type, lookup))) }
            return resolved.count == 1 && resolved[0].label == nil ? resolved[0].type : .tuple(resolved)
        case .function(let function): return try resolve(function, lookup)
        case .composition(let members): return try compose(members, lookup)
        case .existential(let type): return try resolve(type, lookup)
        case .metatype(let type, let isProtocol):
            let instance = try resolve(type, lookup)
            // `any P.Type` is that of any type that conforms, `(any P).Type` that of `any P` itself.
            if case .existential = type { return .metatype(instance) }
            switch instance {
            case .existential where !isProtocol, .existentialMetatype: return .existentialMetatype(instance)
            default: return .metatype(instance)
            }
        case .other(let text): throw UnresolvedType("no property of an object is of a type with '\(text)'")
        }
    }

    private func resolve(_ function: TypeSyntax.Function, _ lookup: Lookup) throws(UnresolvedType) -> ResolvedType {
        let known: Set<String> = ["Sendable", "MainActor", "escaping"]
        if let other = function.attributes.first(where: { !known.contains($0) }) {
            throw UnresolvedType("it is a function with '\(other)'")
        }
        guard !function.isAsync else { throw UnresolvedType("it is a function with 'async'") }
        var parameters: [ResolvedType] = []
        for parameter in function.parameters { parameters.append(try resolve(parameter: parameter, lookup)) }
        return .function(
            ResolvedType.Function(
                parameters: parameters, result: try resolve(function.result, lookup), isThrowing: function.isThrowing,
                isSendable: function.attributes.contains("Sendable"), isOnMainActor: function.attributes.contains("MainActor")))
    }

    /// Resolves the type of a parameter: a function is escaping only if it is declared so.
    func resolve(parameter syntax: TypeSyntax, _ lookup: Lookup) throws(UnresolvedType) -> ResolvedType {
        let type = try resolve(syntax, lookup)
        guard case .function(var function) = type, case .function(let written) = syntax else { return type }
        function.isEscaping = written.attributes.contains("escaping")
        return .function(function)
    }

    /// Resolves `A & B`: protocols in the order of their modules and names, without redundant ones, and a class.
    private func compose(_ members: [TypeSyntax], _ lookup: Lookup) throws(UnresolvedType) -> ResolvedType {
        var protocols: Set<NominalName> = []
        var superclass: ResolvedType?
        var isObject = false
        for member in members {
            let type = try resolve(member, lookup)
            switch type {
            case .existential(let names, let other, let object):
                protocols.formUnion(names)
                superclass = superclass ?? other
                isObject = isObject || object
            case .nominal(let name, _) where name.kind == .class: superclass = type
            default: throw UnresolvedType("a part of it is neither a protocol nor a class")
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
                try? TypeResolver(types: types, module: entry.module).resolve($0, Lookup(scope: entry.declaration.scope, depth: 8))
            }
        }
    }
}
