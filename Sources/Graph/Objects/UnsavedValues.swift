import StrataCoordinator
import StrataModel

/// A value that a property is set to.
struct NewValue {
    let value: Value
    let slot: PropertySlot
    /// Whether the attribute cannot hold the value.
    var isUnfit = false
}

/// The unsaved values of one object in the form of a row, which a save takes as it is where the object is new.
///
/// Values that a row cannot hold are kept beside it: those of properties without a slot, those out of their attributes'
/// range, long ones, and destinations whose IDs cannot be derived from the row.
///
/// They are not copied to be read, as each of their parts would be retained.
// Safe: it alone retains the other values.
@safe struct UnsavedValues: ~Copyable {
    private var held = PropertiesOfObject()
    private var pendingRow = PendingRow()
    private var holder = Holder.none
    /// The store of the references in the pending row, besides temporary ones.
    private var scopes: ObjectIDScopes?
    // Unmanaged, as most objects have none: there is nothing to release.
    @safe private var otherValues: Unmanaged<OtherValues>?

    /// Who shares the pending row: a shared one is copied before changes.
    private enum Holder {
        case none
        /// A save, exclusively until it ends.
        case save
        case others
    }

    private final class OtherValues {
        @safe @exclusivity(unchecked) var values: ContiguousArray<(property: Int, value: Value)> = []
    }

    init() { otherValues = nil }
    deinit { unsafe otherValues?.release() }

    /// The values that are not in the row.
    private var others: ContiguousArray<(property: Int, value: Value)> {
        get { unsafe otherValues?._withUnsafeGuaranteedRef { $0.values } ?? [] }
        set {
            if unsafe otherValues == nil {
                if newValue.isEmpty { return }
                otherValues = unsafe Unmanaged.passRetained(OtherValues())
            }
            unsafe otherValues?._withUnsafeGuaranteedRef { $0.values = newValue }
        }
    }

    /// Whether the row holds all values.
    @inline(__always)
    private var hasNoOthers: Bool { unsafe otherValues == nil || otherValues?._withUnsafeGuaranteedRef { $0.values.isEmpty } == true }

    var properties: PropertySet { held.set }
    var isEmpty: Bool { held.isEmpty }

    @inline(__always)
    func contains(_ property: Int) -> Bool { held.contains(property) }

    /// Returns the pending row where it holds the value of a property.
    @inline(__always)
    func row(_ property: Int) -> Row? {
        !pendingRow.exists || (!hasNoOthers && others.contains { $0.property == property }) ? nil : pendingRow.row
    }

    func value(_ property: Int, of object: ManagedObject) -> Value? {
        guard held.contains(property) else { return nil }
        if let other = others.first(where: { $0.property == property }) { return other.value }
        let propertySlot = object.entity.propertySlots[property]
        guard pendingRow.exists, let slot = propertySlot.slot else { return .null }
        let row = pendingRow.row
        if propertySlot.kind == .reference { return destination(slot, property, of: object, in: row).map { .objectID($0) } ?? .null }
        return row.value(slot, propertySlot.kind)
    }

    func isNull(_ propertySlot: PropertySlot) -> Bool {
        guard held.contains(propertySlot.property) else { return false }
        if let other = others.first(where: { $0.property == propertySlot.property }) { return other.value.isNull }
        guard pendingRow.exists, let slot = propertySlot.slot else { return true }
        return pendingRow.row.isNull(slot)
    }

    func referencesNew(_ slot: Slot) -> Bool { pendingRow.exists && pendingRow.row.integer(slot) ?? 0 < 0 }

    /// Returns whether the pending row holds a reference, or other values are kept.
    func mayReferenceAny(_ slot: Slot) -> Bool {
        if !hasNoOthers { return true }
        // Without a row of its own, whose memory would be retained.
        if slot.rawValue < UInt64.bitWidth { return pendingRow.exists && pendingRow.holds(slots: 1 << UInt64(slot.rawValue)) }
        return pendingRow.exists && !pendingRow.row.isNull(slot)
    }

    var isWholeRow: Bool { hasNoOthers }

    /// Returns whether the pending row is complete, with a value in each of some slots below 64: a bit for each.
    func holdsAll(slots: UInt64) -> Bool { hasNoOthers && pendingRow.exists && pendingRow.holds(slots: slots) }

    /// Returns the number of references in some slots below 64, a bit for each, where the pending row is complete; `nil`
    /// where any is permanent.
    func newReferenceCount(slots: UInt64) -> Int? { hasNoOthers && pendingRow.exists ? pendingRow.temporaryCount(slots: slots) : nil }

    /// Returns whether the pending row holds all pending values, and those of some properties with slots below 64 are not nil.
    func keeps(_ required: [PropertySlot]) -> Bool {
        let slots = required.reduce(UInt64(0)) { $0 | (held.contains($1.property) ? 1 << UInt64($1.slot?.rawValue ?? 0) : 0) }
        return hasNoOthers && pendingRow.exists && pendingRow.holds(slots: slots)
    }

    private func destination(_ slot: Slot, _ property: Int, of object: ManagedObject, in row: Row) -> ObjectID? {
        guard let reference = row.integer(slot), let context = object.managedObjectContext,
            let relationship = object.entity.properties[property].relationship
        else { return nil }
        let entity = row.destinationEntity(relationship.entitySlot, of: relationship)
        if reference < 0 { return context.identity.temporaryID(entity, reference) }
        return scopes.map { ObjectID(scope: $0[entity], reference: reference) }
    }

    /// Makes a value pending.
    ///
    /// - Parameter pendingRows: The memory of pending rows; `nil` for an object that no context saves.
    mutating func set(_ new: NewValue, of object: ManagedObject, _ pendingRows: PendingRows?) {
        let (value, propertySlot, isUnfit) = (new.value, new.slot, new.isUnfit)
        held.insert(propertySlot.property)
        if !hasNoOthers { others.removeAll { $0.property == propertySlot.property } }
        guard let slot = propertySlot.slot, let pendingRows else { return others.append((propertySlot.property, value)) }
        if !pendingRow.exists || holder != .none { own(object.objectID.scope, pendingRows) }
        let isHeld =
            if propertySlot.kind == .reference {
                set(value, slot, propertySlot.property, of: object, pendingRows)
            } else {
                pendingRows.set(isUnfit ? .null : value, at: slot, propertySlot.kind, in: &pendingRow) && !isUnfit
            }
        if !isHeld { others.append((propertySlot.property, value)) }
    }

    /// Makes an attribute's value pending in a pending row that is not shared, which holds all values, where the attribute
    /// holds it unchanged.
    ///
    /// - Returns: Whether it is pending; else it is still to be set.
    @inline(__always)
    mutating func setSlot(_ value: Value, _ propertySlot: PropertySlot, _ scope: ObjectIDScope, _ pendingRows: PendingRows) -> Bool {
        guard holder == .none, hasNoOthers, let slot = propertySlot.slot else { return false }
        if !pendingRow.exists { pendingRow = pendingRows.begin(scope) }
        guard value.fits(propertySlot.kind), pendingRows.set(value, at: slot, propertySlot.kind, in: &pendingRow)
        else { return false }
        held.insert(propertySlot.property)
        return true
    }

    /// Sets the slot of a number, as ``setSlot(_:_:_:_:)``.
    @inline(__always)
    mutating func setWord(_ word: UInt64, _ propertySlot: PropertySlot, _ scope: ObjectIDScope, _ pendingRows: PendingRows) -> Bool {
        guard holder == .none, hasNoOthers, let slot = propertySlot.slot,
            propertySlot.kind != .integer || pendingRows.holds(Int64(bitPattern: word), at: slot, scope)
        else { return false }
        if !pendingRow.exists { pendingRow = pendingRows.begin(scope) }
        pendingRow.setReference(Int64(bitPattern: word), at: slot)
        held.insert(propertySlot.property)
        return true
    }

    /// Makes the destination of a to-one relationship pending, as ``setSlot(_:_:_:_:)`` an attribute's value.
    mutating func setReference(_ value: Value, _ propertySlot: PropertySlot, of object: ManagedObject, _ pendingRows: PendingRows) -> Bool {
        guard holder == .none, hasNoOthers, let slot = propertySlot.slot else { return false }
        if !pendingRow.exists { pendingRow = pendingRows.begin(object.objectID.scope) }
        guard set(value, slot, propertySlot.property, of: object, pendingRows) else { return false }
        held.insert(propertySlot.property)
        return true
    }

    /// Makes the destination of a to-one relationship pending that has none, and whose destinations are of one entity.
    ///
    /// - Parameter scope: That of the object's ID.
    @inline(__always)
    mutating func setReference(
        _ id: ObjectID, _ propertySlot: PropertySlot, _ scope: ObjectIDScope, _ context: ManagedObjectContext
    ) -> Bool {
        guard holder == .none, hasNoOthers, let slot = propertySlot.slot, hasScope(of: id, context) else { return false }
        if !pendingRow.exists { pendingRow = context.tracker.pendingRows.begin(scope) }
        guard slot.rawValue < UInt64.bitWidth, !pendingRow.holds(slots: 1 << UInt64(slot.rawValue)) else { return false }
        pendingRow.setReference(id.reference, at: slot)
        held.insert(propertySlot.property)
        return true
    }

    /// - Returns: Whether the pending row holds the destination.
    private mutating func set(_ value: Value, _ slot: Slot, _ property: Int, of object: ManagedObject, _ pendingRows: PendingRows) -> Bool {
        guard let relationship = object.entity.properties[property].relationship else { return false }
        let id: ObjectID? =
            if case .objectID(let id) = value, let context = object.managedObjectContext,
                relationship.entitySlot != nil || id.scope.entityIndex == relationship.destination, hasScope(of: id, context)
            { id } else { nil }
        _ = pendingRows.set(id.map { .int($0.reference) } ?? .null, at: slot, .reference, in: &pendingRow)
        if let entitySlot = relationship.entitySlot {
            let entity = id.map { Value.int(Int64($0.scope.entityIndex.rawValue)) }
            _ = pendingRows.set(entity ?? .null, at: entitySlot, .entity, in: &pendingRow)
        }
        return id != nil || value.isNull
    }

    /// Returns whether an ID follows from its reference and entity.
    @inline(__always)
    private mutating func hasScope(of id: ObjectID, _ context: ManagedObjectContext) -> Bool {
        if id.isTemporary { return context.identity.isOfNewObject(id) }
        guard id.reference > 0 else { return false }
        if scopes == nil { scopes = try? context.loader.scopes(of: id) }
        return scopes.map { $0[id.scope.entityIndex] == id.scope } ?? false
    }

    mutating func forget(_ property: Int, _ entity: EntityDescription, _ pendingRows: PendingRows) {
        guard held.contains(property) else { return }
        held.remove(property)
        if !hasNoOthers { others.removeAll { $0.property == property } }
        let propertySlot = entity.propertySlots[property]
        guard pendingRow.exists, let slot = propertySlot.slot else { return }
        unshare(pendingRows)
        _ = pendingRows.set(.null, at: slot, propertySlot.kind, in: &pendingRow)
        if let entitySlot = entity.properties[property].relationship?.entitySlot {
            _ = pendingRows.set(.null, at: entitySlot, .entity, in: &pendingRow)
        }
    }

    mutating func dropStored(_ propertySlots: [PropertySlot]) {
        pendingRow = PendingRow()
        holder = .none
        scopes = nil
        others.removeAll { propertySlots[$0.property].slot != nil }
        held.set = PropertySet()
        for (property, _) in others { held.insert(property) }
    }

    mutating func rename(of object: ManagedObject, _ newID: (ObjectID) -> ObjectID, _ pendingRows: PendingRows) {
        for propertySlot in object.entity.propertySlots where propertySlot.kind == .reference && held.contains(propertySlot.property) {
            if case .objectID(let id)? = value(propertySlot.property, of: object), id.isTemporary {
                set(NewValue(value: .objectID(newID(id)), slot: propertySlot), of: object, pendingRows)
            }
        }
    }

    /// Makes the pending row exclusive, or creates one.
    private mutating func own(_ scope: ObjectIDScope, _ pendingRows: PendingRows) {
        if !pendingRow.exists { pendingRow = pendingRows.begin(scope) } else { unshare(pendingRows) }
        holder = .none
    }

    private mutating func unshare(_ pendingRows: PendingRows) {
        if holder != .none { pendingRow = pendingRows.copy(pendingRow) }
        holder = .none
    }

    /// Takes all values of a row, for an object without any.
    ///
    /// - Parameter scopes: Those of the store that the references in the row are of.
    mutating func adopt(_ row: Row, _ entity: EntityDescription, _ scopes: ObjectIDScopes?) {
        pendingRow = PendingRow(row)
        holder = .others
        self.scopes = scopes
        for propertySlot in entity.propertySlots where propertySlot.slot != nil { held.insert(propertySlot.property) }
    }

    /// Returns the values as an immutable row; `nil` where it is incomplete.
    ///
    /// - Parameter isExclusive: Whether only the caller has the row, as a save.
    /// - Complexity: O(1) mostly.
    mutating func take(_ id: ObjectID, exclusively isExclusive: Bool, _ pendingRows: PendingRows) -> Row? {
        if !hasNoOthers, others.contains(where: { id.entity.propertySlots[$0.property].slot != nil }) { return nil }
        let isFinished = holder != .none && pendingRow.row.reference == id.reference
        if isFinished && !(isExclusive && holder == .others) {
            if !isExclusive { holder = .others }
            return pendingRow.row
        }
        if holder != .none || !pendingRow.exists { own(id.scope, pendingRows) }
        holder = isExclusive ? .save : .others
        return pendingRows.take(&pendingRow, reference: id.reference)
    }

    /// Takes the values of a failed save back, which may have replaced references.
    mutating func takeBack(of object: ManagedObject, _ given: GivenReferences, _ pendingRows: PendingRows) {
        guard holder == .save else { return }
        // A store may have the save's row all the same.
        own(object.objectID.scope, pendingRows)
        given.putBack(in: pendingRow)
    }

    mutating func copy() -> UnsavedValues {
        if pendingRow.exists { holder = .others }
        return UnsavedValues(sharing: self)
    }

    private init(sharing other: borrowing UnsavedValues) {
        self.init()
        held.set = other.properties
        (pendingRow, holder, scopes) = (other.pendingRow, other.holder, other.scopes)
        others = other.others
    }
}
