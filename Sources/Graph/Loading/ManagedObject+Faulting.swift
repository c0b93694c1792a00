import StrataModel
import StrataStore

extension ManagedObject {
    /// Prepares for reading a property: fires the fault, or records that it failed.
    @usableFromInline
    final func prepareToRead(_ property: Int) {
        if flags.contains(.observed) { noteAccess(property) }
        if flags.rawValue & ObjectFlags.unread != 0 { fireFault(reading: property) }
    }

    // Apart from the test for observers, which each read of an observed context makes.
    @inline(never)
    final func fireFault(reading property: Int) {
        guard let context = managedObjectContext else {
            do { try requireContext(for: property) } catch { report(error, entity.properties[property].name) }
            return
        }
        if hasReadableRow { return wake(in: context) }
        let name = entity.properties[property].name
        do { try requireRead(name) } catch { context.failedAccesses.add(error, of: self, name, isAnswered: true) }
    }

    /// Fires the fault because a property is read.
    final func requireRead(_ key: String) throws {
        if !hasContext { try requireContext(for: entity.property(named: key)?.index) }
        try requireValues()
        if flags.contains(.unreadable) { managedObjectContext?.failedAccesses.didRead(self, key) }
    }

    /// Returns whether a property may be assigned; records the refusal where it may not.
    final func isChangeable(_ property: Int) -> Bool {
        if hasReadableRow, let isFault = withContext({ _ in flags.contains(.fault) }) {
            if isFault, let context = managedObjectContext { wake(in: context) }
            return true
        }
        let name = entity.properties[property].name
        return recording(name, isAnswered: false) { try requireChangeable(name) } != nil
    }

    /// Fires the fault because a property is assigned; throws the error of the read, now or before: the assigned value
    /// may result from it.
    final func requireAssignable(_ key: String) throws {
        if flags.contains(.unreadable), let refusal = managedObjectContext?.failedAccesses.refusal(of: self, key) { throw refusal }
        try requireValues()
        try requireNotLost()
    }

    /// Checks that the object's row exists, or the object counts as deleted; throws `StoreError` with `notFound`.
    final func requireNotLost() throws {
        if isInaccessible && !isDeleted && managedObjectContext != nil { throw RowLoader.missingRowError(objectID) }
    }

    final func requireChangeable(_ key: String) throws {
        try requireAssignable(key)
        if flags.contains(.unreadable) { managedObjectContext?.failedAccesses.didAssign(self, key) }
    }

    /// Loads the object's values from the context's cache or the store; the object stays a fault where that throws.
    final func requireValues() throws {
        guard flags.contains(.fault), let context = managedObjectContext else { return }
        if row == nil {
            context.assertQueue()
            if !isNew { try context.loader.requireRow(of: self) }
        }
        if row != nil || isNew { wake(in: context) } else { markLoading(clearing: .fault) }
    }

    /// Whether the row is here, and no failed access is unsettled.
    private final var hasReadableRow: Bool { row != nil && flags.isDisjoint(with: [.inaccessible, .unreadable]) }

    /// Ends the fault, and calls `awakeFromFetch`.
    private final func wake(in context: ManagedObjectContext) {
        guard flags.contains(.fault) else { return }
        if context.loader.stalenessInterval != nil {
            context.loader.replaceStaleRow(of: self)
            if isInaccessible { return }
        }
        if flags.contains(.watched) { context.loader.prefetcher.didFire(objectID) }
        // First, as `awakeFromFetch` reads values.
        markLoading(clearing: .unfired)
        context.tracker.awake(self)
    }

    /// Loads the object's values where they can be read.
    @usableFromInline
    final func fireFault() {
        do {
            if !hasContext { try requireContext(for: nil) }
            try requireValues()
        } catch { report(error, nil) }
    }
}
