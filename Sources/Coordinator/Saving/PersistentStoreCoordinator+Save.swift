import FoundationEssentials
import StrataFiles
import StrataModel
import StrataStore

extension PersistentStoreCoordinator {
    public func save(_ plan: SavePlan) throws -> SaveOutcome {
        // Always in the order of the UUIDs: two saves over the same stores cannot wait for each other.
        let uuids = plan.changes.keys.filter { plan.changes[$0]?.isEmpty == false }.sorted()
        var parts: [SavePart] = []
        do {
            for uuid in uuids {
                let entry = try requireEntry(uuid: uuid, "save")
                parts.append(SavePart(entry: entry, transaction: try entry.store.beginWrite(), changes: plan.changes[uuid] ?? ChangeSet()))
            }
            let references = try reserveReferences(parts)
            for place in parts.indices { parts[place].changes = try references.resolve(parts[place].changes, model: model) }
            let durable = parts.filter { $0.entry.store.capabilities.isPersistent && $0.entry.store.path != nil }
            let global = durable.count > 1 ? GlobalSave(durable.map(\.entry)) : nil
            if let global { for place in parts.indices { try global.mark(&parts[place]) } }
            try apply(parts)
            for part in parts { try part.transaction.prepare() }
            if let global { try global.decide(parts, model: model) }
            // Stores in memory go last: nothing about them can fail.
            for part in parts.sorted(by: { $0.isDurable && !$1.isDurable }) { try part.transaction.commit() }
            global?.finish()
            return SaveOutcome(
                inserted: Dictionary(parts.map { ($0.entry.store.uuid, $0.changes.inserted) }) { first, _ in first },
                updated: Dictionary(parts.map { ($0.entry.store.uuid, $0.changes.updated.map(\.row)) }) { first, _ in first })
        } catch {
            for part in parts { part.transaction.rollback() }
            throw error
        }
    }

    private func reserveReferences(_ parts: [SavePart]) throws -> ReferenceMap {
        var references = ReferenceMap(parts.flatMap { $0.changes.inserted.filter { $0.reference < 0 } })
        for part in parts {
            let new = part.changes.inserted.filter { $0.reference < 0 }
            for (root, rows) in Dictionary(grouping: new, by: { model.entities[$0.entityIndex].root }).sorted(by: { $0.key < $1.key }) {
                let first = try part.transaction.reserveReferences(rows.count, root: root)
                for (offset, row) in rows.enumerated() { references.add(row.reference, first + Int64(offset)) }
            }
        }
        return references
    }

    private func apply(_ parts: [SavePart]) throws {
        var conflicts: [SaveConflictError.Conflict] = []
        for part in parts {
            for conflict in try part.transaction.apply(part.changes) {
                let id = ObjectID(scope: part.entry.scopes[conflict.entity], reference: conflict.reference)
                conflicts.append(.init(objectID: id, reason: conflict.reason))
            }
        }
        if !conflicts.isEmpty { throw SaveConflictError(conflicts: conflicts) }
    }
}

/// The part of a save that goes to one store.
struct SavePart {
    let entry: StoreEntry
    let transaction: any StoreTransaction
    var changes: ChangeSet

    var isDurable: Bool { entry.store.capabilities.isPersistent && entry.store.path != nil }
}

/// Makes a save over several durable stores atomic: first every store prepares, then a file beside each holds what it has to do, the one
/// beside the home store last, which decides; then every store commits.
struct GlobalSave {
    let id = UUID().uuidString
    private let paths: [String: String]
    private let home: String
    private let files = PendingFiles.fileSystem

    init(_ entries: [StoreEntry]) {
        var paths: [String: String] = [:]
        let id = self.id
        for entry in entries { paths[entry.store.uuid] = entry.store.path.map { PendingSave.path(forStoreAt: $0, id: id) } }
        self.paths = paths
        home = entries[0].store.uuid
    }

    /// Has a store note, together with the changes, that the save reached it.
    func mark(_ part: inout SavePart) throws {
        guard part.isDurable, let path = part.entry.store.path else { return }
        let metadata = try part.changes.metadata ?? part.entry.store.metadata()
        let unfinished = metadata.globalSaves.filter { files.exists(PendingSave.path(forStoreAt: path, id: $0)) }
        part.changes.metadata = metadata.with(globalSaves: unfinished + [id])
    }

    func decide(_ parts: [SavePart], model: ManagedObjectModel) throws {
        guard let homePath = paths[home] else { return }
        var written: [String] = []
        do {
            for part in parts.filter(\.isDurable).sorted(by: { $0.entry.store.uuid != home && $1.entry.store.uuid == home }) {
                guard let path = paths[part.entry.store.uuid] else { continue }
                let save = PendingSave(
                    id: id, storeUUID: part.entry.store.uuid, homePath: homePath, allPaths: paths.values.sorted(),
                    changes: try ChangeSetCoding.encode(part.changes, model: model))
                written.append(path)
                try save.write(to: path, files)
            }
        } catch {
            // The home's file first: without it nothing is decided, whatever else is left behind.
            for path in written.reversed() { try? files.removeIfPresent(path) }
            if let fileError = error as? FileError, fileError.stateIsUnknown {
                throw StoreError(
                    .io, "save", "it is unknown whether the save took effect", path: fileError.path, underlying: error, recovery: .reopen)
            }
            throw error
        }
    }

    /// Removes the files of a save that reached all stores. What cannot be removed is removed when the stores are opened again.
    func finish() {
        guard let homePath = paths[home] else { return }
        do {
            for path in paths.values where path != homePath { try files.removeIfPresent(path) }
            for directory in Set(paths.values.map { PathName.parent(of: $0) }) { try files.synchronizeDirectory(directory) }
            try files.removeIfPresent(homePath)
        } catch {
            return
        }
    }
}
