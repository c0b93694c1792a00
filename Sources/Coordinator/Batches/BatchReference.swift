import StrataStore

/// The destinations that an object of a batch insert is given for a relationship.
struct BatchReference {
    /// A relationship, and the attribute that identifies its destinations.
    struct Target: Hashable {
        let property: Int
        /// The index of the attribute of the destinations; `nil` for IDs.
        let attribute: Int?
    }

    let target: Target
    /// IDs, or values of the attribute in its own type; empty for no destination.
    let values: [Value]
}

/// The name by which a batch insert sets a relationship: its own, or one with the path of a destination's attribute.
struct BatchRelationship {
    let relationship: RelationshipDescription
    private let destination: EntityDescription
    private let attribute: AttributeDescription?

    var target: BatchReference.Target { BatchReference.Target(property: relationship.index, attribute: attribute?.index) }

    /// - Returns: `nil` where the name does not begin with that of a relationship.
    /// - Throws: `StoreError` with `unknownKey`, or `unsupported` for a relationship stored in other rows.
    init?(_ name: String, of entity: EntityDescription, in model: ManagedObjectModel) throws(StoreError) {
        let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let relationship = entity.relationship(named: String(parts[0])), !relationship.isHidden else { return nil }
        func error(_ code: StoreError.Code, _ message: String) -> StoreError {
            StoreError(code, .batchInsert, message, entity: entity.name, key: name)
        }
        self.relationship = relationship
        let destination = model.destination(of: relationship)
        self.destination = destination
        let inverse = model.inverse(of: relationship)
        switch relationship.storage {
        case .toOne:
            if inverse?.isToMany == false {
                throw error(.unsupported, "the inverse is to one too: its objects would have to be changed with these")
            }
        case .links:
            if inverse?.isOrdered == true {
                throw error(.unsupported, "the inverse is ordered: its objects would have to be changed with these")
            }
        case .inverse:
            let instead = inverse.map { $0.isHidden ? "and it has no inverse" : "as \(destination.name).\($0.name)" } ?? ""
            throw error(.unsupported, "the relationship is stored in its destinations \(instead): these would have to be changed")
        case .none: throw error(.unknownKey, "the relationship is transient: no store holds it")
        }
        attribute = parts.count > 1 ? destination.attribute(named: String(parts[1])) : nil
        if parts.count > 1 && attribute?.slot == nil {
            throw error(.unknownKey, "\(destination.name) has no attribute \(parts[1]) that stores hold")
        }
    }

    /// Returns the destinations of a value; throws `StoreError` with `wrongValue`.
    func reference(_ value: Value, of entity: EntityDescription) throws(StoreError) -> BatchReference {
        func wrong(_ message: String) -> StoreError {
            let path = [relationship.name, attribute?.name].compactMap(\.self).joined(separator: ".")
            return StoreError(.wrongValue, .batchInsert, message, entity: entity.name, key: path)
        }
        let given: [Value]
        switch value {
        case .null: given = []
        case .list(let values) where relationship.isToMany: given = values
        case _ where relationship.isToMany: throw wrong("a to-many relationship takes a list")
        default: given = [value]
        }
        var values: [Value] = []
        for value in given {
            if let attribute {
                guard let fitting = attribute.type.coerce(value), !fitting.isNull else {
                    throw wrong("\(value.excerpt) is no \(attribute.type)")
                }
                values.append(fitting)
            } else {
                guard case .objectID(let id) = value, !id.isTemporary, id.entity.rootName == destination.rootName else {
                    throw wrong("\(value.excerpt) is no ID of an object that was saved of \(destination.name)")
                }
                values.append(value)
            }
        }
        return BatchReference(target: target, values: values)
    }
}
