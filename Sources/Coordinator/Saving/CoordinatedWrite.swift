import StrataModel
import StrataStore

/// A change of several stores, phase by phase, as a two-phase commit: it takes effect in all of them, or in none, also across a crash.
///
/// The phases come in this order, each once: ``begin(_:_:_:)``, ``stage(checksReferences:_:)``, ``prepare()``, ``decide()``, ``commit()``,
/// ``release()``. Where one throws, ``abandon()`` comes instead of the next.
struct CoordinatedWrite {
    private let coordinator: PersistentStoreCoordinator
    private let origin: TransactionOrigin
    /// Whether somebody is to be told of it.
    let isObserved: Bool
    private(set) var parts: [SavePart]
    /// What makes it atomic over several durable stores; `nil` where there is one, or none.
    private var global: GlobalSave?

    private var model: ManagedObjectModel { coordinator.model }

    /// Takes the turns of all stores, always in the order of the IDs: two saves over the same stores cannot wait for each other.
    ///
    /// - Parameter entries: The stores; asked for again where one was replaced by another while its turn was waited for.
    static func begin(
        _ coordinator: PersistentStoreCoordinator, _ origin: TransactionOrigin, _ entries: () throws -> [StoreEntry]
    ) throws -> CoordinatedWrite {
        // Before the first turn: a listener that came in the middle would be told of half a save.
        let isObserved = coordinator.events.isObserved
        while true {
            var parts: [SavePart] = []
            do {
                for entry in try entries().sorted(by: { $0.store.id < $1.store.id }) where parts.last?.entry !== entry {
                    parts.append(SavePart(entry: entry, transaction: try entry.beginWrite(coordinator.model, origin)))
                }
                return CoordinatedWrite(coordinator: coordinator, origin: origin, isObserved: isObserved, parts: parts)
            } catch {
                for part in parts { part.transaction.rollback() }
                if !(error is StoreEntry.Replaced) { throw error }
            }
        }
    }

    /// Has every store apply what changes in it, as permanent rows.
    ///
    /// - Parameter fill: Sets the changes of each part; rows may have temporary references.
    /// - Throws: ``SaveConflictError``; `StoreError`; what `fill` throws.
    mutating func stage(checksReferences: Bool, _ fill: (inout [SavePart]) throws -> Void) throws {
        try fill(&parts)
        for part in parts where part.isUnchanged { part.transaction.rollback() }
        parts.removeAll(where: \.isUnchanged)
        for place in parts.indices { parts[place].planned = parts[place].changes.inserted }
        let references = try reserveReferences()
        for place in parts.indices { parts[place].changes = try references.resolve(parts[place].changes, model: model) }
        let durable = parts.filter(\.isDurable).map(\.entry)
        global = durable.count > 1 ? try GlobalSave(durable) : nil
        if let global { for place in parts.indices { try global.mark(&parts[place]) } }
        try apply(checksReferences: checksReferences)
    }

    private func reserveReferences() throws -> ReferenceMap {
        var references = ReferenceMap(parts.flatMap { $0.changes.inserted.filter { $0.reference < 0 } })
        for part in parts {
            let new = part.changes.inserted.filter { $0.reference < 0 }
            for (root, rows) in Dictionary(grouping: new, by: { model.entities[$0.entityIndex].root }).sorted(by: { $0.key < $1.key }) {
                let first = try part.entry.reserveReferences(rows.count, root: root, in: part.transaction)
                for (offset, row) in rows.enumerated() { references.add(row.reference, first + Int64(offset)) }
            }
        }
        return references
    }

    private func apply(checksReferences: Bool) throws {
        var linked: [[StoreConflict]] = Array(repeating: [], count: parts.count)
        var conflicts: [SaveConflictError.Conflict] = []
        func check(_ part: SavePart) -> ReferenceCheck { ReferenceCheck(part.changes, coordinator.rules, in: part.entry) }
        for (place, part) in parts.enumerated() where !part.changes.isEmpty {
            linked[place] = checksReferences ? try check(part).linked(part.transaction) : []
            conflicts += try part.described(part.transaction.apply(part.changes), model)
        }
        // Who meets a row that is not the one expected first learns that: what it leads to may be another thing then.
        if conflicts.isEmpty && checksReferences {
            for (place, part) in parts.enumerated() where !part.changes.isEmpty {
                conflicts += try part.described(linked[place] + check(part).conflicts(part.transaction), model)
            }
        }
        if conflicts.isEmpty { return }
        // Versions come before constraints on every store, and over all of them: a constraint that stale values break may not be broken
        // by those that are left when their conflict is resolved.
        let stale = conflicts.filter { !$0.isConstraint }
        throw SaveConflictError(conflicts: stale.isEmpty ? conflicts : stale)
    }

    /// Has every store do all of its commit's work that can fail.
    func prepare() throws {
        for part in parts { try part.transaction.prepare() }
    }

    /// Decides, over several durable stores, that the save takes effect: from then on it does, whatever happens.
    ///
    /// - Throws: `StoreError`; the save is not decided then, unless it is `inDoubt`.
    mutating func decide() throws { try global?.decide(&parts, model: model) }

    /// Has every store commit: the durable ones first, as nothing about the others is to fail.
    ///
    /// - Throws: ``SaveConflictError`` and `StoreError`; nothing took effect then, unless the error is `inDoubt` or says `reopen`.
    mutating func commit() throws {
        guard isObserved else { return try commitParts() }
        try coordinator.events.announce(origin) {
            try commitParts()
            return parts.map { SaveEvent.StoreChanges($0, model) }
        }
    }

    private mutating func commitParts() throws {
        if parts.count > 1 {
            var missed: [GlobalSave.Missed] = []
            try coordinator.gate.commit {
                missed = try global?.commit(&parts, model: model) ?? []
                if missed.isEmpty { try commitRest() }
            }
            // Outside of the gate: this waits for the turns of the stores.
            do { try global?.finish(missed, model: model) } catch {
                // The save is decided, also for stores in memory.
                try commitRest()
                throw error
            }
        }
        try commitRest()
    }

    private mutating func commitRest() throws {
        var missed: (store: any PersistentStore, error: any Error)?
        for place in parts.indices.sorted(by: { parts[$0].isDurable && !parts[$1].isDurable }) where !parts[place].isOver {
            do { try parts[place].commit(model) } catch {
                guard parts.contains(where: \.isOver) else { throw error }
                // Others have the save: those that are left get it too.
                parts[place].transaction.rollback()
                missed = missed ?? (parts[place].entry.store, error)
            }
            parts[place].isOver = true
        }
        guard let missed else { return }
        throw StoreError(
            .inDoubt, .save, "a store that keeps nothing did not commit what the others of the save did", path: missed.store.path,
            underlying: missed.error)
    }

    /// Lets the next save go, once it cannot come into a snapshot that this one is not in.
    ///
    /// - Returns: The parts with the changes that took effect, without those that were left empty.
    consuming func release() -> [SavePart] {
        coordinator.gate.awaitSnapshots()
        return parts
    }

    /// Forgets what did not take effect.
    consuming func abandon() {
        for part in parts where !part.isOver && !part.isPrepared { part.transaction.rollback() }
    }
}
