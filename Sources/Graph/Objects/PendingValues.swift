import StrataCoordinator
import StrataModel

/// The values of one object that no save has stored, in the form of a row: what a save hands over where the object is new.
///
/// What a row cannot hold is kept beside it: values of properties without a slot, those that are out of the range of their attributes, long
/// ones, and destinations whose IDs cannot be told from the row.
struct PendingValues {
    /// The properties with a pending value, be it nil.
    private(set) var properties = PropertySet()
    private var draft = RowDraft()
    private var holder = Holder.none
    /// The store whose references the draft holds, besides temporary ones.
    private var scopes: ObjectIDScopes?
    private var others: ContiguousArray<(property: Int, value: Value)> = []

    /// Who has the draft besides: where anybody does it is not changed any more, but another one made.
    private enum Holder {
        case none
        /// A save, which has it alone until it is over.
        case save
        case others
    }

    var isEmpty: Bool { properties.isEmpty }

    // MARK: - Reading

    /// Returns the draft, where it says what the value of a property is.
    @inline(__always)
    func row(_ property: Int) -> Row? {
        !draft.exists || (!others.isEmpty && others.contains { $0.property == property }) ? nil : draft.row
    }

    /// Returns the pending value of a property of an object; `nil` where none is pending.
    func value(_ property: Int, of object: ManagedObject) -> Value? {
        guard properties.contains(property) else { return nil }
        if let other = others.first(where: { $0.property == property }) { return other.value }
        let propertySlot = object.entity.propertySlots[property]
        guard draft.exists, let slot = propertySlot.slot else { return .null }
        let row = draft.row
        if propertySlot.kind == .reference { return destination(slot, property, of: object, in: row).map { .objectID($0) } ?? .null }
        return row.value(slot, propertySlot.kind)
    }

    /// Returns whether a property has the pending value nil.
    func isNull(_ propertySlot: PropertySlot) -> Bool {
        guard properties.contains(propertySlot.property) else { return false }
        if let other = others.first(where: { $0.property == propertySlot.property }) { return other.value.isNull }
        guard draft.exists, let slot = propertySlot.slot else { return true }
        return draft.row.isNull(slot)
    }

    /// Returns whether the draft holds a temporary reference.
    func leadsToNew(_ slot: Slot) -> Bool { draft.exists && draft.row.integer(slot) ?? 0 < 0 }

    /// Returns whether the draft holds a reference, or something is held that a draft cannot.
    func mayLeadSomewhere(_ slot: Slot) -> Bool { !others.isEmpty || (draft.exists && !draft.row.isNull(slot)) }

    /// Whether the draft is all there is.
    var isWholeRow: Bool { others.isEmpty }

    /// Returns whether the draft is all there is, and holds a value in each of some of the first 64 slots: a bit for
    /// each.
    func holdsAll(slots: UInt64) -> Bool { others.isEmpty && draft.exists && draft.holds(slots: slots) }

    private func destination(_ slot: Slot, _ property: Int, of object: ManagedObject, in row: Row) -> ObjectID? {
        guard let reference = row.integer(slot), let context = object.managedObjectContext,
            let relationship = object.entity.properties[property].relationship
        else { return nil }
        let entity = row.destinationEntity(relationship.entitySlot, of: relationship)
        if reference < 0 { return context.identity.temporaryID(entity, reference) }
        return scopes.map { ObjectID(scope: $0[entity], reference: reference) }
    }

    // MARK: - Changing

    /// Makes a value pending.
    ///
    /// - Parameters:
    ///   - isUnfit: Whether the attribute cannot hold it.
    ///   - drafts: Where the draft lies; `nil` for an object that no context saves.
    mutating func set(_ value: Value, _ propertySlot: PropertySlot, of object: ManagedObject, isUnfit: Bool, _ drafts: RowDrafts?) {
        properties.insert(propertySlot.property)
        if !others.isEmpty { others.removeAll { $0.property == propertySlot.property } }
        guard let slot = propertySlot.slot, let drafts else { return others.append((propertySlot.property, value)) }
        if !draft.exists || holder != .none { own(object.entity, drafts) }
        let isHeld =
            if propertySlot.kind == .reference {
                set(value, slot, propertySlot.property, of: object, drafts)
            } else {
                drafts.set(isUnfit ? .null : value, at: slot, propertySlot.kind, in: &draft) && !isUnfit
            }
        if !isHeld { others.append((propertySlot.property, value)) }
    }

    /// - Returns: Whether the draft says what the destination is.
    private mutating func set(
        _ value: Value, _ slot: Slot, _ property: Int, of object: ManagedObject, _ drafts: RowDrafts
    ) -> Bool {
        guard let relationship = object.entity.properties[property].relationship else { return false }
        let id: ObjectID? =
            if case .objectID(let id) = value, let context = object.managedObjectContext,
                hasScope(of: id, relationship, context)
            { id } else { nil }
        drafts.set(id?.reference, at: slot, in: draft)
        if let entitySlot = relationship.entitySlot { drafts.set((id?.entity.index.rawValue).map { Int64($0) }, at: entitySlot, in: draft) }
        return id != nil || value.isNull
    }

    /// Returns whether an ID is told by its reference and its entity.
    private mutating func hasScope(of id: ObjectID, _ relationship: RelationshipDescription, _ context: ManagedObjectContext) -> Bool {
        let entity = id.entity.index
        guard relationship.entitySlot != nil || entity == relationship.destination else { return false }
        if id.isTemporary { return context.identity.temporaryID(entity, id.reference).scope === id.scope }
        guard id.reference > 0 else { return false }
        if scopes == nil { scopes = try? context.loader.scopes(of: id) }
        return scopes.map { $0[entity] === id.scope } ?? false
    }

    /// Forgets a pending value.
    mutating func forget(_ property: Int, _ entity: EntityDescription, _ drafts: RowDrafts) {
        guard properties.contains(property) else { return }
        properties.remove(property)
        if !others.isEmpty { others.removeAll { $0.property == property } }
        let propertySlot = entity.propertySlots[property]
        guard draft.exists, let slot = propertySlot.slot else { return }
        own(entity, drafts)
        drafts.clear(slot, propertySlot.kind, in: draft)
        if let entitySlot = entity.properties[property].relationship?.entitySlot { drafts.clear(entitySlot, .entity, in: draft) }
    }

    /// Forgets the pending values that a row holds now; those of transient properties stay.
    mutating func dropStored(_ propertySlots: [PropertySlot]) {
        draft = RowDraft()
        holder = .none
        scopes = nil
        others.removeAll { propertySlots[$0.property].slot != nil }
        properties = PropertySet()
        for (property, _) in others { properties.insert(property) }
    }

    /// Has destinations be named by other IDs.
    mutating func rename(of object: ManagedObject, _ newID: (ObjectID) -> ObjectID, _ drafts: RowDrafts) {
        for propertySlot in object.entity.propertySlots where propertySlot.kind == .reference && properties.contains(propertySlot.property)
        {
            if case .objectID(let id)? = value(propertySlot.property, of: object), id.isTemporary {
                set(.objectID(newID(id)), propertySlot, of: object, isUnfit: false, drafts)
            }
        }
    }

    /// Has there be a draft that nobody else has.
    private mutating func own(_ entity: EntityDescription, _ drafts: RowDrafts) {
        if !draft.exists { draft = drafts.begin(entity) } else if holder != .none { draft = drafts.copy(draft) }
        holder = .none
    }

    // MARK: - Handing over

    /// Takes the values of a row of an object that has none, all of them.
    ///
    /// - Parameter scopes: Those of the store that the references in the row are of.
    mutating func adopt(_ row: Row, _ entity: EntityDescription, _ scopes: ObjectIDScopes?) {
        draft = RowDraft(row)
        holder = .others
        self.scopes = scopes
        for propertySlot in entity.propertySlots where propertySlot.slot != nil { properties.insert(propertySlot.property) }
    }

    /// Returns the values as a row, which is not changed any more; `nil` where the draft does not hold all that a row
    /// does.
    ///
    /// - Parameter isExclusive: Whether nobody else has the row: a save does.
    /// - Complexity: O(1) mostly.
    mutating func take(_ entity: EntityDescription, reference: Int64, exclusively isExclusive: Bool, _ drafts: RowDrafts) -> Row? {
        if others.contains(where: { entity.propertySlots[$0.property].slot != nil }) { return nil }
        let isFinished = holder != .none && draft.row.reference == reference
        if isFinished && !(isExclusive && holder == .others) {
            if !isExclusive { holder = .others }
            return draft.row
        }
        own(entity, drafts)
        holder = isExclusive ? .save : .others
        return drafts.take(&draft, reference: reference)
    }

    /// Takes the values back that a save had, which failed and may have put other references in their place.
    mutating func takeBack(of object: ManagedObject, _ given: GivenReferences, _ drafts: RowDrafts) {
        guard holder == .save else { return }
        // What the save had may be in a store all the same.
        own(object.entity, drafts)
        given.putBack(in: draft)
    }

    /// Returns the same values, apart from these.
    mutating func copy() -> PendingValues {
        if draft.exists { holder = .others }
        return self
    }
}

extension RelationshipDescription {
    /// The slot that says of which entity the destination is, where there is a choice.
    fileprivate var entitySlot: Slot? {
        if case .toOne(_, let entitySlot, _) = storage { entitySlot } else { nil }
    }
}
