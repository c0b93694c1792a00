public import StrataModel

/// The properties of a managed object's state, as a conformance of ``ManagedObject`` that its subclasses inherit.
///
/// They are disfavoured, so that a subclass may have members of the same names with other types.
// No refinement of the class, as key paths to members of such a protocol crash the compiler in generic code.
public protocol ManagedObjectMembers: AnyObject {}

extension ManagedObject: ManagedObjectMembers {}

extension ManagedObjectMembers where Self: ManagedObject {
    /// The ID; temporary until the first save.
    @_disfavoredOverload @inlinable
    public var objectID: ObjectID { (self as ManagedObject).objectID }
    /// The object's own entity, which may be a sub-entity of the fetched one.
    @_disfavoredOverload @inlinable
    public var entity: EntityDescription { (self as ManagedObject).entity }
    /// The context; `nil` once the object was deleted and saved, or the context forgot it.
    @_disfavoredOverload @inlinable
    public var managedObjectContext: ManagedObjectContext? { (self as ManagedObject).managedObjectContext }

    /// Whether the object is new: inserted and not yet saved.
    @_disfavoredOverload
    public var isInserted: Bool { (self as ManagedObject).isInserted }
    /// Whether the object was saved before and has changes that are not.
    @_disfavoredOverload
    public var isUpdated: Bool { (self as ManagedObject).isUpdated }
    /// Whether the next save deletes the object.
    @_disfavoredOverload
    public var isDeleted: Bool { (self as ManagedObject).isDeleted }
    /// Whether the object is new, changed or deleted.
    @_disfavoredOverload
    public var hasChanges: Bool { (self as ManagedObject).hasChanges }
    /// Whether the object's attributes were not touched since it was fetched, or are not here at all.
    @_disfavoredOverload
    public var isFault: Bool { (self as ManagedObject).isFault }

    /// Whether the persistent values differ from those in the store.
    ///
    /// Fires no fault.
    @_disfavoredOverload
    public var hasPersistentChangedValues: Bool {
        guard hasChanges, extra != nil else { return isInserted }
        if isInserted { return true }
        return entity.properties.contains { property in
            switch property {
            case .attribute(let attribute):
                attribute.slot != nil
                    && pendingValue(attribute.index).map { $0 != storedValue(entity.propertySlots[attribute.index]) } ?? false
            case .relationship(let relationship):
                relationship.isToMany ? extra?.toMany(relationship.index)?.hasChanges ?? false : changesDestination(relationship)
            }
        }
    }

    /// Returns whether the destinations of a to-many relationship are not loaded.
    @_disfavoredOverload
    public func hasFault(forRelationshipNamed name: String) -> Bool {
        guard let relationship = entity.relationship(named: name), relationship.isToMany else { return false }
        return !(extra?.toMany(relationship.index)?.isLoaded ?? false) && !isNew
    }
}
