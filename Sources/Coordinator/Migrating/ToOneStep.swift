import StrataStore

/// The migration of a to-one relationship's slots.
struct ToOneStep: Sendable {
    private enum Origin: Sendable {
        case slot(ToOneSlot)
        case first(RelationshipDescription)
        case reverse(RelationshipDescription)
    }

    private let entity: EntityDescription
    private let relationship: RelationshipDescription
    private let slots: ToOneSlot
    private let origin: Origin?
    /// The inverse, of which only the first destination is kept: it was to-many, and is to-one.
    private let firstOnly: RelationshipDescription?
    /// The relationship itself, without an inverse before: of several objects with one destination only the first keeps
    /// it.
    private let firstOfReverse: RelationshipDescription?
    /// The ordered relationship through a link table with the order of the objects.
    private let ordered: RelationshipDescription?
    private let isNewlyRequired: Bool

    init?(_ relationship: RelationshipDescription, of entity: EntityDescription, _ routes: MigrationRoutes) {
        guard let slots = ToOneSlot(relationship) else { return nil }
        self.entity = entity
        self.relationship = relationship
        self.slots = slots
        var back: RelationshipDescription?
        var isWithoutInverse: RelationshipDescription?
        var wasRequired = false
        switch routes.origin(of: relationship, in: entity) {
        case .relationship(let old)?:
            origin = ToOneSlot(old).map { .slot($0) } ?? .first(old)
            back = routes.source.inverse(of: old)
            if back == nil { isWithoutInverse = old }
            wasRequired = !old.isOptional
        case .reverse(let other)?: origin = .reverse(other)
        case nil: origin = nil
        }
        let isOneToOne = routes.destination.inverse(of: relationship).map { !$0.isToMany } ?? false
        firstOnly = isOneToOne ? back.flatMap { $0.isToMany ? $0 : nil } : nil
        firstOfReverse = isOneToOne ? isWithoutInverse : nil
        if slots.order != nil, let back, back.isOrdered, case .links = back.storage { ordered = back } else { ordered = nil }
        isNewlyRequired = !relationship.isOptional && !relationship.isHidden && !wasRequired
    }

    func fill(_ writer: inout RowWriter, from row: Row, reference: Int64, _ lookUp: MigrationLookUp) throws {
        guard let object = try destination(of: row, lookUp), let target = lookUp.routes.target(object, as: relationship.destination) else {
            guard isNewlyRequired else { return }
            throw StoreError(
                .migration, .migrate, "the relationship is required, and there is an object without a destination (p\(row.reference))",
                entity: entity.name, key: relationship.name)
        }
        writer.set(integer: target.reference, at: slots.reference)
        if let slot = slots.entity { writer.set(integer: Int64(target.entity.rawValue), at: slot) }
        if let slot = slots.order { writer.set(order: try order(of: row, in: object, reference, lookUp), at: slot) }
    }

    private func destination(of row: Row, _ lookUp: MigrationLookUp) throws -> ObjectReference? {
        let found: ObjectReference?
        switch origin {
        case .slot(let slot)?: found = slot.destination(of: row)
        case .first(let old)?: found = try lookUp.reader.destinations(of: old, owner: row.reference).first
        case .reverse(let other)?: found = try lookUp.firstObject(referencingThrough: other, to: row.reference)
        case nil: found = nil
        }
        guard let found else { return nil }
        if let firstOnly, try lookUp.reader.destinations(of: firstOnly, owner: found.reference).first?.reference != row.reference {
            return nil
        }
        if let firstOfReverse, try lookUp.firstObject(referencingThrough: firstOfReverse, to: found.reference)?.reference != row.reference {
            return nil
        }
        return found
    }

    private func order(of row: Row, in owner: ObjectReference, _ reference: Int64, _ lookUp: MigrationLookUp) throws -> OrderKey {
        if case .slot(let slot)? = origin, let order = slot.order.flatMap({ row.order($0) }) { return order }
        if let ordered, let order = try lookUp.order(of: row.reference, among: ordered, of: owner.reference) { return order }
        return OrderKey(behindReference: reference)
    }
}

/// The slots of a to-one relationship that is stored in the object's row.
struct ToOneSlot: Sendable {
    let reference: Slot
    /// The slot of the destination's entity, where there are several.
    let entity: Slot?
    private let onlyEntity: EntityIndex
    /// The slot of the object's order key in the inverse.
    let order: Slot?

    init?(_ relationship: RelationshipDescription) {
        guard case .toOne(let reference, let entity, let order) = relationship.storage else { return nil }
        self.reference = reference
        self.entity = entity
        self.order = order
        onlyEntity = relationship.destination
    }

    func destination(of row: Row) -> ObjectReference? {
        guard let number = row.integer(reference) else { return nil }
        guard let entity else { return ObjectReference(entity: onlyEntity, reference: number) }
        return row.integer(entity).map { ObjectReference(entity: EntityIndex($0), reference: number) }
    }
}

extension OrderKey {
    /// Creates the key of an object among others without a former order: that of their references.
    init(behindReference reference: Int64) {
        let (key, isTooGreat) = reference.multipliedReportingOverflow(by: 1024)
        self.init(rawValue: isTooGreat ? .max : key)
    }
}
