import StrataModelCode

/// Generates the accessors of properties with `@NSManaged`: functions with the symbols that the compiler calls.
struct AccessorGenerator {
    private let resolver: TypeResolver
    private let namesOfProperties: [NominalName: [String]]
    private(set) var warnings: [SourceWarning] = []
    private var manglers: [NominalName: SymbolMangler] = [:]
    private var usedTypes: [ResolvedType: PropertyType] = [:]

    /// - Parameter modelled: The names of a class's properties in its model.
    init(_ resolver: TypeResolver, members: [ManagedMember], modelled: (NominalName) -> [String]) {
        self.resolver = resolver
        var names: [NominalName: [String]] = [:]
        for member in members {
            if names[member.owner] == nil { names[member.owner] = modelled(member.owner) }
            if case .property = member.kind { names[member.owner, default: []].append(member.key) }
        }
        namesOfProperties = names
    }

    /// Generates the accessors of all members, grouped by class and conditions.
    mutating func generate(_ members: [ManagedMember], _ parts: inout CodeParts) {
        struct Group: Hashable {
            var owner: NominalName
            var conditions: ConditionStack
        }
        var order: [Group] = []
        var groups: [Group: [String]] = [:]
        for member in members {
            let group = Group(owner: member.owner, conditions: member.declaration.conditions)
            if groups[group] == nil { order.append(group) }
            groups[group, default: []] += accessors(of: member, &parts[member.owner.path])
        }
        for group in order {
            guard let accessors = groups[group], !accessors.isEmpty else { continue }
            let block = ["extension \(resolver.code(.nominal(group.owner))) {"] + accessors.map { "    " + $0 } + ["}"]
            parts[group.owner.path].accessors += [""] + group.conditions.around(block)
        }
    }

    private mutating func mangler(of owner: NominalName) -> SymbolMangler {
        if let known = manglers[owner] { return known }
        let mangler = SymbolMangler(in: owner, extendedIn: resolver.module)
        manglers[owner] = mangler
        return mangler
    }

    private mutating func usedType(_ type: ResolvedType) -> PropertyType {
        if let known = usedTypes[type] { return known }
        let (kind, isOptional) = AccessorKind.kind(of: type, resolver)
        let used = PropertyType(kind: kind, text: resolver.code(type), isOptional: isOptional)
        usedTypes[type] = used
        return used
    }

    private mutating func accessors(of member: ManagedMember, _ part: inout CodePart) -> [String] {
        part.contribute(member.declaration.location.path)
        if member.access >= .public { part.exposedModules.formUnion(member.types.flatMap(\.names).map(\.module)) }
        switch member.kind {
        case .property(let type): return accessors(of: member, type, &part)
        case .function(let parameters, let result): return function(member, parameters, result, &part)
        }
    }

    private mutating func accessors(of member: ManagedMember, _ type: ResolvedType, _ part: inout CodePart) -> [String] {
        let symbols = mangler(of: member.owner)
            .accessors(of: member.declaration.name, discriminator: member.discriminator, type: type)
        let primitive = primitiveKey(member)
        let name = primitive ?? member.key
        let key = KeyNames.Key(owner: member.owner.path, name: name)
        let stem = primitive == nil ? "" : "primitive_"
        let getter = part.keys.function(key, stem + "get")
        let setter = part.keys.function(key, stem + "set")
        let function = prefix(of: member) + "final func"
        let used = usedType(type)
        let text = used.text
        var owned = "__owned "
        if case .function = type { owned += "@escaping " }
        let (get, set): (String, String)
        if primitive == nil {
            (get, set) = (used.getter(key, &part), used.setter("value", key, &part))
        } else {
            let constant = part.key(key)
            (get, set) = ("_managedPrimitiveValue(\(constant), of: self)", "_setManagedPrimitiveValue(value, \(constant), of: self)")
        }
        return [
            "@_silgen_name(\"\(symbols.getter)\") \(function) \(getter)() -> \(text) { \(get) }",
            "@_silgen_name(\"\(symbols.setter)\") \(function) \(setter)(_ value: \(owned)\(text)) { \(set) }",
        ]
    }

    private mutating func function(
        _ member: ManagedMember, _ parameters: [ResolvedType.Element], _ result: ResolvedType?, _ part: inout CodePart
    ) -> [String] {
        let labels = parameters.map(\.label)
        guard result == nil, let (function, capitalized) = CollectionFunction.parse(member, labels: labels) else {
            let message = "is none of the functions that Core Data makes for relationships: write its body without '@NSManaged'"
            warnings.append(SourceWarning(member.declaration.location, "'\(member.declaration.name)' \(message)"))
            return []
        }
        let key = KeyNames.Key(owner: member.owner.path, name: propertyName(capitalized, of: member.owner))
        let arguments = parameters.indices.map { "value\($0 == 0 ? "" : String($0))" }
        guard let call = function.call(parameters, arguments, key, &part) else {
            let message = "the parameters of '\(member.declaration.name)' are not those that Core Data makes"
            warnings.append(SourceWarning(member.declaration.location, message))
            return []
        }
        let symbol = mangler(of: member.owner).function(
            member.declaration.name, discriminator: member.discriminator, labels: labels, parameters: parameters.map(\.type), result: nil)
        let list = zip(arguments, parameters).map { "_ \($0): \(resolver.code($1.type))" }.joined(separator: ", ")
        let name = part.keys.function(key, "\(function)")
        return ["@_silgen_name(\"\(symbol)\") \(prefix(of: member))final func \(name)(\(list)) { \(call) }"]
    }

    private func prefix(of member: ManagedMember) -> String {
        var attributes = member.declaration.scope.levels.flatMap { level in
            // A class isolates its extensions itself.
            level.modifiers.accessorAttributes.filter { level.isExtension || $0.hasPrefix("@available") }
        }
        let own = member.declaration.modifiers.accessorAttributes
        if own.contains("nonisolated") { attributes.removeAll { $0 == "@MainActor" } }
        attributes += own
        switch member.access {
        case .public, .open: attributes.append("@usableFromInline")
        case .package: attributes.append("package")
        default: break
        }
        return (attributes.filter { $0.hasPrefix("@") } + attributes.filter { !$0.hasPrefix("@") }).map { $0 + " " }.joined()
    }

    // MARK: - Names

    /// Returns the property of a property named `primitiveName`.
    private func primitiveKey(_ member: ManagedMember) -> String? {
        let name = member.declaration.name
        guard name.hasPrefix("primitive"), let next = name.dropFirst(9).first, next.isUppercase else { return nil }
        let key = propertyName(String(name.dropFirst(9)), of: member.owner)
        let known = namesOfProperties[member.owner] ?? []
        return known.filter { $0 == name }.count > 1 ? nil : key
    }

    /// Returns the name of the property that is capitalized in another name.
    private func propertyName(_ capitalized: String, of owner: NominalName) -> String {
        for name in resolver.lineage(of: owner) {
            if let known = namesOfProperties[name]?.first(where: { SwiftName.capitalized($0) == capitalized }) { return known }
        }
        return SwiftName.uncapitalized(capitalized)
    }
}
