import StrataModel
import StrataQuery
import StrataStore

/// A property that a batch update sets, checked against the model.
struct BatchAssignment {
    enum Target {
        /// With the value where it is the same for all objects.
        case attribute(AttributeDescription, slot: Int, constant: Value?, RowExpression)
        case toOne(RelationshipDescription, reference: Int, entity: Int?, order: Int?, ObjectID?)
    }

    let target: Target
    private let entity: EntityDescription

    /// - Throws: ``StoreError`` with `unknownKey`, `wrongValue`, `unsupported`; ``QueryError`` where the expression does not fit.
    init(_ name: String, _ expression: QueryExpression, of entity: EntityDescription, in model: ManagedObjectModel) throws {
        self.entity = entity
        func error(_ code: StoreError.Code, _ message: String) -> StoreError {
            StoreError(code, "batch update", message, entity: entity.name, key: name)
        }
        switch entity.property(named: name) {
        case .attribute(let attribute)?:
            guard let slot = attribute.slot else { throw error(.unknownKey, "the attribute is transient: no store holds it") }
            let resolved: ResolvedExpression
            var constant: Value?
            if case .constant(let value) = expression {
                guard let coerced = attribute.type.coerce(value) else { throw error(.wrongValue, "\(value) is no \(attribute.type)") }
                if coerced.isNull && !attribute.isOptional { throw error(.wrongValue, "a value is required") }
                resolved = .constant(coerced)
                constant = coerced
            } else {
                resolved = try expression.resolved(for: entity, in: model)
                if resolved.objectEntity(in: model) != nil { throw error(.wrongValue, "an attribute holds no object") }
            }
            target = .attribute(attribute, slot: slot, constant: constant, RowExpression(resolved))
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
        default: throw error(.unknownKey, "there is no such property")
        }
    }

    /// The value of an attribute for a row.
    ///
    /// - Throws: ``StoreError`` with `wrongValue` where it does not fit the attribute.
    func value(_ attribute: AttributeDescription, _ expression: RowExpression, _ row: Row, _ reader: any StoreReader) throws -> Value {
        let value = try expression.value(row, reader)
        guard let coerced = attribute.type.coerce(value) else {
            throw StoreError(
                .wrongValue, "batch update", "\(value), computed for the object with reference \(row.reference), is no \(attribute.type)",
                entity: entity.name, key: attribute.name)
        }
        if coerced.isNull && !attribute.isOptional {
            throw StoreError(
                .wrongValue, "batch update", "a value is required, and nil was computed for the object with reference \(row.reference)",
                entity: entity.name, key: attribute.name)
        }
        return coerced
    }
}
