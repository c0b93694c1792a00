import StrataModel
import Synchronization

/// What a store knows of its history.
struct HistoryState: ~Copyable {
    /// The tables that the last transaction found; `nil` where they are unknown.
    let tables = Mutex<HistoryTables?>(nil)
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
}
