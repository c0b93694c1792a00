import StrataQuery

/// The archived form of an entity: other entities by name.
struct ArchivedEntity: Codable {
    var name: String?
    var className: String
    var isAbstract: Bool
    var userInfo: [String: ArchivedValue]?
    var versionHashModifier: String?
    var formerName: String?
    var displayName: QueryExpression?
    var properties: [ArchivedProperty]
    var uniquenessConstraints: [[String]]
    var indexes: [ArchivedIndex]
    var subentities: [String]

    init(_ entity: NSEntityDescription) {
        name = entity.name
        className = entity.managedObjectClassName
        isAbstract = entity.isAbstract
        userInfo = entity.userInfo.map(ArchivedValue.members)
        versionHashModifier = entity.versionHashModifier
        formerName = entity.formerName
        displayName = try? entity.coreSpotlightDisplayNameExpression?.tree()
        properties = entity.ownProperties.map { ArchivedProperty($0) }
        uniquenessConstraints = entity.uniquenessConstraints.map { constraint in
            constraint.compactMap { ($0 as? NSPropertyDescription)?.name ?? $0 as? String }
        }
        indexes = entity.indexes.map { ArchivedIndex($0) }
        subentities = entity.subentities.compactMap(\.name)
    }

    /// Sets the properties of an entity, except for references to other entities.
    func fill(_ entity: NSEntityDescription) {
        entity.name = name
        if className != entity.managedObjectClassName { entity.managedObjectClassName = className }
        entity.isAbstract = isAbstract
        entity.userInfo = userInfo?.mapValues(\.any)
        entity.versionHashModifier = versionHashModifier
        entity.renamingIdentifier = formerName
        entity.coreSpotlightDisplayNameExpression = displayName.map { NSExpression.make($0) }
        entity.properties = properties.map(\.property)
        entity.uniquenessConstraints = uniquenessConstraints
        entity.indexes = indexes.map { $0.index(of: entity) }
    }

    /// Sets the references to other entities.
    func connect(_ entity: NSEntityDescription, _ byName: [String: NSEntityDescription]) {
        for archived in properties {
            guard case .relationship(let relationship) = archived.kind,
                let own = entity.ownProperties.first(where: { $0.name == archived.name }) as? NSRelationshipDescription
            else { continue }
            own.destinationEntity = relationship.destination.flatMap { byName[$0] }
            own.inverseRelationship = relationship.inverse.flatMap { own.destinationEntity?.relationshipsByName[$0] }
        }
        entity.connectIndexes()
    }
}

/// An entity alone, with those that inherit from it.
struct ArchivedFamily: Codable {
    var entity: ArchivedEntity
    var members: [ArchivedFamily]

    init(_ entity: NSEntityDescription) {
        self.entity = ArchivedEntity(entity)
        members = entity.subentities.map { ArchivedFamily($0) }
    }

    func fill(_ entity: NSEntityDescription) {
        self.entity.fill(entity)
        entity.subentities = members.map { family in
            let member = NSEntityDescription()
            family.fill(member)
            return member
        }
    }
}

struct ArchivedIndex: Codable {
    var name: String
    var elements: [ArchivedIndexElement]
    var condition: QueryPredicate?

    init(_ index: NSFetchIndexDescription) {
        name = index.name
        elements = index.elements.map { ArchivedIndexElement($0) }
        condition = try? index.partialIndexPredicate?.tree()
    }

    func index(of entity: NSEntityDescription) -> NSFetchIndexDescription {
        let index = NSFetchIndexDescription(name: name, elements: elements.map { $0.element(of: entity) })
        index.partialIndexPredicate = condition.map { NSPredicate.make($0) }
        return index
    }
}

struct ArchivedIndexElement: Codable {
    var path: String?
    var expression: ArchivedProperty?
    var collationType: UInt
    var isAscending: Bool

    init(_ element: NSFetchIndexElementDescription) {
        path = element.propertyName
        expression = (element.property as? NSExpressionDescription).map { ArchivedProperty($0) }
        collationType = element.collationType.rawValue
        isAscending = element.isAscending
    }

    var collation: NSFetchIndexElementType { NSFetchIndexElementType(rawValue: collationType) ?? .binary }

    func element(of entity: NSEntityDescription) -> NSFetchIndexElementDescription {
        let element =
            if let expression {
                NSFetchIndexElementDescription(property: expression.property, collationType: collation)
            } else {
                NSFetchIndexElementDescription(
                    path: path ?? "", property: path.flatMap { entity.property(at: $0) }, collationType: collation)
            }
        element.isAscending = isAscending
        return element
    }
}
