public import Strata

extension JSON {
    /// Creates the entities of a model with their properties.
    public init(_ model: ManagedObjectModel) {
        self = .object([
            "versionIdentifiers": .array(model.versionIdentifiers.map { .string($0) }),
            "entities": .array(model.entities.map { JSON($0, in: model) }),
        ])
    }

    private init(_ entity: EntityDescription, in model: ManagedObjectModel) {
        self = .object([
            "name": .string(entity.name),
            "isAbstract": .bool(entity.isAbstract),
            "superentity": JSON(entity.superentity.map { model.entities[$0].name }),
            "attributes": .array(
                entity.attributes.map {
                    .object([
                        "name": .string($0.name), "type": .string("\($0.type)"), "isOptional": .bool($0.isOptional),
                        "default": $0.defaultValue.json,
                    ])
                }),
            "relationships": .array(
                entity.relationships.filter { !$0.isHidden }.map {
                    .object([
                        "name": .string($0.name), "destination": .string(model.destination(of: $0).name),
                        "inverse": JSON(model.inverse(of: $0)?.name), "isToMany": .bool($0.isToMany), "isOrdered": .bool($0.isOrdered),
                        "deleteRule": .string("\($0.deleteRule)"), "isOptional": .bool($0.isOptional),
                    ])
                }),
            "uniquenessConstraints": .array(entity.uniquenessConstraints.map { .array($0.names.map { .string($0) }) }),
        ])
    }
}
