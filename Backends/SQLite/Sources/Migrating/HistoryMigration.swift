import FoundationEssentials
import StrataModel
import StrataSQL
import StrataStore

/// Migrates the persistent history of a store of Core Data's to another version of the model, as Core Data does:
/// renumbers entities, converts the masks of changed properties, and adds an empty transaction of the migrator.
///
/// Changes of objects without an entity in the new model are deleted; all changes where mapping policies create the
/// objects, as Core Data creates a new file without a history then.
struct HistoryMigration {
    private let connection: Connection
    private let migration: StoreMigration
    private let old: StoreSchema
    private let new: StoreSchema
    /// The digest of the version hashes before the migration.
    private let digest: String

    /// - Returns: `nil` for a store without a history.
    init?(_ connection: Connection, _ migration: StoreMigration, from old: StoreSchema, to new: StoreSchema) throws {
        guard try HistoryTables.hasCoreDataTables(connection) else { return nil }
        self.connection = connection
        self.migration = migration
        self.old = old
        self.new = new
        guard case .string(let digest)? = try MetadataTable.read(connection).digests[StoreMetadata.digestKey] else { return nil }
        self.digest = digest
    }

    func run() throws {
        // Its names are the new model's from now on.
        var metadata = try MetadataTable.read(connection)
        if metadata.userInfo.removeValue(forKey: StoreMetadata.historyMigrationsKey) != nil {
            try MetadataTable.write(metadata, connection)
        }
        guard let routes = migration.routes else {
            for table in ["ACHANGE", "ATRANSACTION"] { try connection.execute("DELETE FROM \(identifier: table)", .migrate) }
            return
        }
        let entities = old.tables.values.flatMap(\.hierarchy).map { routes.source.entities[$0] }
        for entity in entities { try migrate(entity, routes) }
        try renumber(entities, routes)
        try addTransaction()
    }

    // MARK: - Changes

    private func migrate(_ entity: EntityDescription, _ routes: MigrationRoutes) throws {
        let number = old.numbers[entity.index]
        guard let before = old.tables[entity.root], let target = routes.target(of: entity.index), let after = new.tables[target.root] else {
            return try connection.execute("DELETE FROM ACHANGE WHERE ZENTITY = \(number: number)", .migrate)
        }
        let slots = HistorySlots(of: entity, in: before, routes.source)
        let newSlots = HistorySlots(of: target, in: after, routes.destination)
        let origins = Dictionary(newSlots.slots.compactMap { slot in slot.origin(in: target, routes).map { (slot, $0) } }) { first, _ in
            first
        }
        if slots.hasComposites || newSlots.hasComposites || slots.slots != newSlots.slots
            || newSlots.slots.contains(where: { origins[$0] != $0 })
        {
            try rewriteMasks(ofNumber: number) { newSlots.mask($0, from: slots, origins) }
        }
        try moveTombstones(of: entity, to: target, number, routes)
        let offset = routes.reference(0, of: entity.index)
        if offset != 0 {
            try connection.execute(
                "UPDATE ACHANGE SET ZENTITYPK = ZENTITYPK + \(bind: .integer(offset)) WHERE ZENTITY = \(number: number)", .migrate)
        }
    }

    /// Converts the masks of updates, some rows at a time.
    private func rewriteMasks(ofNumber number: Int, _ mask: ([UInt8]) -> [UInt8]) throws {
        let rows = try connection.prepare(
            SQLText(
                """
                SELECT Z_PK, ZCOLUMNS FROM ACHANGE WHERE ZENTITY = \(number: number) AND ZCOLUMNS IS NOT NULL AND Z_PK > ?1 \
                ORDER BY Z_PK LIMIT 1000
                """
            ).text)
        let update = try connection.prepare("UPDATE ACHANGE SET ZCOLUMNS = ?1 WHERE Z_PK = ?2")
        var last = Int64.min
        var found: [(Int64, [UInt8])] = []
        repeat {
            found = []
            rows.bind(last, at: 1)
            while try rows.step(.migrate) { found.append((rows.integer(0), unsafe rows.blobBytes(1).map { unsafe Array($0) } ?? [])) }
            rows.clear()
            for (key, bytes) in found {
                try update.bindBlobCopy(mask(bytes), at: 1)
                update.bind(key, at: 2)
                try update.run(.migrate)
                last = key
            }
        } while !found.isEmpty
    }

    /// Moves the preserved values of deleted objects to the columns of the new model.
    private func moveTombstones(
        of entity: EntityDescription, to target: EntityDescription, _ number: Int, _ routes: MigrationRoutes
    ) throws {
        let (before, after) = (entity.tombstones(routes.source).map(\.name), target.tombstones(routes.destination).map(\.name))
        let moved = after.map { name in routes.origin(of: name, in: target).flatMap { before.firstIndex(of: $0.name) } }
        let columns = try connection.texts("SELECT name FROM pragma_table_info('ACHANGE')", columns: 1, .migrate).map { $0[0] }
        for index in 0..<max(before.count, moved.count) where !columns.contains("ZTOMBSTONE\(index)") {
            try connection.execute("ALTER TABLE ACHANGE ADD COLUMN \(identifier: "ZTOMBSTONE\(index)") BLOB", .migrate)
        }
        if moved == before.indices.map(Optional.some) { return }
        let assignments = (0..<max(before.count, moved.count)).map { index in
            let source = index < moved.count ? moved[index] : nil
            let value = source.map { SQLText("\(identifier: "ZTOMBSTONE\($0)")") } ?? "NULL"
            return SQLText("\(identifier: "ZTOMBSTONE\(index)") = \(value)")
        }
        try connection.execute("UPDATE ACHANGE SET \(assignments) WHERE ZENTITY = \(number: number)", .migrate)
    }

    private func renumber(_ entities: [EntityDescription], _ routes: MigrationRoutes) throws {
        let numbers = entities.compactMap { entity in
            routes.target(of: entity.index).map { (old: old.numbers[entity.index], new: new.numbers[$0.index]) }
        }
        let changed = numbers.filter { $0.old != $0.new }.sorted { $0.old < $1.old }
        if changed.isEmpty { return }
        var sql: SQLText = "UPDATE ACHANGE SET ZENTITY = CASE ZENTITY"
        for (old, new) in changed { sql.add(" WHEN \(number: old) THEN \(number: new)") }
        sql.add(" END WHERE ZENTITY IN (\(numbers: changed.map(\.old)))")
        try connection.execute(sql, .migrate)
    }

    // MARK: - The transaction

    private func addTransaction() throws {
        let author = "com.apple.coredata.schemamigrator: lightweight migration from model with digest { \(digest) }"
        let tables = CoreDataHistoryTables(connection: connection, operation: .migrate)
        let record = HistoryRecord(time: Date().timeIntervalSinceReferenceDate, origin: [], body: [])
        _ = try tables.add(record, by: HistoryOrigin(.migration, author: author), CoreDataHistoryColumns(connection).transaction)
    }
}

extension HistorySlots.Slot {
    /// Returns the slot of the property in the version before.
    fileprivate func origin(in target: EntityDescription, _ routes: MigrationRoutes) -> Self? {
        func name(_ name: String) -> String? { routes.origin(of: name, in: target)?.name }
        return switch self {
        case .toOne(let own): name(own).map { .toOne($0) }
        case .number(let own): name(own).map { .number($0) }
        case .order(let own): name(own).map { .order($0) }
        case .attribute(let own): name(own).map { .attribute($0) }
        case .oneToMany(let own): name(own).map { .oneToMany($0) }
        case .manyToMany(let own): name(own).map { .manyToMany($0) }
        }
    }

    fileprivate var relationship: String? { group == nil ? nil : name }
}

extension HistorySlots {
    /// Returns the mask for the new version.
    ///
    /// The order of the slots of to-many relationships is unknown: where one of several changed, all of its kind count as changed.
    ///
    /// - Parameter origins: The slots of the version before, by those of this one.
    fileprivate func mask(_ bytes: [UInt8], from old: HistorySlots, _ origins: [Slot: Slot]) -> [UInt8] {
        guard !hasComposites, !old.hasComposites, let set = old.set(in: bytes) else { return full }
        let changedGroups = Set(set.compactMap(\.group))
        // A changed one may be any of its kind, and may be of another kind now.
        let changed = Set(old.slots.filter { $0.group.map { changedGroups.contains($0) } == true }.compactMap(\.relationship))
        let groups = Set(
            origins.compactMap { slot, origin in origin.relationship.map { changed.contains($0) } == true ? slot.group : nil })
        return mask { slot in
            if let group = slot.group { return groups.contains(group) }
            return origins[slot].map { set.contains($0) } == true
        }
    }
}
