import StrataStore

/// The new names of entities and properties after a migration, for the transactions of the history before it.
///
/// Bodies have the names of the model that they were written with. They are not rewritten by a migration: the metadata
/// list what it renames, and readers apply it.
struct HistoryRenaming: Sendable {
    struct Target: Sendable {
        /// The name of the entity; empty for a removed one.
        let name: String
        /// The distance of the references of the new objects.
        let offset: Int64
        /// The new names of properties, empty for removed ones; others keep theirs.
        let properties: [String: String]
    }

    /// The number of the last transaction before the migration.
    let number: Int64
    /// The entities that change; `nil` where policies made other objects: tokens before the migration expire.
    let entities: [String: Target]?

    init(number: Int64, _ routes: MigrationRoutes?) {
        self.number = number
        entities = routes.map { routes in
            var entities: [String: Target] = [:]
            for entity in routes.source.entities {
                guard let target = routes.target(of: entity.index) else {
                    entities[entity.name] = Target(name: "", offset: 0, properties: [:])
                    continue
                }
                var names = Dictionary(entity.properties.map { ($0.name, "") }) { first, _ in first }
                for property in target.properties {
                    if let origin = routes.origin(of: property.name, in: target) { names[origin.name] = property.name }
                }
                let offset = routes.reference(0, of: entity.index)
                let changed = names.filter { $0.key != $0.value }
                if target.name == entity.name && offset == 0 && changed.isEmpty { continue }
                entities[entity.name] = Target(name: target.name, offset: offset, properties: changed)
            }
            return entities
        }
    }

    var value: PropertyListValue {
        guard let entities else { return .array([.int(number)]) }
        let targets = entities.mapValues { target in
            PropertyListValue.array([
                .string(target.name), .int(target.offset), .dictionary(target.properties.mapValues { .string($0) }),
            ])
        }
        return .array([.int(number), .dictionary(targets)])
    }

    init?(_ value: PropertyListValue) {
        guard case .array(let list) = value, case .int(let number)? = list.first else { return nil }
        self.number = number
        guard list.count > 1 else {
            entities = nil
            return
        }
        guard case .dictionary(let targets) = list[1] else { return nil }
        entities = targets.compactMapValues { value in
            guard case .array(let list) = value, list.count == 3, case .string(let name) = list[0], case .int(let offset) = list[1],
                case .dictionary(let properties) = list[2]
            else { return nil }
            return Target(
                name: name, offset: offset, properties: properties.compactMapValues { if case .string(let name) = $0 { name } else { nil } }
            )
        }
    }
}

extension StoreMetadata {
    /// The migrations since the history began, in order.
    var historyRenamings: [HistoryRenaming] {
        get {
            guard case .array(let all)? = userInfo[StoreMetadata.historyMigrationsKey] else { return [] }
            return all.compactMap { HistoryRenaming($0) }
        }
        set { userInfo[StoreMetadata.historyMigrationsKey] = newValue.isEmpty ? nil : .array(newValue.map(\.value)) }
    }
}

extension StoreEntry {
    /// Adds a transaction without changes to the history after a migration; throws `StoreError`.
    func noteMigration(_ metadata: StoreMetadata, _ model: ManagedObjectModel) throws {
        guard keepsHistory, let last = metadata.historyRenamings.last?.number, try lastHistoryNumber() == last else { return }
        let transaction = try store.beginWrite()
        try transaction.orRollback {
            // Another process may have been faster.
            guard try lastHistoryNumber() == last else { return transaction.rollback() }
            let origin = HistoryOrigin(.migration, processName: HistoryOrigin.thisProcess)
            try transaction.append(
                HistoryRecord(
                    time: Date().timeIntervalSinceReferenceDate, origin: origin.encoded, body: HistoryBodyWriter(model).finish()))
            try transaction.prepare()
            try transaction.commit()
        }
    }
}
