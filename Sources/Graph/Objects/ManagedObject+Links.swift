import StrataModel

// Many-to-many relationships. A link belongs to both ends, neither of which has to be loaded to change it.

extension ManagedObject {
    /// Adds a link at both ends.
    ///
    /// - Parameter inChild: Whether a save stored the link, where a child context knows that.
    /// - Throws: The error of reading the destinations, where the link was removed before and neither end is loaded.
    final func link(
        _ object: ManagedObject, _ relationship: RelationshipDescription, _ inverse: RelationshipDescription, wasSaved inChild: Bool? = nil
    ) throws {
        let (state, other) = (extra?.toMany(relationship.index), object.extra?.toMany(inverse.index))
        if let state, state.isLoaded {
            if state.contains(object.objectID) { return }
        } else if let other, other.isLoaded {
            if other.contains(objectID) { return }
        } else if let state, state.isAdded(object.objectID) {
            return
        } else if let state, state.isRemoved(object.objectID), state.pendingWasSaved(object.objectID) == nil {
            // Only the store knows whether this link is new.
            _ = try loadedState(relationship)
        }
        // Determined once: the first end that is changed may be the only one to know.
        let wasSaved = wasSaved(object, in: relationship, self.state(relationship)) ?? inChild
        note(object, addedTo: relationship, wasSaved: wasSaved)
        object.note(self, addedTo: inverse, wasSaved: wasSaved)
    }

    /// Removes a link at both ends.
    ///
    /// - Parameter inChild: Whether a save stored the link, where a child context knows that.
    /// - Throws: The error of reading the destinations, where the link was added here before and neither end is loaded.
    final func unlink(
        _ object: ManagedObject, _ relationship: RelationshipDescription, _ inverse: RelationshipDescription, wasSaved inChild: Bool? = nil
    ) throws {
        let (state, other) = (extra?.toMany(relationship.index), object.extra?.toMany(inverse.index))
        let isLoaded = (own: state?.isLoaded ?? isNew, other: other?.isLoaded ?? object.isNew)
        if isLoaded.own || isLoaded.other {
            // A blind removal at an unloaded end would remove a link that others added.
            let isLinked =
                (isLoaded.own && state?.contains(object.objectID) == true) || (isLoaded.other && other?.contains(objectID) == true)
            if !isLinked { return }
        } else if let state, state.isRemoved(object.objectID) {
            return
        } else if let state, state.isAdded(object.objectID), state.pendingWasSaved(object.objectID) == nil {
            _ = try loadedState(relationship)
        }
        let wasSaved = wasSaved(object, in: relationship, self.state(relationship)) ?? inChild
        note(object.objectID, removedFrom: relationship, wasSaved: wasSaved)
        object.note(objectID, removedFrom: inverse, wasSaved: wasSaved)
    }

    /// Returns whether a save stored a destination of a to-many relationship, as far as that is known without a read.
    ///
    /// An end that is not loaded learns it from the other one: from the row of an object whose inverse is to-one, from
    /// the loaded destinations where it is to-many.
    final func wasSaved(_ object: ManagedObject, in relationship: RelationshipDescription, _ state: ToManyState) -> Bool? {
        if isNew || object.isNew { return false }
        if relationship.isTransient { return nil }
        guard let inverse = withContext({ $0.model.inverse(of: relationship) }) ?? nil else { return nil }
        if !inverse.isToMany { return wasSaved(object, in: relationship, inverse) }
        let other = object.extra?.toMany(inverse.index)
        // The ends may have been loaded at different moments: a pending change is based on what its end knew.
        return state.pendingWasSaved(object.objectID) ?? other?.pendingWasSaved(objectID) ?? state.loadedWasSaved(object.objectID)
            ?? other?.loadedWasSaved(objectID)
    }

    /// Returns the same for a relationship with a to-one inverse.
    final func wasSaved(_ object: ManagedObject, in relationship: RelationshipDescription, _ inverse: RelationshipDescription) -> Bool? {
        if isNew || object.isNew { return false }
        return relationship.isTransient ? nil : object.row.map { object.destinationID(inverse, in: $0) == objectID }
    }
}
