import StrataQuery

/// The archived form of a property: other entities and properties by name, conditions and expressions as texts.
struct ArchivedProperty: Codable {
    var name: String
    var isOptional: Bool
    var isTransient: Bool
    var userInfo: [String: ArchivedValue]?
    var versionHashModifier: String?
    var formerName: String?
    var isIndexedBySpotlight: Bool
    var storesExternally: Bool
    var hasOwnIndex: Bool
    var predicates: [QueryPredicate]
    var warnings: [ArchivedValue]
    var kind: Kind

    enum Kind: Codable {
        case attribute(ArchivedAttribute)
        case relationship(ArchivedRelationship)
        case fetched(ArchivedRequest?)
        case expression(QueryExpression?, resultType: UInt)
        case other
    }

    init(_ property: NSPropertyDescription) {
        name = property.name
        isOptional = property.isOptional
        isTransient = property.isTransient
        userInfo = property.userInfo.map(ArchivedValue.members)
        versionHashModifier = property.versionHashModifier
        formerName = property.formerName
        isIndexedBySpotlight = property.isIndexedBySpotlight
        storesExternally = property.isStoredExternally
        hasOwnIndex = property.hasOwnIndex
        // A condition without text is left out with its warning.
        let conditions = property.validationPredicates.enumerated().compactMap { index, predicate in
            (try? predicate.tree()).map { tree in
                (tree, property.validationWarnings.indices.contains(index) ? ArchivedValue(property.validationWarnings[index]) : nil)
            }
        }
        predicates = conditions.map(\.0)
        warnings = conditions.map { $0.1 ?? .integer(Int64(NSManagedObjectValidationError)) }
        kind =
            switch property {
            case let attribute as NSAttributeDescription: .attribute(ArchivedAttribute(attribute))
            case let relationship as NSRelationshipDescription: .relationship(ArchivedRelationship(relationship))
            case let fetched as NSFetchedPropertyDescription: .fetched(fetched.fetchRequest.map { ArchivedRequest($0) })
            case let described as NSExpressionDescription:
                .expression(try? described.expression?.tree(), resultType: described.expressionResultType.rawValue)
            default: .other
            }
    }

    /// Fills a property; the model sets references to other entities.
    func fill(_ property: NSPropertyDescription) {
        property.name = name
        property.isOptional = isOptional
        property.isTransient = isTransient
        property.userInfo = userInfo?.mapValues(\.any)
        property.versionHashModifier = versionHashModifier
        property.renamingIdentifier = formerName
        property.isIndexedBySpotlight = isIndexedBySpotlight
        property.isStoredExternally = storesExternally
        property.hasOwnIndex = hasOwnIndex
        property.setValidationPredicates(predicates.map { NSPredicate.make($0) }, withValidationWarnings: warnings.map(\.any))
        switch kind {
        case .attribute(let archived): (property as? NSAttributeDescription).map(archived.fill)
        case .relationship(let archived): (property as? NSRelationshipDescription).map(archived.fill)
        case .fetched(let request): (property as? NSFetchedPropertyDescription)?.fetchRequest = request?.request
        case .expression(let expression, let type):
            guard let described = property as? NSExpressionDescription else { return }
            described.expression = expression.map { NSExpression.make($0) }
            described.expressionResultType = NSAttributeType(rawValue: type) ?? .undefinedAttributeType
        case .other: break
        }
    }

    var property: NSPropertyDescription {
        let property: NSPropertyDescription =
            switch kind {
            case .attribute(let attribute): attribute.empty
            case .relationship: NSRelationshipDescription()
            case .fetched: NSFetchedPropertyDescription()
            case .expression: NSExpressionDescription()
            case .other: NSPropertyDescription()
            }
        fill(property)
        return property
    }
}

struct ArchivedAttribute: Codable {
    var type: UInt
    var valueClassName: String?
    var defaultValue: ArchivedValue?
    var valueTransformerName: String?
    var allowsExternalStorage: Bool
    var preservesValueInHistory: Bool
    var allowsCloudEncryption: Bool
    var derivation: Derivation?
    var elements: [ArchivedProperty]?

    /// The expression of a derived attribute.
    struct Derivation: Codable {
        var expression: QueryExpression?
    }

    init(_ attribute: NSAttributeDescription) {
        type = attribute.attributeType.rawValue
        valueClassName = attribute.attributeValueClassName
        defaultValue = attribute.defaultValue.flatMap { ArchivedValue($0) }
        valueTransformerName = attribute.valueTransformerName
        allowsExternalStorage = attribute.allowsExternalBinaryDataStorage
        preservesValueInHistory = attribute.preservesValueInHistoryOnDeletion
        allowsCloudEncryption = attribute.allowsCloudEncryption
        derivation = (attribute as? NSDerivedAttributeDescription).map { Derivation(expression: try? $0.derivationExpression?.tree()) }
        elements = (attribute as? NSCompositeAttributeDescription)?.elements.map { ArchivedProperty($0) }
    }

    /// An empty attribute of the kind.
    var empty: NSAttributeDescription {
        if derivation != nil { return NSDerivedAttributeDescription() }
        return elements == nil ? NSAttributeDescription() : NSCompositeAttributeDescription()
    }

    func fill(_ attribute: NSAttributeDescription) {
        attribute.attributeType = NSAttributeType(rawValue: type) ?? .undefinedAttributeType
        if valueClassName != attribute.attributeValueClassName { attribute.attributeValueClassName = valueClassName }
        attribute.defaultValue = defaultValue?.any
        attribute.valueTransformerName = valueTransformerName
        attribute.allowsExternalBinaryDataStorage = allowsExternalStorage
        attribute.preservesValueInHistoryOnDeletion = preservesValueInHistory
        attribute.allowsCloudEncryption = allowsCloudEncryption
        (attribute as? NSDerivedAttributeDescription)?.derivationExpression = derivation?.expression.map { NSExpression.make($0) }
        (attribute as? NSCompositeAttributeDescription)?.elements = (elements ?? []).compactMap { $0.property as? NSAttributeDescription }
    }
}

struct ArchivedRelationship: Codable {
    var destination: String?
    var inverse: String?
    var unmatchedInverse: String?
    var minCount: Int
    var maxCount: Int
    var deleteRule: UInt
    var isOrdered: Bool

    init(_ relationship: NSRelationshipDescription) {
        destination = relationship.destinationEntity?.name
        inverse = relationship.inverseRelationship?.name
        unmatchedInverse = relationship.unmatchedInverse
        minCount = relationship.minCount
        maxCount = relationship.maxCount
        deleteRule = relationship.deleteRule.rawValue
        isOrdered = relationship.isOrdered
    }

    func fill(_ relationship: NSRelationshipDescription) {
        relationship.unmatchedInverse = unmatchedInverse
        relationship.minCount = minCount
        relationship.maxCount = maxCount
        relationship.deleteRule = NSDeleteRule(rawValue: deleteRule) ?? .nullifyDeleteRule
        relationship.isOrdered = isOrdered
    }
}
