import StrataFiles
import StrataModel
import StrataPlatform
import StrataStore
import Synchronization

extension PersistentStoreCoordinator {
    /// Changes several stores: all of them, or none, also across a crash.
    ///
    /// The write lock of every store is held while `fill` sets its changes: what `fill` reads stays as it is until
    /// then.
    ///
    /// - Parameters:
    ///   - entries: The stores; evaluated again where the change is repeated, as where one was converted while its
    ///     write lock was waited for.
    ///   - checksReferences: Whether the changes may reference missing rows, or delete referenced ones, which is a
    ///     conflict.
    ///   - exclusive: Allows changing the new rows in place.
    ///   - fill: Sets the changes of each participant; rows may have temporary references. With one participant, it may
    ///     also delegate changes to the store. Its argument is whether the changed rows are to be listed. It is
    ///     repeated, in other transactions, where a store fails to serialize the save with others.
    /// - Returns: The participants with changes that took effect.
    /// - Throws: ``SaveConflictError``; `StoreError`; what `fill` throws.
    func write(
        to entries: @autoclosure () throws -> [StoreEntry], by origin: TransactionOrigin, checksReferences: Bool,
        exclusive: ExclusiveRows? = nil, _ fill: (inout [SaveParticipant], _ listsChanges: Bool) throws -> Void
    ) throws -> [SaveParticipant] {
        try repeating(true) {
            exclusive?.putBack(model)
            var write = try CoordinatedWrite.begin(self, origin, entries())
            do {
                let listsChanges = write.listsChanges
                try write.stage(checksReferences: checksReferences, exclusive) { try fill(&$0, listsChanges) }
                try write.prepare()
                try write.decide()
                try write.commit()
                return write.release()
            } catch {
                write.abandon()
                if let error = error as? StoreError {
                    let entries = write.participants.map(\.entry)
                    for entry in entries where entries.count == 1 || entry.store.path == error.path { entry.activity.note(error) }
                }
                if let error = error as? FileError { throw StoreError(error, .save, path: error.path) }
                throw error
            }
        }
    }

    /// Changes one store through its transaction, which is rolled back on an error.
    ///
    /// - Parameters:
    ///   - isRepeatable: Whether `body` may be repeated, in another transaction, where the store fails to serialize
    ///     this one with others; evaluated then.
    ///   - changes: The changes to report, evaluated after `body`.
    func write<T>(
        toStore entry: () throws -> StoreEntry, by origin: TransactionOrigin = TransactionOrigin(),
        isRepeatable: @autoclosure () -> Bool = false,
        changes: (StoreEntry) -> [SaveEvent.StoreChanges] = { _ in [] }, _ body: (StoreEntry, StoreWriter) throws -> T
    ) throws -> T {
        return try repeating(isRepeatable()) {
            let entry = try entry()
            let isObserved = events.isObserved(origin) || entry.isTracked
            return try entry.write(model, origin) { transaction in
                let writer = StoreWriter(transaction, entry, model, origin)
                var hasTakenEffect = false
                defer { if !hasTakenEffect { writer.forgetOwnTransaction() } }
                let result = try body(entry, writer)
                try transaction.prepare()
                if isObserved {
                    let stores = changes(entry)
                    let own = try entry.tracker.map { tracker in
                        try stores.map { (tracker: tracker, changes: try OwnChanges($0, in: transaction, model)) }
                    }
                    try events.announce(origin) { told in
                        try transaction.commit()
                        (told.stores, told.tracked) = (stores, own ?? [])
                    }
                } else {
                    try transaction.commit()
                }
                hasTakenEffect = true
                entry.activity.noteSave()
                if entry.keepsHistory { historySignal.notify() }
                return result
            }
        }
    }

    private static let mostRepetitions = 6

    /// Repeats a whole change where a store was converted while its write lock was waited for and, if allowed, several
    /// times where a store fails to serialize it with others.
    private func repeating<T>(_ isRepeatable: @autoclosure () -> Bool, _ change: () throws -> T) throws -> T {
        var attempts = 0
        // Once: a prepared save that cannot be ended would be met again and again.
        var hasFinishedOthers = false
        while true {
            do { return try change() } catch is StoreEntry.Replaced {
            } catch let error as StoreError where [.serializationFailure, .locked].contains(error.code) && isRepeatable() {
                if error.code == .serializationFailure, attempts < PersistentStoreCoordinator.mostRepetitions {
                    attempts += 1
                    // Random, so that two transactions that met do not meet again.
                    usleep(UInt32.random(in: 0...(1_000 << attempts)))
                    continue
                }
                guard !hasFinishedOthers, try finishPreparedSaves(meeting: error) else { throw error }
                hasFinishedOthers = true
            }
        }
    }

    /// Ends the prepared saves of coordinators that have ended, which lock their rows.
    ///
    /// - Returns: Whether there were any.
    /// - Throws: `StoreError` with `locked` where one stays in doubt, and none could be ended.
    private func finishPreparedSaves(meeting cause: StoreError) throws -> Bool {
        var areThere = false
        var inDoubt: PreparedSaveRecovery.InDoubt?
        for entry in entries.withLock({ $0 }) {
            guard !entry.store.isReadOnly, let store = entry.store as? any PreparingStore else { continue }
            let found = try PreparedSaveRecovery(store: store, entry: entry, operation: .save).run()
            entry.activity.savesInDoubt.store(found.inDoubt.count, ordering: .relaxed)
            if found.ended > 0 { areThere = true }
            inDoubt = inDoubt ?? found.inDoubt.first
        }
        if !areThere, let inDoubt {
            throw StoreError(
                .locked, .save, "rows are locked by a save in doubt: \((inDoubt.error as? StoreError)?.message ?? "\(inDoubt.error)")",
                path: cause.path, entity: cause.entity, underlying: cause)
        }
        return areThere
    }
}
