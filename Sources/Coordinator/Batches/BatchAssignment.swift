import StrataStore

/// A property that a batch update sets, checked against the model.
struct BatchAssignment {
    enum Target {
        /// The same value for all objects.
        case constant(slot: Slot, Value)
        /// A value of the attribute's own for each object.
        case computed(AttributeDescription, slot: Slot, ResolvedExpression)
        case toOne(RelationshipDescription, reference: Slot, entity: Slot?, order: Slot?, ObjectID?)
    }

    let name: String
    let target: Target

    /// - Throws: `StoreError` with `unknownKey`, `wrongValue`, `unsupported`; `QueryError` where the expression does
    ///   not fit.
    init(_ name: String, _ expression: QueryExpression, of entity: EntityDescription, in model: ManagedObjectModel) throws {
        self.name = name
        func error(_ code: StoreError.Code, _ message: String) -> StoreError {
            StoreError(code, .batchUpdate, message, entity: entity.name, key: name)
        }
        switch entity.property(named: name) {
        case .attribute(let attribute)?:
            if attribute.isDerived { throw error(.wrongValue, "the attribute is derived: its store computes the value") }
            guard let slot = attribute.slot else { throw error(.unknownKey, "the attribute is transient: no store holds it") }
            if case .constant(let value) = expression {
                guard let coerced = attribute.type.coerce(value) else {
                    throw error(.wrongValue, "\(value.excerpt) is no \(attribute.type)")
                }
                if coerced.isNull && !attribute.isOptional { throw error(.wrongValue, "a value is required") }
                target = .constant(slot: slot, coerced)
            } else {
                let resolved = try expression.resolved(for: entity, in: model)
                if resolved.objectEntity(in: model) != nil { throw error(.wrongValue, "an attribute holds no object") }
                target = .computed(attribute, slot: slot, resolved)
            }
        case .relationship(let relationship)? where !relationship.isHidden:
            guard case .toOne(let reference, let entitySlot, let order) = relationship.storage else {
                throw error(.unknownKey, "a batch update sets attributes and to-one relationships only")
            }
            if model.inverse(of: relationship)?.isToMany == false {
                throw error(.unsupported, "the inverse is to one too: setting many objects would break it")
            }
            switch expression {
            case .constant(.null): target = .toOne(relationship, reference: reference, entity: entitySlot, order: order, nil)
            case .constant(.objectID(let id)):
                guard !id.isTemporary, id.entity.rootName == model.destination(of: relationship).rootName else {
                    throw error(.wrongValue, "\(id) is no object that was saved of \(model.destination(of: relationship).name)")
                }
                target = .toOne(relationship, reference: reference, entity: entitySlot, order: order, id)
            default: throw error(.wrongValue, "a relationship takes the ID of an object, or nil")
            }
        default:
            if case .keyPath(let path) = expression, let reason = QueryError.reason(ofPlaceholder: path) {
                throw error(.wrongValue, reason)
            }
            if let composite = entity.compositeAttribute(named: name) {
                throw error(
                    .unknownKey,
                    "of a composite attribute a batch update sets the elements, \(composite.elements.map(\.path).joined(separator: ", ")), "
                        + "or all of it to nil")
            }
            throw error(.unknownKey, "there is no such property")
        }
    }

    /// Returns a computed value, converted to the type of its attribute; throws `StoreError` with `wrongValue` where it
    /// does not fit the attribute.
    static func fitted(_ value: Value, to attribute: AttributeDescription, of row: Row, _ entity: EntityDescription) throws -> Value {
        func error(_ message: String) -> StoreError {
            StoreError(.wrongValue, .batchUpdate, message, entity: entity.name, key: attribute.name)
        }
        guard let coerced = attribute.type.coerce(value) else {
            throw error("\(value.excerpt), computed for the object with reference \(row.reference), is no \(attribute.type)")
        }
        if coerced.isNull && !attribute.isOptional {
            throw error("a value is required, and nil was computed for the object with reference \(row.reference)")
        }
        return coerced
    }
}
