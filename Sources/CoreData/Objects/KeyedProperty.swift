import StrataModel

/// The property that a key of a managed object names.
enum KeyedProperty {
    case attribute(AttributeDescription)
    case relationship(RelationshipDescription)
    case composite(CompositeAttributeDescription)
    /// A fetched property, which cannot be set.
    case fetched

    /// `nil` if the entity has no such property for programs.
    init?(_ key: String, _ entity: EntityDescription) {
        switch entity.property(named: key) {
        case .attribute(let attribute)?: self = .attribute(attribute)
        case .relationship(let relationship)?:
            if relationship.isHidden { return nil }
            self = .relationship(relationship)
        case nil:
            if let composite = entity.compositeAttribute(named: key) {
                self = .composite(composite)
            } else if entity.fetchedProperty(named: key) != nil {
                self = .fetched
            } else {
                return nil
            }
        }
    }

    /// Whether stores, or the object, hold its value.
    var isModeled: Bool {
        if case .fetched = self { false } else { true }
    }

    var attribute: AttributeDescription? {
        if case .attribute(let attribute) = self { attribute } else { nil }
    }
}
