package import StrataModel
import StrataStore

extension PersistentStoreCoordinator {
    package func row(for id: ObjectID) throws -> Row? {
        try log.tracing(StoreOperation(.row, id.entity.name), { stores(of: [id]) }, { $0 == nil ? 0 : 1 }) {
            guard let storeID = id.storeID else { return nil }
            let entry = try entry(of: id) ?? requireEntry(storeID: storeID, .fault)
            let root = id.scope.entity.root
            let row = try withExtendedLifetime(entry) {
                if let reader = snapshots.reader(of: entry.store.id) { return try reader.row(root: root, reference: id.reference) }
                return try entry.store.row(root: root, reference: id.reference)
            }
            return row.flatMap { id.isOf($0) ? $0 : nil }
        }
    }

    package func rows(for ids: [ObjectID]) throws -> [Row?] {
        try log.tracing(StoreOperation(.rows, ids.first?.entity.name), { stores(of: ids) }, \.count) {
            var found = [Row?](repeating: nil, count: ids.count)
            try readByStore(ids) { reader, _, indices in
                let rows = try reader.rows(root: ids[indices[0]].entity.root, references: indices.map { ids[$0].reference })
                PersistentStoreCoordinator.put(rows, at: indices, of: ids, in: &found)
            }
            return found
        }
    }

    /// Puts a store's rows of some objects at their indices.
    private static func put(_ rows: [Row], at indices: [Int], of ids: [ObjectID], in found: inout [Row?]) {
        // Stores mostly answer in the requested order.
        var next = rows.startIndex
        for index in indices where next < rows.endIndex && rows[next].reference == ids[index].reference {
            if ids[index].isOf(rows[next]) { found[index] = rows[next] }
            next += 1
        }
        if next == rows.endIndex { return }
        let byReference = Dictionary(rows.map { ($0.reference, $0) }) { first, _ in first }
        for index in indices { found[index] = byReference[ids[index].reference].flatMap { ids[index].isOf($0) ? $0 : nil } }
    }

    package func destinations(of relationship: RelationshipDescription, from id: ObjectID) throws -> [ObjectID] {
        try log.tracing(StoreOperation(.destinations, id.entity.name, relationship.name), { stores(of: [id]) }, \.count) {
            guard let storeID = id.storeID else { return [] }
            let entry = try requireEntry(storeID: storeID, .fault)
            let references = try read(entry.store) { try $0.destinations(of: relationship, owner: id.reference) }
            return try entry.ids(references, of: relationship, model)
        }
    }

    package func destinations(of relationship: RelationshipDescription, from ids: [ObjectID]) throws -> [[ObjectID]] {
        try log.tracing(StoreOperation(.destinations, ids.first?.entity.name, relationship.name), { stores(of: ids) }, \.count) {
            var found = [[ObjectID]](repeating: [], count: ids.count)
            try readByStore(ids) { reader, entry, indices in
                let references = try reader.destinations(of: relationship, owners: indices.map { ids[$0].reference })
                for (index, references) in zip(indices, references) { found[index] = try entry.ids(references, of: relationship, model) }
            }
            return found
        }
    }

    package func destinationsWithRows(
        of relationship: RelationshipDescription, from ids: [ObjectID]
    ) throws -> (destinations: [[ObjectID]], rows: [[Row]]) {
        var found = (destinations: [[ObjectID]](repeating: [], count: ids.count), rows: [[Row]](repeating: [], count: ids.count))
        let root = model.destination(of: relationship).root
        let operation = StoreOperation(.destinations, ids.first?.entity.name, relationship.name)
        return try log.tracing(operation, { stores(of: ids) }, \.destinations.count) {
            try readByStore(ids) { reader, entry, indices in
                let (references, rows) = try reader.destinationsWithRows(
                    of: relationship, root: root, owners: indices.map { ids[$0].reference })
                var ordered = RowsOfReferences(rows)
                for (index, references) in zip(indices, references) {
                    found.destinations[index] = try entry.ids(references, of: relationship, model)
                    found.rows[index] = ordered.next(references)
                }
            }
            return found
        }
    }

    /// Reads from the store of each object that has one.
    ///
    /// - Parameter body: Gets the indices of the IDs in one store.
    private func readByStore(_ ids: [ObjectID], _ body: (any StoreReader, StoreEntry, [Int]) throws -> Void) throws {
        var groups: [(entry: StoreEntry, indices: [Int])] = []
        // IDs of one scope are mostly adjacent.
        var scope: ObjectIDScope?
        var group: Int?
        for (index, id) in ids.enumerated() {
            if id.scope != scope {
                scope = id.scope
                group = id.storeID.map { storeID in groups.firstIndex { $0.entry.store.id == storeID } ?? groups.endIndex }
                if let storeID = id.storeID, group == groups.endIndex { groups.append((try requireEntry(storeID: storeID, .fault), [])) }
            }
            if let group { groups[group].indices.append(index) }
        }
        try withReaders(groups.map(\.entry)) { readers in
            for (reader, (entry, indices)) in zip(readers, groups) { try body(reader, entry, indices) }
        }
    }
}

extension StoreEntry {
    fileprivate func ids(
        _ references: [ObjectReference], of relationship: RelationshipDescription, _ model: ManagedObjectModel
    ) throws -> [ObjectID] {
        try ids(references, of: model.destination(of: relationship).hierarchy, .fault, relationship)
    }
}
