import StrataModel
import StrataStore

// An object does not keep its context. Where the context was released first, the values of its row are here still, but neither what it
// references nor the row of a fault can be brought: reading these is a mistake of the program, and never an empty answer. An accessor traps
// in debug builds then, and what can throw does; what answers about several properties leaves out what cannot be read.

extension ManagedObjectMembers where Self: ManagedObject {
    /// What went wrong when a property was read last, which an accessor could not throw: ``ManagedObjectContext/lastFaultError`` of the
    /// object's context, or, where that was released before the object, that it was.
    @_disfavoredOverload
    public var lastFaultError: (any Error)? {
        managedObjectContext.map(\.lastFaultError) ?? (self as ManagedObject).extra?.lostContextError
    }
}

extension ManagedObject {
    /// Whether the context was released before the object, which it had not forgotten.
    final var hasLostContext: Bool {
        !hasContext && (row != nil || !flags.isDisjoint(with: [.fault, .inserted])) && !isUnattached
    }

    /// Checks that a relationship can be read: that the object has its context, or that no object is referenced.
    ///
    /// - Throws: `StoreError` with `closed`.
    final func requireContext(for relationship: RelationshipDescription) throws {
        if hasContext || !hasLostContext || extra?.held[relationship.index] != nil { return }
        if relationship.isToMany {
            let state = extra?.toMany(relationship.index)
            if state.map({ $0.isLoaded && $0.count == 0 }) ?? isNew { return }
        } else if let extra, extra.isPending(relationship.index) {
            if extra.isNull(entity.propertySlots[relationship.index]) { return }
        } else if let row, case .toOne(let slot, _, _) = relationship.storage {
            if row.integer(slot) == nil { return }
        } else if isNew || relationship.isTransient {
            return
        }
        throw lostContextError(relationship.name)
    }

    /// Checks that the values of a fault can be brought, where the value of a property is not here.
    ///
    /// - Throws: `StoreError` with `closed`.
    final func requireContext(for property: Int?) throws {
        guard !hasContext, row == nil, flags.contains(.fault), hasLostContext else { return }
        if let property, isPending(property) { return }
        throw lostContextError(property.map { entity.properties[$0].name })
    }

    /// Returns whether what is checked can be read; records as ``lastFaultError`` why not.
    final func isReadable(_ check: () throws -> Void) -> Bool {
        do { try check() } catch {
            makeExtra().lostContextError = error
            return false
        }
        return true
    }

    /// Checks that the saved destinations of a relationship can be read, as ``requireContext(for:)`` checks the present ones.
    ///
    /// - Throws: `StoreError` with `closed`.
    final func requireContext(forSaved relationship: RelationshipDescription) throws {
        if hasContext || !hasLostContext || isNew { return }
        if relationship.isToMany {
            if extra?.toMany(relationship.index)?.isLoaded == true { return }
        } else if let row, case .toOne(let slot, _, _) = relationship.storage {
            if row.integer(slot) == nil { return }
        }
        throw lostContextError(relationship.name)
    }

    /// Returns the state of a to-many relationship as it was when the context was released; `nil` where it was not
    /// loaded, or was assigned to since.
    final func lostState(_ relationship: RelationshipDescription) -> ToManyState? {
        guard hasLostContext, extra?.held[relationship.index] == nil, let state = extra?.toMany(relationship.index), state.isLoaded else {
            return nil
        }
        return state
    }

    final func lostContextError(_ key: String?) -> StoreError {
        let what = key.map { "\($0) of \(objectID)" } ?? "\(objectID)"
        return StoreError(
            .closed, .access, "\(what) cannot be read: the object's context was released before it", entity: entity.name, key: key)
    }

    /// Reports what an accessor could not read, or not change: to the context, or, where it was released, by a trap in debug builds.
    final func report(_ error: any Error, _ key: String?, isAnswered: Bool = true) {
        if let context = managedObjectContext { return context.failedAccesses.add(error, of: self, key, isAnswered: isAnswered) }
        #if DEBUG
            programmerError("\(error)")
        #else
            makeExtra().lostContextError = error
        #endif
    }
}
