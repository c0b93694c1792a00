import StrataCoordinator
import StrataModel
import StrataQuery

/// What the short path of an assigned to-one relationship needs to know of it: the destinations are of one entity, and
/// the inverse is to-many, without order, and in the rows of the objects.
// Safe: the model of the context, which has the link, retains the inverse.
@safe struct PlainLink {
    /// The scope of the object that has the relationship.
    let scope: ObjectIDScope
    let property: Int
    let destination: EntityIndex
    // Unmanaged, as each assignment looks at it.
    @safe fileprivate let inverse: Unmanaged<RelationshipDescription>

    init?(_ relationship: RelationshipDescription, of scope: ObjectIDScope, in model: ManagedObjectModel) {
        guard case .toOne(_, entity: nil, order: nil) = relationship.storage, let inverse = model.inverse(of: relationship),
            inverse.isToMany, !inverse.isOrdered, !inverse.isTransient
        else { return nil }
        self.scope = scope
        property = relationship.index
        destination = relationship.destination
        self.inverse = unsafe Unmanaged.passUnretained(inverse)
    }
}

/// The plain links of the relationships that were assigned last, by the last bits of the property.
struct PlainLinks {
    private var links: [PlainLink?] = []

    /// Returns the plain link of a relationship where it was assigned last.
    @inline(__always)
    subscript(scope: ObjectIDScope, property: Int) -> PlainLink? {
        guard !links.isEmpty, let link = links[property & 7], link.scope == scope, link.property == property else { return nil }
        return link
    }

    mutating func note(_ relationship: RelationshipDescription, of scope: ObjectIDScope, in model: ManagedObjectModel) {
        guard self[scope, relationship.index] == nil, let link = PlainLink(relationship, of: scope, in: model) else { return }
        if links.isEmpty { links = Array(repeating: nil, count: 8) }
        links[link.property & 7] = link
    }
}

extension ManagedObject {
    /// Relates an object without a destination to another one, as most assignments do: where nothing has to know of the
    /// change, and no row is read for it.
    ///
    /// - Returns: Whether it is related; else ``set(_:_:)-(ManagedObject?,_)`` does all that is to be done.
    final func relatesPlainly(to destination: ManagedObject, _ key: KeySlot) -> Bool {
        guard flags.rawValue & ObjectFlags.unrelatable == 0, destination.flags.rawValue & ObjectFlags.unrelatableDestination == 0,
            let propertySlot = key.slot(serial: objectID.scope.entitySerial), let slot = propertySlot.slot,
            row?.isNull(slot) ?? isNew
        else { return false }
        return withContext { context in
            guard destination.isIn(context), !context.options.semantics.retainsDestinations,
                let link = context.modelCache.plainLinks[objectID.scope, propertySlot.property],
                link.destination == destination.entityIndex
            else { return false }
            #if DEBUG
                context.assertQueue()
            #endif
            return context.tracker.relate(self, propertySlot, to: destination, link, context)
        } == true
    }
}

extension ChangeTracker {
    /// Makes a destination pending, and adds the object to the inverse of that.
    ///
    /// - Returns: Whether it is done; else nothing is changed.
    @inline(__always)
    fileprivate func relate(
        _ object: ManagedObject, _ propertySlot: PropertySlot, to destination: ManagedObject, _ link: PlainLink,
        _ context: ManagedObjectContext
    ) -> Bool {
        guard records(nothingOf: object), records(nothingOf: destination), list.indexes.referrers == nil, ownersOfOlderRows.isEmpty
        else { return false }
        object.beginExtra(token)
        let isSet = object.withExtra { $0.setReference(destination.objectID, propertySlot, of: object, context, token) }
        guard isSet == true else { return false }
        notePlainChange(of: object)
        let id = object.objectID
        // No save stored it: the object's row has no destination.
        let isAdded = unsafe link.inverse._withUnsafeGuaranteedRef { inverse in
            destination.beginState(inverse, token)
            return destination.withExtra { $0.withToMany(inverse.index) { $0.add(id, wasSaved: false, token) } }
        }
        if isAdded == true { notePlainChange(of: destination) }
        return true
    }
}

extension RelationshipDescription {
    /// The slot of the destination's entity, where there are several.
    var entitySlot: Slot? {
        if case .toOne(_, let entitySlot, _) = storage { entitySlot } else { nil }
    }
}
