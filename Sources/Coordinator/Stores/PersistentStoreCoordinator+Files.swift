import StrataModel
import StrataQuery
import StrataStore
import Synchronization

extension PersistentStoreCoordinator {
    /// Removes a store with all its files.
    ///
    /// - Throws: ``StoreError`` with `locked` while this or another coordinator has it open.
    public func destroyStore(at path: String, _ driver: any StoreDriver) throws {
        try requireNotOpen(path, "destroy")
        try driver.destroy(at: path)
    }

    /// Puts a copy of a store where another one is; copies it where none is.
    ///
    /// - Throws: ``StoreError`` with `locked` while this coordinator has the store at `path` open.
    public func replaceStore(at path: String, withStoreAt source: String, _ driver: any StoreDriver) throws {
        try requireNotOpen(path, "replace")
        try driver.replace(at: path, withStoreAt: source)
    }

    private func requireNotOpen(_ path: String, _ operation: String) throws {
        if entries.withLock({ $0.contains { $0.store.path == path } }) {
            throw StoreError(.locked, operation, "the coordinator has the store open", path: path)
        }
    }

    /// Copies everything in a store to a new one of any kind, puts that in its place in this coordinator, and closes the old one, whose
    /// files stay.
    ///
    /// All objects, relationships, orders and the application's metadata arrive in one save: the new store holds all of them or none.
    /// References stay the same where the new kind allows it; the UUID is a new one.
    ///
    /// - Throws: ``StoreError`` with `exists` when the new store is not empty.
    /// - Complexity: O(n) time; memory for all rows.
    public func migrateStore(_ store: any PersistentStore, to description: StoreDescription) throws -> any PersistentStore {
        let entry = try requireEntry(uuid: store.uuid, "migrate")
        var description = description
        description.configuration = description.configuration ?? entry.description.configuration
        let target = try addStore(description)
        do {
            try copyContents(of: entry, to: target)
        } catch {
            try? remove(target)
            throw error
        }
        try remove(store)
        return target
    }

    private func copyContents(of entry: StoreEntry, to target: any PersistentStore) throws {
        var changes = try entry.store.read { reader in
            var changes = ChangeSet()
            for root in Set(entry.entities.map { model.entities[$0].root }).sorted() {
                guard case .rows(let all, _) = try reader.answer(FetchPlan(model.entities[root])) else { continue }
                changes.inserted += all
            }
            for table in model.linkTables where entry.entities.contains(table.first.entity) || entry.entities.contains(table.second.entity)
            {
                changes.links += try reader.links(of: table).map { LinkChange(table: table.index, kind: .put, link: $0) }
            }
            return changes
        }
        try target.write { transaction in
            let isEmpty = try target.read { reader in
                try model.entities.allSatisfy { entity in
                    guard entity.superentity == nil, case .count(let count) = try reader.execute(FetchPlan(entity, .count)) else {
                        return true
                    }
                    return count == 0
                }
            }
            guard isEmpty else { throw StoreError(.exists, "migrate", "there are objects in the new store already", path: target.path) }
            changes = try renumber(changes, transaction, target.capabilities.referenceScope)
            var metadata = try target.metadata()
            metadata.userInfo.merge(try entry.store.metadata().userInfo) { own, _ in own }
            metadata.userInfo[StoreMetadata.lastGlobalSaveKey] = nil
            changes.metadata = metadata
            let conflicts = try transaction.apply(changes)
            guard conflicts.isEmpty else {
                throw StoreError(
                    .constraint, "migrate", "objects of the store break a constraint", path: entry.store.path, conflicts: conflicts)
            }
        }
    }

    /// Gives rows the references under which the new store keeps them, and version 1.
    private func renumber(
        _ changes: ChangeSet, _ transaction: any StoreTransaction, _ scope: StoreCapabilities.ReferenceScope
    ) throws -> ChangeSet {
        let byRoot = Dictionary(grouping: changes.inserted) { model.entities[$0.entityIndex].root }
        var references: [Int: [Int64: Int64]] = [:]
        for (root, rows) in byRoot.sorted(by: { $0.key < $1.key }) {
            switch scope {
            case .tree:
                // Setting the references up to the greatest aside keeps new objects clear of these.
                let greatest = rows.map(\.reference).max() ?? 0
                var reserved: Int64 = 0
                while reserved < greatest {
                    let count = Int(min(greatest - reserved, Int64(Int32.max)))
                    reserved = try transaction.reserveReferences(count, root: root) + Int64(count) - 1
                }
            case .store:
                let first = try transaction.reserveReferences(rows.count, root: root)
                references[root] = Dictionary(rows.enumerated().map { ($1.reference, first + Int64($0)) }) { first, _ in first }
            }
        }
        guard scope == .store else { return changes }
        var renumbered = changes
        var writer = RowWriter()
        renumbered.inserted = changes.inserted.map { row in
            let entity = model.entities[row.entityIndex]
            var replaced: [(Int, Int64)] = []
            for property in entity.properties {
                guard let relationship = property.relationship, case .toOne(let slot, _, _) = relationship.storage,
                    let old = row.integer(slot), let new = references[model.destination(of: relationship).root]?[old]
                else { continue }
                replaced.append((slot, new))
            }
            return writer.copy(row, reference: references[entity.root]?[row.reference] ?? row.reference, replacing: replaced)
        }
        renumbered.links = changes.links.compactMap { change in
            let table = model.linkTables[change.table]
            guard let first = references[model.entities[table.first.entity].root]?[change.link.first],
                let second = references[model.entities[table.second.entity].root]?[change.link.second]
            else { return nil }
            var link = change.link
            link.first = first
            link.second = second
            return LinkChange(table: change.table, kind: .put, link: link)
        }
        return renumbered
    }
}
