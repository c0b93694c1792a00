import StrataModel
import Synchronization

/// What a store knows of its history.
struct HistoryState: ~Copyable {
    /// The tables, with the version of the schema at which they were found; `nil` where they are unknown.
    private let tables = Mutex<(version: Int64, tables: HistoryTables)?>(nil)
    /// The forms of entities in Core Data's tables.
    let entities = Mutex<[EntityIndex: CoreDataHistoryEntity]>([:])
    /// Whether a history that begins is stored in Core Data's tables.
    let prefersCoreDataTables: Bool
    /// Whether the store has Core Data's tables.
    let hasCoreDataTables: Atomic<Bool>

    init(prefersCoreDataTables: Bool, hasCoreDataTables: Bool) {
        self.prefersCoreDataTables = prefersCoreDataTables
        self.hasCoreDataTables = Atomic(hasCoreDataTables)
    }

    /// Returns the tables of a version of the schema; `nil` where they were found at another one.
    func tables(at version: Int64?) -> HistoryTables? { tables.withLock { $0?.version == version ? $0?.tables : nil } }

    /// Notes the tables that were found or created at a version of the schema.
    func note(_ found: HistoryTables, at version: Int64) {
        tables.withLock { $0 = (version, found) }
        if case .coreData = found { hasCoreDataTables.store(true, ordering: .relaxed) }
    }
}
