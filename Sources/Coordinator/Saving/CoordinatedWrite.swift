import StrataModel
import StrataStore

/// A change of several stores, phase by phase, as a two-phase commit: it takes effect in all of them, or in none, also
/// across a crash.
///
/// The phases come in this order, each once: ``begin(_:_:_:)``, ``stage(checksReferences:_:_:)``, ``prepare()``,
/// ``decide()``, ``commit()``, ``release()``. Where one throws, ``abandon()`` comes instead of the next.
struct CoordinatedWrite {
    private let coordinator: PersistentStoreCoordinator
    private let origin: TransactionOrigin
    let isObserved: Bool
    private(set) var participants: [SaveParticipant]
    /// The two-phase commit over several durable stores; `nil` where there is one, or none.
    private var global: TwoPhaseCommit?

    private var model: ManagedObjectModel { coordinator.model }

    /// Whether the changed objects are listed, for listeners or for a history.
    var listsChanges: Bool { isObserved || participants.contains { $0.entry.keepsHistory } }

    /// Acquires the write locks of all stores in the order of their IDs, so that two saves cannot deadlock; throws
    /// `StoreEntry.Replaced` where a store was converted while its write lock was waited for; `StoreError`.
    static func begin(
        _ coordinator: PersistentStoreCoordinator, _ origin: TransactionOrigin, _ entries: [StoreEntry]
    ) throws -> CoordinatedWrite {
        // Before the first write lock: a listener that is added later would be notified of half a save.
        let isObserved = coordinator.events.isObserved(origin) || entries.contains { $0.isTracked }
        var participants: [SaveParticipant] = []
        do {
            let ordered = entries.count > 1 ? entries.sorted { $0.store.id < $1.store.id } : entries
            for entry in ordered where participants.last?.entry !== entry {
                let transaction = try entry.beginWrite(coordinator.model, origin)
                participants.append(SaveParticipant(entry: entry, transaction: transaction, coordinator.model, origin))
            }
        } catch {
            for participant in participants { participant.transaction.rollback() }
            throw error
        }
        return CoordinatedWrite(coordinator: coordinator, origin: origin, isObserved: isObserved, participants: participants)
    }

    /// Applies the changes of every store, as permanent rows.
    ///
    /// - Parameter fill: Sets the changes of each participant; rows may have temporary references.
    /// - Parameter exclusive: Allows changing the new rows in place.
    /// - Throws: ``SaveConflictError``; `StoreError`; what `fill` throws.
    mutating func stage(
        checksReferences: Bool, _ exclusive: ExclusiveRows?, _ fill: (inout [SaveParticipant]) throws -> Void
    ) throws {
        try fill(&participants)
        if participants.contains(where: \.isUnchanged) {
            for participant in participants where participant.isUnchanged { participant.transaction.rollback() }
            participants.removeAll(where: \.isUnchanged)
        }
        for index in participants.indices where !participants[index].changes.inserted.isEmpty {
            participants[index].requested = participants[index].changes.inserted.map(\.reference)
        }
        let references = try reserveReferences()
        // A listener may read the objects before their context knows that the save is over.
        let exclusive = isObserved ? nil : exclusive
        exclusive?.willResolve(participants)
        for participant in participants {
            participant.changes = try references.resolve(participant.changes, inPlace: exclusive != nil, model: model)
        }
        if participants.count > 1 {
            let durable = participants.map(\.entry).filter(\.isDurable)
            global = durable.count > 1 ? try TwoPhaseCommit(durable) : nil
        }
        if let global { for index in participants.indices { try global.mark(&participants[index]) } }
        try apply(checksReferences: checksReferences)
    }

    private func reserveReferences() throws -> ReferenceMap {
        var references = ReferenceMap(participants)
        for participant in participants where !participant.changes.inserted.isEmpty {
            if let (root, count) = onlyHierarchy(of: participant.changes.inserted) {
                var next = try participant.entry.reserveReferences(count, root: root, in: participant.transaction)
                for row in participant.changes.inserted where row.reference < 0 {
                    references.add(row.reference, next)
                    next += 1
                }
                continue
            }
            // The roots of the hierarchies with new rows, in order: most saves have few. With each the number of new
            // rows, then the next one's reference.
            var roots: [(root: EntityIndex, count: Int, next: Int64)] = []
            var last = 0
            func index(of row: Row) -> Int? {
                let root = model.entities[row.entityIndex].root
                if last < roots.count && roots[last].root == root { return last }
                guard let index = roots.firstIndex(where: { $0.root == root }) else { return nil }
                last = index
                return index
            }
            for row in participant.changes.inserted where row.reference < 0 {
                if let index = index(of: row) {
                    roots[index].count += 1
                } else {
                    roots.append((model.entities[row.entityIndex].root, 1, 0))
                }
            }
            roots.sort { $0.root < $1.root }
            for index in roots.indices {
                let (root, count, _) = roots[index]
                roots[index].next = try participant.entry.reserveReferences(count, root: root, in: participant.transaction)
            }
            for row in participant.changes.inserted where row.reference < 0 {
                guard let index = index(of: row) else { continue }
                references.add(row.reference, roots[index].next)
                roots[index].next += 1
            }
        }
        return references
    }

    /// Returns the root of the rows with temporary references, and their number; `nil` where there are several roots, or none.
    private func onlyHierarchy(of rows: [Row]) -> (root: EntityIndex, count: Int)? {
        var only: (root: EntityIndex, count: Int)?
        for row in rows where row.reference < 0 {
            let root = model.entities[row.entityIndex].root
            if let only, only.root != root { return nil }
            only = (root, (only?.count ?? 0) + 1)
        }
        return only
    }

    // Not mutating: the participants would be copied for the closure.
    private func apply(checksReferences: Bool) throws {
        let deletes = checksReferences && participants.contains { !$0.changes.deleted.isEmpty }
        var linked: [[StoreConflict]] = deletes ? Array(repeating: [], count: participants.count) : []
        var conflicts: [SaveConflictError.Conflict] = []
        func check(_ participant: SaveParticipant) -> ReferenceCheck { ReferenceCheck(participant: participant, rules: coordinator.rules) }
        for index in participants.indices where !participants[index].changes.isEmpty {
            if deletes { linked[index] = try check(participants[index]).linked(participants[index].transaction) }
            let found = try participants[index].apply()
            if !found.isEmpty { conflicts += try participants[index].described(found, model) }
        }
        // A changed row is reported before a missing destination: it may reference another one by now.
        if conflicts.isEmpty && checksReferences {
            for index in participants.indices where !participants[index].changes.isEmpty {
                let missing = try check(participants[index]).conflicts(participants[index].transaction)
                let found = deletes ? linked[index] + missing : missing
                if !found.isEmpty { conflicts += try participants[index].described(found, model) }
            }
        }
        if conflicts.isEmpty {
            for participant in participants { try participant.appendHistory(checksReferences ? .save : .batch, model) }
            return
        }
        // Version conflicts come before constraint conflicts on every store, and over all of them: resolving stale
        // values may also resolve a constraint that they break.
        let stale = conflicts.filter { !$0.isConstraint }
        throw SaveConflictError(conflicts: stale.isEmpty ? conflicts : stale)
    }

    /// Does all fallible work of every store's commit.
    func prepare() throws {
        for participant in participants { try participant.transaction.prepare() }
    }

    /// Decides that a save over several durable stores takes effect, whatever happens afterwards; throws `StoreError`;
    /// the save is not decided then, unless it is `inDoubt`.
    mutating func decide() throws { try global?.decide(&participants, model: model) }

    /// Commits in every store: the durable ones first, as a store in memory is not expected to fail; throws
    /// ``SaveConflictError`` and `StoreError`; nothing took effect then, unless the error is `inDoubt` or has the
    /// recovery `reopen`.
    mutating func commit() throws {
        guard isObserved else { return try commitParticipants() }
        // Before the commit: rows that a store changes itself are read as this save leaves them.
        let own = try participants.map { participant in
            try participant.entry.tracker.map { (tracker: $0, changes: try OwnChanges(participant, model)) }
        }
        try coordinator.events.announce(origin) { told in
            // Also on an error: the save may be in doubt in some stores, and final in others.
            defer {
                told.stores = participants.filter(\.hasTakenEffect).map { SaveEvent.StoreChanges(AppliedChanges($0), model) }
                told.tracked = zip(participants, own).compactMap { $0.hasTakenEffect ? $1 : nil }
            }
            try commitParticipants()
        }
    }

    private mutating func commitParticipants() throws {
        if participants.count > 1 {
            var missed: [TwoPhaseCommit.Missed] = []
            try coordinator.gate.commit {
                missed = try global?.commit(&participants, model: model) ?? []
                if missed.isEmpty { try commitRest() }
            }
            // Outside of the gate: this waits for the write locks of the stores.
            do { try global?.finish(missed, model: model) } catch {
                // The save is decided, also for stores in memory.
                try commitRest()
                throw error
            }
        }
        try commitRest()
    }

    private mutating func commitRest() throws {
        var missed: (store: any StoreBackend, error: any Error)?
        for isDurable in [true, false] {
            for index in participants.indices where participants[index].entry.isDurable == isDurable && !participants[index].isOver {
                do { try participants[index].commit(model) } catch {
                    guard participants.contains(where: \.isOver) else { throw error }
                    // Others have the save: the rest get it too.
                    participants[index].transaction.rollback()
                    missed = missed ?? (participants[index].entry.store, error)
                    participants[index].isOver = true
                    continue
                }
                participants[index].isOver = true
                participants[index].hasTakenEffect = true
            }
        }
        guard let missed else { return }
        throw StoreError(
            .inDoubt, .save, "a store that keeps nothing did not commit what the others of the save did", path: missed.store.path,
            underlying: missed.error)
    }

    /// Waits until the next save cannot be in a snapshot that lacks this one; returns the participants with changes
    /// that took effect.
    consuming func release() -> [SaveParticipant] {
        coordinator.gate.awaitSnapshots()
        if participants.contains(where: { $0.entry.keepsHistory }) { coordinator.historySignal.notify() }
        return participants
    }

    consuming func abandon() {
        for participant in participants where !participant.isPrepared {
            if !participant.hasTakenEffect { participant.writer.forgetOwnTransaction() }
            if !participant.isOver { participant.transaction.rollback() }
        }
    }
}
