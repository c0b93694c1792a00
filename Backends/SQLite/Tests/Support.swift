import CStrataSQLite
import FoundationEssentials
import StrataFiles
import StrataModel
import StrataQuery
import StrataSQLite
import StrataStore
import Testing

/// A directory that goes when the test ends.
final class Sandbox {
    let directory: String

    init() throws {
        directory = "/tmp/strata-sqlite-\(UUID().uuidString)"
        try PosixFileSystem.shared.makeDirectories(directory)
    }

    deinit { try? PosixFileSystem.shared.removeTree(directory) }

    func path(_ name: String = "Store.sqlite") -> String { directory + "/" + name }
    var names: [String] { (try? PosixFileSystem.shared.names(inDirectory: directory)) ?? [] }
}

func open(
    _ path: String,
    _ model: ManagedObjectModel,
    configuration: String? = nil,
    isReadOnly: Bool = false,
    options: StoreOptions = .init(),
    pragmas: [String: String] = [:]
) throws -> any StoreBackend {
    var description = StoreDescription(.sqlite(pragmas: pragmas), path: path, configuration: configuration, isReadOnly: isReadOnly)
    description.options = options
    return try openStore(description, model: model)
}

/// A row of an entity with values by name; to-one relationships take references.
func row(
    _ model: ManagedObjectModel,
    _ entity: String,
    _ reference: Int64,
    _ values: [String: Value] = [:],
    version: UInt32 = 1
) throws -> Row {
    let entity = try #require(model.entity(named: entity))
    var writer = RowWriter(forOneRowOf: 1024)
    writer.begin(entity, reference: reference, version: version)
    for property in entity.properties {
        switch property {
        case .attribute(let attribute):
            if let slot = attribute.slot, let value = values[attribute.name] { writer.set(value, at: slot, attribute.slotKind) }
        case .relationship(let relationship):
            guard case .toOne(let slot, let leaf, let order) = relationship.storage else { continue }
            if case .int(let number)? = values[relationship.name] {
                writer.set(integer: number, at: slot)
                if let leaf {
                    let name =
                        if case .string(let name)? = values[relationship.name + ".entity"] { name } else {
                            relationship.declaration.destination
                        }
                    let destination = try #require(model.entity(named: name))
                    writer.set(integer: Int64(destination.index.rawValue), at: leaf)
                }
            }
            if let order, case .int(let position)? = values[relationship.name + ".order"] { writer.set(integer: position, at: order) }
        }
    }
    return writer.finish()
}

/// The slots of properties of an entity.
func slots(_ model: ManagedObjectModel, _ entity: String, _ names: String...) throws -> [Slot] {
    let entity = try #require(model.entity(named: entity))
    return entity.layout.slots.typedIndices(Slot.self).filter { names.contains(entity.properties[entity.layout.slots[$0].property].name) }
}

/// A value of a row, by the attribute's name.
func value(_ row: Row, _ name: String, _ model: ManagedObjectModel) throws -> Value {
    let attribute = try #require(model.entities[row.entityIndex].attribute(named: name))
    let slot = try #require(attribute.slot)
    return row.value(slot, attribute.slotKind)
}

extension StoreBackend {
    /// Applies a change set and commits, or rolls back where anything conflicts.
    @discardableResult
    func save(_ changes: ChangeSet) throws -> [StoreConflict] {
        let transaction = try beginWrite()
        let conflicts = try transaction.apply(changes)
        if conflicts.isEmpty { try transaction.commit() } else { transaction.rollback() }
        return conflicts
    }

    func insert(_ rows: Row...) throws -> [StoreConflict] {
        var changes = ChangeSet()
        changes.inserted = rows
        return try save(changes)
    }

    /// All rows of an entity after the core finished the plan.
    func fetch(_ plan: FetchPlan) throws -> [Row] {
        try read { reader in
            guard case .rows(let finished, _) = try reader.answer(plan) else { return [] }
            return finished
        }
    }
}

/// Runs a statement with the library alone, and answers its rows as text.
@discardableResult
func raw(_ path: String, _ sql: String) throws -> [[String?]] {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    try #require(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, nil) == SQLITE_OK)
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    try #require(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, "\(String(cString: sqlite3_errmsg(handle)))")
    var rows: [[String?]] = []
    while true {
        let code = sqlite3_step(statement)
        if code != SQLITE_ROW {
            try #require(code == SQLITE_DONE, "\(String(cString: sqlite3_errmsg(handle)))")
            return rows
        }
        rows.append(
            (0..<sqlite3_column_count(statement)).map { column in sqlite3_column_text(statement, column).map { String(cString: $0) } }
        )
    }
}

func code(_ body: () throws -> Void) -> StoreError.Code? {
    do {
        try body()
        return nil
    } catch { return (error as? StoreError)?.code }
}

/// Runs statements with the library alone.
func script(_ path: String, _ sql: String) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    try #require(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
    try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK, "\(String(cString: sqlite3_errmsg(handle)))")
}
