import StrataModel

/// Copies one entity alone, or the entities of a model with their relationships.
enum ModelCopier {
    /// Returns the entity without its parent and its sub-entities, and with copies of its own properties.
    static func shallowCopy(of entity: NSEntityDescription) -> NSEntityDescription {
        let copy = NSEntityDescription()
        copy.name = entity.name
        copy.managedObjectClassName = entity.managedObjectClassName
        copy.isAbstract = entity.isAbstract
        copy.userInfo = entity.userInfo
        copy.versionHashModifier = entity.versionHashModifier
        copy.renamingIdentifier = entity.formerName
        copy.coreSpotlightDisplayNameExpression = entity.coreSpotlightDisplayNameExpression
        copy.properties = entity.ownProperties.compactMap { $0.copy() as? NSPropertyDescription }
        copy.uniquenessConstraints = entity.uniquenessConstraints.map { constraint in
            constraint.map { ($0 as? NSPropertyDescription)?.name ?? $0 }
        }
        copy.indexes = entity.indexes.compactMap { $0.copy() as? NSFetchIndexDescription }
        return copy
    }

    /// Returns copies of entities whose parents, destinations and inverses are the copies of the same names.
    static func copies(of entities: [NSEntityDescription]) -> [NSEntityDescription] {
        let copies = entities.map { shallowCopy(of: $0) }
        let byName = NSManagedObjectModel.byName(copies)
        for (entity, copy) in zip(entities, copies) {
            copy.subentities = entity.subentities.compactMap { $0.name.flatMap { byName[$0] } }
        }
        for copy in copies {
            for case let relationship as NSRelationshipDescription in copy.ownProperties {
                let inverse = relationship.inverseRelationship?.name
                relationship.destinationEntity = relationship.destinationEntity?.name.flatMap { byName[$0] }
                relationship.inverseRelationship = inverse.flatMap { relationship.destinationEntity?.relationshipsByName[$0] }
            }
            copy.connectIndexes()
        }
        return copies
    }
}

extension NSEntityDescription {
    /// Returns the property at a path, an element if the path begins with a composite attribute.
    final func property(at path: String) -> NSPropertyDescription? {
        var parts = path.split(separator: ".").map(String.init)[...]
        var property = parts.popFirst().flatMap { propertiesByName[$0] }
        while let part = parts.popFirst() {
            property = (property as? NSCompositeAttributeDescription)?.elements.first { $0.name == part }
        }
        return property
    }

    /// Replaces the properties of the indexes by the entity's own of the same paths.
    final func connectIndexes() {
        for index in indexes {
            index.elements = index.elements.map { element in
                element.over(element.propertyName.flatMap { property(at: $0) } ?? element.property)
            }
        }
    }
}
