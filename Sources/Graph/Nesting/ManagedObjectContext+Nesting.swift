public import Dispatch
import StrataCoordinator
import StrataModel

extension ManagedObjectContext {
    /// A child of a context on the same queue or actor: a scratch pad over another one.
    ///
    /// A child fetches what its parent has, changes that are not saved among it, and its ``save()`` gives what it
    /// changed to the parent, all or nothing, which is then changed and not saved itself. No store changes until the
    /// parents are saved in their turn, the last of which has the coordinator. What is thrown away with a child was
    /// never in its parent.
    ///
    /// ```swift
    /// let form = ManagedObjectContext(parent: container.viewContext)
    /// let person = try form.existingObject(with: id)
    /// …
    /// try form.save()                      // The view context has it now.
    /// try container.viewContext.save()     // And now the store.
    /// ```
    /// A save of a child validates its objects, and follows their delete rules; whether a constraint keeps them out is
    /// for the coordinator to find. Of a child and its parent the last one to save a property wins; what the parent has
    /// deleted is a conflict, to be solved by the child's ``mergePolicy``. New objects keep their temporary IDs until
    /// the last context saves them, unless permanent ones are requested; then a child has them from its next fetch,
    /// fault or save on. Transient values stay where they were set, and so do the changes of a parent that a child has
    /// read before: ``refresh(_:mergeChanges:)`` reads them, and ``automaticallyMergesChangesFromParent`` has them come
    /// by themselves. Dictionaries and groups are of what is in the stores, as they are of any context.
    ///
    /// A child keeps its parent alive.
    public convenience init(parent: ManagedObjectContext) { self.init(parent: .same(parent), on: parent.executor) }

    /// Creates a child of a context with a queue of its own, for an actor or another creator; see
    /// ``init(parent:)-(ManagedObjectContext)``.
    ///
    /// Reads wait for the parent's queue.
    ///
    /// - Parameters:
    ///   - parent: The context that it saves to.
    ///   - queue: The queue that the child is used on, where it is one queue.
    ///   - isolation: The actor that the child is used on: the caller's by default.
    public convenience init(parent: BackgroundContext, queue: DispatchQueue? = nil, isolation: (any Actor)? = #isolation) {
        self.init(parent: .queue(parent), on: ContextExecutor(queue, isolation))
    }

    /// Creates a child on an executor that the caller manages, of a parent on another such executor.
    package convenience init(parent: ManagedObjectContext, on parentExecutor: any ExternalExecutor, executor: any ExternalExecutor) {
        self.init(parent: .external(parentExecutor, parent), on: .external(executor))
    }

    convenience init(parent link: ParentContext.Link, on executor: ContextExecutor) {
        let introduction = link.perform { parent in
            let children = parent.children ?? ChildContexts()
            parent.children = children
            parent.identity.registrationFlag.begin()
            return ParentContext.Introduction(
                coordinator: parent.coordinator, temporaryScopes: parent.identity.temporaryScopes, children: children,
                isChild: parent.parent != nil)
        }
        let parent = ParentContext(link, introduction)
        self.init(parent, over: introduction.coordinator, introduction.temporaryScopes, executor)
        parent.child = self
        parent.setInbox(remoteChanges.inbox)
    }

    /// The parent; `nil` of a context over a coordinator.
    var parent: ParentContext? { source as? ParentContext }

    /// Passes all changes to the parent, and clears them here.
    func save(to parent: ParentContext) throws -> ContextChangesBuilder {
        try retryingRenames {
            parent.catchUp()
            var builder = ContextChangesBuilder(self)
            try builder.build()
            if !builder.changes.isEmpty { try parent.save(builder.changes) }
            return builder
        }
    }

    func take(_ changes: ContextChanges, from child: Int) throws {
        assertQueue()
        endEvent()
        var adoption = ContextChangesAdoption(changes, in: self)
        try adoption.run()
        endEvent()
        guard let children, children.areListening else { return }
        let updated = changes.updated.map(\.id) + changes.members.map(\.id)
        let remote = RemoteChanges(inserted: adoption.made.map(\.objectID), updated: updated, deleted: changes.deleted.map(\.id))
        children.notify(remote, except: child)
    }

    /// Records new IDs of the parent's objects.
    ///
    /// - Complexity: O(n) in the registered objects of the entities that may reference them, where there are any.
    func take(_ newIDs: [ChildContexts.NewID]) {
        if newIDs.isEmpty { return }
        var ids: [Int64: ObjectID] = [:]
        var renamed: [ManagedObject] = []
        for (temporary, id) in newIDs {
            ids[temporary] = id
            let old = identity.temporaryID(id.scope.entityIndex, temporary)
            if let object = identity[old] {
                // A save of the parent united it with another object, which is registered, too.
                if let survivor = identity[id], survivor !== object {
                    tracker.unite(object, with: survivor)
                    leave(object, for: survivor)
                    continue
                }
                identity.rename(object, to: id, remembering: true)
                renamed.append(object)
            } else if children != nil {
                identity.redirect(old, to: id)
            }
            children?.notify(temporary, id)
        }
        loader.forgetRows()
        var renamer = RowRenamer(ids: ids)
        func newID(_ id: ObjectID) -> ObjectID { id.isTemporary ? ids[id.reference] ?? id : id }
        for object in renamed + objects(referencingAnyOf: Set(newIDs.map(\.id.entity.root))) {
            if let row = object.row { object.row = renamer.renamed(row, of: object.entity) }
            tracker.rename(object, newID)
        }
    }
}

/// Replaces the references in rows.
private struct RowRenamer {
    let ids: [Int64: ObjectID]
    var writer = RowWriter(chunkSize: 1024)

    /// Returns a row with current references; that of a new object has no known version.
    mutating func renamed(_ row: Row, of entity: EntityDescription) -> Row {
        var references: [(slot: Slot, reference: Int64)] = []
        for propertySlot in entity.propertySlots where propertySlot.kind == .reference {
            guard let slot = propertySlot.slot, let old = row.integer(slot), old < 0, let id = ids[old] else { continue }
            references.append((slot, id.reference))
        }
        let own = row.reference < 0 ? ids[row.reference] : nil
        if own == nil && references.isEmpty { return row }
        writer.begin(copying: row, reference: own?.reference, version: own == nil ? nil : OwnVersions.ofNewObject)
        // It still records whether a store has the row's values.
        writer.set(storeWord: row.storeWord)
        for (slot, reference) in references { writer.set(integer: reference, at: slot) }
        return writer.finish()
    }
}
