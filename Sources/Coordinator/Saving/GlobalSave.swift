import FoundationEssentials
import StrataFiles
import StrataModel
import StrataStore

/// Makes a save over several durable stores atomic: first every store prepares, then a file beside each holds what it has to do, the one
/// beside the home store last, which decides; then every store commits.
struct GlobalSave {
    let id = UUID().uuidString
    /// The absolute path of each store, by its UUID.
    private let paths: [String: String]
    private let homeUUID: String
    private let files = PendingFiles.fileSystem

    /// A save over at least two durable stores.
    init(_ entries: [StoreEntry]) {
        paths = Dictionary(entries.map { ($0.store.uuid, PendingSave.absolute($0.store.path ?? "")) }) { first, _ in first }
        homeUUID = entries[0].store.uuid
    }

    /// Has a store note, together with the changes, that the save reached it.
    func mark(_ part: inout SavePart) throws {
        guard let path = paths[part.entry.store.uuid] else { return }
        let metadata = try part.changes.metadata ?? part.entry.store.metadata()
        let unfinished = metadata.globalSaves.filter { files.exists(PendingSave.path(forStoreAt: path, id: $0)) }
        part.changes.metadata = metadata.with(globalSaves: unfinished + [id])
    }

    /// Writes the files.
    ///
    /// - Throws: ``StoreError``; the save is not decided then, unless it is `inDoubt` with the recovery `reopen`: the stores were closed, and
    ///   opening them again decides.
    func decide(_ parts: [SavePart], model: ManagedObjectModel) throws {
        let others = paths.filter { $0.key != homeUUID }.sorted { $0.key < $1.key }
        guard let homePath = paths[homeUUID] else { return }
        do {
            for (uuid, path) in others + [(homeUUID, homePath)] {
                guard let part = parts.first(where: { $0.entry.store.uuid == uuid }) else { continue }
                let changes = try WholeOrders(part.entry.store, model).complete(part.changes)
                let save = PendingSave(
                    id: id,
                    storeUUID: uuid,
                    homeUUID: homeUUID,
                    storePath: path,
                    homePath: homePath,
                    otherPaths: others.filter { $0.key != uuid }.map(\.value),
                    changes: try ChangeSetCoding.encode(changes, model: model)
                )
                try save.write(files)
            }
        } catch {
            let fileError = error as? FileError
            guard withdraw() else {
                // Nobody builds on stores that the save may still reach.
                for part in parts { part.transaction.rollback() }
                for part in parts where part.isDurable { try? part.entry.store.close() }
                throw StoreError(
                    .inDoubt,
                    "save",
                    "the save may still take effect when its stores are opened again",
                    path: fileError?.path ?? homePath,
                    underlying: error,
                    recovery: .reopen
                )
            }
            if let fileError { throw StoreError(fileError, "save", path: fileError.path) }
            throw error
        }
    }

    /// A store that a decided save did not reach at once.
    struct Missed {
        let store: any PersistentStore
        let error: any Error
    }

    /// Commits a decided save in all of its stores; ``finish(_:model:)`` comes next.
    ///
    /// - Returns: The stores that did not commit.
    /// - Throws: ``StoreError``, of a store's own, where nothing was saved.
    func commit(_ parts: inout [SavePart]) throws -> [Missed] {
        var missed: [Missed] = []
        var isFirst = true
        for place in parts.indices where parts[place].isDurable {
            let part = parts[place]
            do {
                try part.transaction.commit()
                parts[place].isOver = true
            } catch {
                let isUnclear = (error as? StoreError)?.recovery == .reopen
                // As long as it is in no store it can still be taken back.
                if isFirst, !isUnclear, withdraw() { throw error }
                if !isUnclear { part.transaction.rollback() }
                parts[place].isOver = true
                missed.append(Missed(store: part.entry.store, error: error))
            }
            isFirst = false
        }
        return missed
    }

    /// Sees to the stores that did not commit, and removes the files.
    ///
    /// Such a store is given the changes once more, as if it were opened again; where that fails too, it is closed, so that nobody builds on
    /// a store that the save has not reached, and opening it finishes the save.
    ///
    /// - Throws: ``StoreError`` with `inDoubt` and the recovery `reopen` where stores were closed.
    func finish(_ missed: [Missed], model: ManagedObjectModel) throws {
        for one in missed {
            do { try GlobalSaveRecovery(store: one.store, model: model, files: files).run() } catch let second {
                for other in missed { try? other.store.close() }
                throw StoreError(
                    .inDoubt,
                    "save",
                    "the save is decided, but has to be finished by opening the store again (\(second))",
                    path: one.store.path,
                    underlying: one.error,
                    recovery: .reopen
                )
            }
        }
        removeFiles()
    }

    /// Takes the decision back.
    ///
    /// - Returns: Whether it is certain that no store will carry the save out.
    private func withdraw() -> Bool {
        guard let homePath = paths[homeUUID] else { return false }
        do {
            // The home's file first: without it nothing is decided, whatever else is left behind.
            try files.removeIfPresent(PendingSave.path(forStoreAt: homePath, id: id))
            try files.synchronizeDirectory(PathName.parent(of: homePath))
        } catch {
            return false
        }
        removeOthers()
        return true
    }

    /// Removes the files of a save that reached all stores. What cannot be removed is removed when the stores are opened again.
    private func removeFiles() {
        guard let homePath = paths[homeUUID], removeOthers() else { return }
        for kind in [PendingSave.Kind.pending, .decided] {
            try? files.removeIfPresent(PendingSave.path(forStoreAt: homePath, id: id, kind))
        }
    }

    /// Removes all files but the home's, for good.
    @discardableResult
    private func removeOthers() -> Bool {
        let others = paths.filter { $0.key != homeUUID }.map(\.value).sorted()
        do {
            for path in others { try files.removeIfPresent(PendingSave.path(forStoreAt: path, id: id)) }
            for directory in Set(others.map { PathName.parent(of: $0) }).sorted() { try files.synchronizeDirectory(directory) }
            return true
        } catch {
            return false
        }
    }
}
