public import Logging
import StrataModel
import StrataStore

extension PersistentStoreCoordinator {
    /// Where the coordinator writes what it does: with the level `debug` fetches, saves and batch requests, with
    /// `trace` also each round trip for the rows of faults and the destinations of relationships; and with `warning`
    /// loops that ask for one object after the other.
    ///
    /// Each line has the entities, the time in microseconds and how many objects it was about, and none of an
    /// application's values: conditions are left out. `nil`, the default, writes nothing, and costs a look. Statements
    /// of SQLite are written by its driver, see `sqlite(pragmas:pageChecksums:logger:)`.
    ///
    /// ```swift
    /// var logger = Logger(label: "store")
    /// logger.logLevel = .debug
    /// container.coordinator.logger = logger
    /// ```
    public var logger: Logger? {
        get { log.logger }
        set { log.logger = newValue }
    }

    package func warn(_ message: @autoclosure () -> String) { log.logger?.warning("\(message())") }
}

extension FetchPlan {
    var work: String {
        switch result {
        case .rows: "fetch \(entity.name)"
        case .references: "fetch IDs of \(entity.name)"
        case .count: "count \(entity.name)"
        case .groups: "group \(entity.name)"
        case .values: "fetch values of \(entity.name)"
        }
    }
}

extension CoordinatorAnswer {
    /// The number of results.
    var size: Int {
        switch self {
        case .rows(let rows): rows.rows.count
        case .ids(let ids): ids.count
        case .count(let count): count
        case .groups(let groups): groups.count
        case .values(let values): values.count
        }
    }
}

extension SaveChangesRequest {
    var work: String {
        let (inserted, updated, deleted) = changes.values.reduce((0, 0, 0)) {
            ($0.0 + $1.inserted.count, $0.1 + $1.updated.count, $0.2 + $1.deleted.count)
        }
        return "save \(inserted) inserted, \(updated) updated, \(deleted) deleted"
    }
}
