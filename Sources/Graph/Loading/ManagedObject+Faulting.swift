import StrataModel
import StrataStore

extension ManagedObject {
    /// Does what has to be done before the value of a property is read: fires the fault, or takes note that it cannot.
    @usableFromInline
    final func prepareToRead(_ property: Int) {
        if flags.rawValue & ObjectFlags.unreadOrObserved == 0 { return }
        guard let context = managedObjectContext else {
            do { try requireContext(for: property) } catch { report(error, entity.properties[property].name) }
            return
        }
        if flags.contains(.observed) { noteAccess(property) }
        if flags.rawValue & ObjectFlags.unread == 0 { return }
        if hasReadableRow { return wake(in: context) }
        let name = entity.properties[property].name
        do { try requireRead(name) } catch { context.failedAccesses.add(error, of: self, name, isAnswered: true) }
    }

    /// Fires the fault because a property is read.
    ///
    /// - Throws: What kept the row from being read.
    final func requireRead(_ key: String) throws {
        if !hasContext { try requireContext(for: entity.property(named: key)?.index) }
        try requireValues()
        if flags.contains(.unreadable) { managedObjectContext?.failedAccesses.didRead(self, key) }
    }

    /// Returns whether a property may be assigned to; takes note where it may not.
    final func isChangeable(_ property: Int) -> Bool {
        if hasReadableRow, let isFault = withContext({ _ in flags.contains(.fault) }) {
            if isFault, let context = managedObjectContext { wake(in: context) }
            return true
        }
        let name = entity.properties[property].name
        do { try requireChangeable(name) } catch {
            managedObjectContext?.failedAccesses.add(error, of: self, name, isAnswered: false)
            return false
        }
        return true
    }

    /// Fires the fault because a property is to be assigned to.
    ///
    /// - Throws: What kept the row from being read, now or when the property was read in vain: what is assigned may come of that.
    final func requireAssignable(_ key: String) throws {
        if flags.contains(.unreadable), let refusal = managedObjectContext?.failedAccesses.refusal(of: self, key) { throw refusal }
        try requireValues()
        try requireNotLost()
    }

    /// Checks that what is assigned to the object does not vanish unheard: that its row is there, or the object counts as deleted.
    ///
    /// - Throws: `StoreError` with `notFound`.
    final func requireNotLost() throws {
        if isGone && !isDeleted && managedObjectContext != nil { throw RowLoader.goneError(objectID) }
    }

    /// Fires the fault because a property is assigned to.
    final func requireChangeable(_ key: String) throws {
        try requireAssignable(key)
        if flags.contains(.unreadable) { managedObjectContext?.failedAccesses.didAssign(self, key) }
    }

    /// Brings the object's values, from the context's fetch or from the store, where they are not here.
    ///
    /// - Throws: What kept the row from being read; the object stays a fault then.
    final func requireValues() throws {
        guard flags.contains(.fault), let context = managedObjectContext else { return }
        if row == nil {
            context.assertQueue()
            if !isNew { try context.loader.requireRow(of: self) }
        }
        if row != nil || isNew { wake(in: context) } else { markLoading(clearing: .fault) }
    }

    /// Whether the row is here, and no access failed that has to be made up for.
    private final var hasReadableRow: Bool { row != nil && flags.isDisjoint(with: [.inaccessible, .unreadable]) }

    /// Has the object be no fault any more, and hear that its values came.
    private final func wake(in context: ManagedObjectContext) {
        guard flags.contains(.fault) else { return }
        if context.loader.stalenessInterval != nil {
            context.loader.replaceStaleRow(of: self)
            if isGone { return }
        }
        // First, for the object's own method reads values.
        markLoading(clearing: .fault)
        context.tracker.awake(self)
    }

    /// Brings the object's values where they can be read.
    @usableFromInline
    final func fireFault() {
        do {
            if !hasContext { try requireContext(for: nil) }
            try requireValues()
        } catch { report(error, nil) }
    }
}
