import StrataStore

// An object does not retain its context. After the context's release the values of its row are here, but neither its
// destinations nor the row of a fault can be loaded: reading them is a programming error. An accessor traps in debug
// builds then, methods throw, and lists of properties omit what cannot be read.

extension ManagedObjectMembers where Self: ManagedObject {
    /// The error of the last failed read or assignment of a property: ``ManagedObjectContext/lastFaultError`` of the
    /// object's context; without a context of the object itself, as where the context was released before it.
    @_disfavoredOverload
    public var lastFaultError: (any Error)? {
        managedObjectContext.map(\.lastFaultError) ?? (self as ManagedObject).extra?.lastError
    }
}

extension ManagedObject {
    /// Whether the context was released before the object.
    final var hasLostContext: Bool { !hasContext && (row != nil || !flags.isDisjoint(with: [.fault, .inserted])) && !isUnattached }

    /// Checks that a relationship can be read: by a context, or as it is empty; throws `StoreError` with `closed`.
    final func requireContext(for relationship: RelationshipDescription) throws {
        if hasContext || !hasLostContext || extra?.held[relationship.index] != nil { return }
        if relationship.isToMany {
            let state = extra?.toMany(relationship.index)
            if state.map({ $0.isLoaded && $0.count == 0 }) ?? isNew { return }
        } else if let extra, extra.isPending(relationship.index) {
            if extra.pending.isNull(entity.propertySlots[relationship.index]) { return }
        } else if let row, case .toOne(let slot, _, _) = relationship.storage {
            if row.integer(slot) == nil { return }
        } else if isNew || relationship.isTransient {
            return
        }
        throw lostContextError(relationship.name)
    }

    /// Checks that a fault can be fired, where the property's value is not loaded; throws `StoreError` with `closed`.
    final func requireContext(for property: Int?) throws {
        guard !hasContext, row == nil, flags.contains(.fault), hasLostContext else { return }
        if let property, isPending(property) { return }
        throw lostContextError(property.map { entity.properties[$0].name })
    }

    /// Returns whether a check succeeds; records its error as ``lastFaultError``.
    final func isReadable(_ check: () throws -> Void) -> Bool {
        do { try check() } catch {
            makeExtra().lastError = error
            return false
        }
        return true
    }

    /// Checks that the saved destinations of a relationship can be read, as ``requireContext(for:)`` does for current
    /// ones; throws `StoreError` with `closed`.
    final func requireContext(forSaved relationship: RelationshipDescription) throws {
        if hasContext || !hasLostContext || isNew { return }
        if relationship.isToMany {
            if extra?.toMany(relationship.index)?.isLoaded == true { return }
        } else if let row, case .toOne(let slot, _, _) = relationship.storage {
            if row.integer(slot) == nil { return }
        }
        throw lostContextError(relationship.name)
    }

    /// Returns the state of a to-many relationship at the context's release; `nil` where not loaded, or assigned since.
    final func lostState(_ relationship: RelationshipDescription) -> ToManyState? {
        guard hasLostContext, extra?.held[relationship.index] == nil, let state = extra?.toMany(relationship.index), state.isLoaded
        else { return nil }
        return state
    }

    final func lostContextError(_ key: String?) -> StoreError {
        let what = key.map { "\($0) of \(objectID)" } ?? "\(objectID)"
        return StoreError(
            .closed, .access, "\(what) cannot be read: the object's context was released before it", entity: entity.name, key: key)
    }

    /// Runs a read or assignment; returns nil where it fails, which the context records, and without one the object.
    @inline(__always) @discardableResult
    final func recording<T>(_ key: String, isAnswered: Bool = true, _ body: () throws -> T?) -> T? {
        do { return try body() } catch {
            note(error, key, isAnswered: isAnswered)
            return nil
        }
    }

    /// Records a failed read or assignment in the context; without one in the object, which hands refused assignments to
    /// the context that it is inserted into.
    private func note(_ error: any Error, _ key: String, isAnswered: Bool) {
        if let context = managedObjectContext { return context.failedAccesses.add(error, of: self, key, isAnswered: isAnswered) }
        let attributes = entity.attribute(named: key).map { [$0] } ?? entity.compositeAttribute(named: key)?.attributes ?? []
        if isAnswered || attributes.isEmpty { return makeExtra().lastError = error }
        makeExtra().refuse(RefusedAssignment(key: key, error: error, properties: attributes.map(\.index)))
    }

    /// Reports a failed read or assignment of an accessor to the context; without one it traps in debug builds.
    final func report(_ error: any Error, _ key: String?, isAnswered: Bool = true) {
        if let context = managedObjectContext { return context.failedAccesses.add(error, of: self, key, isAnswered: isAnswered) }
        #if DEBUG
            programmerError("\(error)")
        #else
            makeExtra().lastError = error
        #endif
    }
}
