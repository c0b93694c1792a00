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
        guard try SchemaInspector.hasHistory(connection) else { return nil }
        self.connection = connection
        self.migration = migration
        self.old = old
        self.new = new
        guard case .string(let digest)? = try MetadataTable.read(connection).digests[StoreMetadata.digestKey] else { return nil }
        self.digest = digest
    }

    func run() throws {
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
        let (before, after) = (entity.tombstones(routes.source), target.tombstones(routes.destination))
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
        let process = ProcessInfo.processInfo.processName
        let columns = Set(try connection.texts("SELECT name FROM pragma_table_info('ATRANSACTION')", columns: 1, .migrate).map { $0[0] })
        var values: [(String, SQLBinding)] = [
            ("Z_PK", .integer(try nextKey("ATRANSACTION", number: 16002))), ("Z_ENT", .integer(16002)),
            ("ZTIMESTAMP", .double(Date().timeIntervalSinceReferenceDate)),
        ]
        // The first versions stored the texts in the row itself.
        for (name, text) in [("ZAUTHOR", author), ("ZBUNDLEID", process), ("ZPROCESSID", process)] {
            if columns.contains(name + "TS") {
                values.append((name + "TS", .integer(try key(of: text))))
            } else if columns.contains(name) {
                values.append((name, .text(text)))
            }
        }
        let bindings = values.map { SQLText("\(bind: $1)") }
        try connection.execute("INSERT INTO ATRANSACTION (\(identifiers: values.map(\.0))) VALUES (\(bindings))", .migrate)
    }

    /// Returns the key of a text in the table of shared texts.
    private func key(of text: String) throws -> Int64 {
        if let known = try connection.integer("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = \(bind: .text(text))", .migrate) {
            return known
        }
        let key = try nextKey("ATRANSACTIONSTRING", number: 16003)
        try connection.execute(
            "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (\(bind: .integer(key)), 16003, \(bind: .text(text)))", .migrate)
        return key
    }

    /// Returns the next key of a table of the history; no key is used twice.
    private func nextKey(_ table: String, number: Int) throws -> Int64 {
        let last = try connection.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number: number)", .migrate) ?? 0
        let greatest = try connection.integer("SELECT max(Z_PK) FROM \(identifier: table)", .migrate) ?? 0
        let (next, overflow) = max(last, greatest).addingReportingOverflow(1)
        if overflow { throw StoreError(.tooLarge, .migrate, "the history has no number left for a transaction", path: connection.path) }
        try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(bind: .integer(next)) WHERE Z_ENT = \(number: number)", .migrate)
        return next
    }
}

extension HistorySlots.Slot {
    /// The slot of the property in the version before.
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

    /// The kind of a to-many relationship; `nil` for properties with a slot of their own.
    fileprivate var group: Int? {
        switch self {
        case .oneToMany: 0
        case .manyToMany: 1
        default: nil
        }
    }

    fileprivate var relationship: String? {
        switch self {
        case .oneToMany(let name), .manyToMany(let name): name
        default: nil
        }
    }
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

extension EntityDescription {
    /// The attributes preserved on deletion: inherited ones first, then by name.
    fileprivate func tombstones(_ model: ManagedObjectModel) -> [String] {
        func depth(_ attribute: AttributeDescription) -> Int { model.entities[attribute.declaringEntity].superentityNames.count }
        return preservedAttributes.filter { !$0.isTransient }.sorted { a, b in
            let (first, second) = (depth(a), depth(b))
            return first == second ? a.name.utf16.lexicographicallyPrecedes(b.name.utf16) : first < second
        }.map(\.name)
    }
}
