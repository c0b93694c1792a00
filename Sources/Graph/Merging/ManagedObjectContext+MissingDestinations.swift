import StrataModel

extension ManagedObjectContext {
    /// Removes pending references to objects that are not in their stores: no save can store them.
    ///
    /// - Parameters:
    ///   - objects: The objects whose references are checked, new ones among them.
    ///   - deleted: The objects that alone may be missing; `nil` where any may.
    /// - Complexity: O(n) in the pending references, and one read of rows for each entity hierarchy that they
    ///   reference.
    func takeBackReferencesToMissing(of objects: [ManagedObject], among deleted: Set<ObjectID>? = nil) throws {
        let references = objects.flatMap { $0.pendingReferences }.filter { deleted?.contains($0.id) ?? isSaved($0.id) }
        if references.isEmpty { return }
        let existing = try loader.existingIDs(Array(Set(references.map(\.id))))
        let missing = references.filter { !existing.contains($0.id) }
        tracker.unjournaled { for reference in missing { takeBack(reference) } }
        tracker.settle(missing.map(\.object))
    }

    /// Removes all pending references to objects that are not in their stores; an error becomes the last one.
    ///
    /// - Parameter deleted: The objects that alone may be missing; `nil` where any may.
    func takeBackReferencesToMissing(among deleted: Set<ObjectID>? = nil) {
        do { try takeBackReferencesToMissing(of: tracker.changed, among: deleted) } catch { failedAccesses.lastError = error }
    }

    private func isSaved(_ id: ObjectID) -> Bool { !id.isTemporary && registered(id)?.isNew != true }

    private func takeBack(_ reference: PendingReference) {
        let (object, relationship) = (reference.object, reference.relationship)
        tracker.willReplaceValues(of: object, PropertySet(relationship.index))
        if !relationship.isToMany { return RelationshipForgetter(context: self).forgetDestination(of: object, relationship) }
        tracker.forgetAddition(of: reference.id, to: object.extra?.toMany(relationship.index))
        guard let inverse = model.inverse(of: relationship), inverse.isToMany else { return }
        tracker.forgetAddition(of: object.objectID, to: registered(reference.id)?.extra?.toMany(inverse.index))
    }
}

/// An unsaved reference of an object.
private typealias PendingReference = (object: ManagedObject, relationship: RelationshipDescription, id: ObjectID)

extension ManagedObject {
    /// The unsaved references of a changed object, including those of hidden inverses.
    fileprivate final var pendingReferences: [PendingReference] {
        guard hasChanges, !isDeleted, !isInaccessible else { return [] }
        return entity.properties.flatMap { property -> [PendingReference] in
            guard let relationship = property.relationship, !relationship.isTransient else { return [] }
            return pendingDestinationIDs(relationship).map { (self, relationship, $0) }
        }
    }

    final func pendingDestinationIDs(_ relationship: RelationshipDescription) -> [ObjectID] {
        if relationship.isToMany { return extra?.toMany(relationship.index)?.added ?? [] }
        return pendingValue(relationship.index)?.objectID.map { [$0] } ?? []
    }
}
