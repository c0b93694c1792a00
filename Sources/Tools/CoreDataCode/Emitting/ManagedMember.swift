/// A property or function with `@NSManaged`, with what its accessors depend on.
struct ManagedMember {
    enum Kind {
        case property(ResolvedType)
        case function([ResolvedType.Element], result: ResolvedType?)
    }

    var declaration: ManagedDeclaration
    var kind: Kind
    var owner: NominalName
    /// The effective access level, within that of its scope.
    var access: AccessLevel
    /// Distinguishes it from private members of other files.
    var discriminator: String?

    /// The name of the property in the model, as far as the declaration determines it.
    var key: String { declaration.modifiers.objectiveCName.flatMap { $0.contains(":") ? nil : $0 } ?? declaration.name }

    var types: [ResolvedType] {
        switch kind {
        case .property(let type): [type]
        case .function(let parameters, let result): parameters.map(\.type) + (result.map { [$0] } ?? [])
        }
    }
}

extension ResolvedType {
    /// The names of all types in it.
    var names: [NominalName] {
        switch self {
        case .nominal(let name, let arguments): [name] + arguments.joined().flatMap(\.names)
        case .optional(let type), .metatype(let type), .existentialMetatype(let type): type.names
        case .tuple(let elements): elements.flatMap(\.type.names)
        case .function(let function): function.parameters.flatMap(\.names) + function.result.names
        case .existential(let protocols, let superclass, _): protocols + (superclass?.names ?? [])
        }
    }
}
