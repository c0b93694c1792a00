import StrataEngine

struct LMDBReader: StoreReader {
    let snapshot: Snapshot
    let storeID: StoreID?

    private var path: String { snapshot.rows.path }

    func execute(_ plan: FetchPlan) throws -> StoreAnswer {
        try storeErrors(.fetch, path: path) { try PlanRunner(plan, MappedSource(snapshot: snapshot, storeID: storeID)).run() }
    }

    func explain(_ plan: FetchPlan) throws -> PlanExplanation {
        try storeErrors(.fetch, path: path) { try PlanRunner(plan, MappedSource(snapshot: snapshot, storeID: storeID)).explanation() }
    }

    func rows(root: EntityIndex, references: [Int64]) throws -> [Row] {
        try storeErrors(.fetch, path: path) {
            let hierarchy = try snapshot.hierarchy(root)
            var rows: [Row] = []
            rows.reserveCapacity(references.count)
            var writer = RowWriter(chunkSize: references.count == 1 ? 1024 : references.count < 64 ? 16 << 10 : 256 << 10)
            for reference in references {
                if let stored = try snapshot.stored(reference, in: hierarchy) { rows.append(try snapshot.rows.copy(stored, &writer)) }
            }
            return rows
        }
    }

    func versions(root: EntityDescription) throws -> [RowVersion] {
        try storeErrors(.fetch, path: path) {
            guard let hierarchy = snapshot.schema.hierarchy(root.index) else { return [] }
            var versions: [RowVersion] = []
            try snapshot.scan(hierarchy) { stored in
                let row = stored.row
                versions.append(RowVersion(entity: row.entityIndex, reference: row.reference, version: row.version))
                return true
            }
            return versions
        }
    }

    func existing(root: EntityIndex, references: [Int64]) throws -> [ObjectReference] {
        try storeErrors(.fetch, path: path) {
            let hierarchy = try snapshot.hierarchy(root)
            return try references.compactMap { reference in
                try snapshot.stored(reference, in: hierarchy).map { ObjectReference(entity: $0.row.entityIndex, reference: reference) }
            }
        }
    }

    func row(root: EntityIndex, reference: Int64) throws -> Row? {
        try storeErrors(.fetch, path: path) {
            guard let hierarchy = snapshot.schema.hierarchy(root) else { return nil }
            return try snapshot.stored(reference, in: hierarchy).map { try snapshot.rows.copy($0) }
        }
    }

    func destinations(of relationship: RelationshipDescription, owner: Int64) throws -> [ObjectReference] {
        try storeErrors(.fetch, path: path) { try Destinations(snapshot: snapshot).of(relationship, owner: owner) }
    }

    func links(of table: LinkTable) throws -> [Link] {
        try storeErrors(.fetch, path: path) { try Destinations(snapshot: snapshot).links(of: table) }
    }

    func links(of table: LinkTable, _ selection: LinkSelection) throws -> [Link] {
        try storeErrors(.fetch, path: path) { try Destinations(snapshot: snapshot).links(of: table, selection) }
    }
}
