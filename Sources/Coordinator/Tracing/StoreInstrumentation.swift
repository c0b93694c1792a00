public import Logging
public import StrataStore

/// The listeners of a coordinator's operations: a logger, with levels by area, and observers such as metrics and traces.
///
/// ```swift
/// var instrumentation = StoreInstrumentation(logger: logger)
/// instrumentation.logLevels = [.saves: .debug, .fetches: .warning]
/// instrumentation.slowFetchThreshold = .milliseconds(50)
/// let container = try PersistentContainer(model: model, stores: [store], instrumentation: instrumentation)
/// ```
public struct StoreInstrumentation: Sendable {
    /// An area of operations, with a log level of its own.
    public enum Area: Sendable, Hashable, CaseIterable {
        /// Saves; lines of level `debug`.
        case saves
        /// Fetches, counts and groups; lines of level `debug`, and `warning` for slow ones.
        case fetches
        /// Round trips for the rows of faults and the destinations of relationships; lines of level `trace`, and `warning` for loops that load
        /// one object after the other.
        case roundTrips
        /// Batch requests; lines of level `debug`.
        case batches
        /// Migrations of stores to another version of the model; lines of level `info`, and `warning` for what was malformed in an opened store.
        case migrations
        /// Saves of other processes and programs, where a store reports them; lines of level `debug`.
        case remoteChanges
    }

    /// Where operations are logged; `nil` for nowhere.
    public var logger: Logger?
    /// The least level of an area's lines; for areas that are left out the logger's own.
    public var logLevels: [Area: Logger.Level] = [:]
    /// The duration from which on a fetch is logged as a warning with its explanation, for which it is executed once more; `nil` for none.
    public var slowFetchThreshold: Duration?
    /// The observers of completed operations and of the uses of connections.
    public var observers: [any OperationObserver] = []

    /// Creates listeners; by default none.
    public init(logger: Logger? = nil, observers: [any OperationObserver] = []) {
        self.logger = logger
        self.observers = observers
    }

    var isEmpty: Bool { logger == nil && observers.isEmpty }

    /// Returns the logger of an area.
    func logger(of area: Area) -> Logger? {
        guard var logger else { return nil }
        if let level = logLevels[area] { logger.logLevel = level }
        return logger
    }

    /// Returns the logger of an area where it writes lines of a level.
    func logger(of area: Area, _ level: Logger.Level) -> Logger? {
        guard let logger, (logLevels[area] ?? logger.logLevel) <= level else { return nil }
        return self.logger(of: area)
    }
}

/// An observer of a coordinator's completed operations, such as one that measures them.
///
/// It is called on the thread of the operation, which waits for it, after all locks of the operation were released.
public protocol OperationObserver: Sendable {
    /// Whether ``didComplete(_:)`` is called for round trips of faults and relationships, too.
    var observesRoundTrips: Bool { get }
    /// Whether the rows that stores read are counted for the observer, see ``CompletedOperation/rowsRead``; true by default.
    var countsRows: Bool { get }
    /// Called after each operation, also one that failed.
    func didComplete(_ operation: CompletedOperation)
    /// Called when a store returns a connection to its pool.
    func didUse(_ connection: ConnectionUse, of store: any PersistentStore)
}

extension OperationObserver {
    public var countsRows: Bool { true }
}

/// An operation of a coordinator in its stores.
public struct StoreOperation: Sendable {
    /// The kinds of operations, by the names that metrics and traces have for them.
    public enum Kind: String, Sendable, Hashable {
        case fetch, count, group
        case fetchIDs = "fetch IDs"
        case fetchValues = "fetch values"
        case save
        case batchInsert = "batch insert"
        case batchUpdate = "batch update"
        case batchDelete = "batch delete"
        case row, rows, destinations
        case migrate
    }

    /// The kind of operation.
    public let kind: Kind
    /// The entity, where there is one.
    public let entity: String?
    /// The relationship, of a round trip for its destinations.
    public let relationship: String?
    /// The numbers of objects that a save inserts, updates and deletes.
    public let inserted, updated, deleted: Int

    init(_ kind: Kind, _ entity: String?, _ relationship: String? = nil) {
        self.kind = kind
        self.entity = entity
        self.relationship = relationship
        (inserted, updated, deleted) = (0, 0, 0)
    }

    init(_ request: SaveChangesRequest) {
        kind = .save
        (entity, relationship) = (nil, nil)
        (inserted, updated, deleted) = request.parts.reduce((0, 0, 0)) {
            ($0.0 + $1.changes.inserted.count, $0.1 + $1.changes.updated.count, $0.2 + $1.changes.deleted.count)
        }
    }

    /// The area of the operation.
    public var area: StoreInstrumentation.Area {
        switch kind {
        case .fetch, .count, .group, .fetchIDs, .fetchValues: .fetches
        case .save: .saves
        case .batchInsert, .batchUpdate, .batchDelete: .batches
        case .row, .rows, .destinations: .roundTrips
        case .migrate: .migrations
        }
    }

    var level: Logger.Level {
        switch area {
        case .roundTrips: .trace
        case .migrations: .info
        default: .debug
        }
    }

    /// The operation as a phrase for a log.
    var phrase: String {
        let entity = entity ?? ""
        return switch kind {
        case .save: "save \(inserted) inserted, \(updated) updated, \(deleted) deleted"
        case .fetchIDs: "fetch IDs of \(entity)"
        case .fetchValues: "fetch values of \(entity)"
        case .batchInsert, .batchUpdate: "\(kind.rawValue) of \(entity)"
        case .row, .rows: "\(kind.rawValue) of \(entity)"
        case .destinations: "\(entity).\(relationship ?? "")"
        case .migrate: "migrate"
        case .fetch, .count, .group: "\(kind.rawValue) \(entity)"
        case .batchDelete: kind.rawValue
        }
    }
}

/// An operation that has ended.
public struct CompletedOperation: Sendable {
    /// The operation.
    public let operation: StoreOperation
    /// The stores that took part, as far as they are open.
    public let stores: [any PersistentStore]
    /// The nanoseconds that it took.
    public let nanoseconds: UInt64
    /// Its end, by the clock of durations, in nanoseconds.
    public let end: UInt64
    /// The number of results; `nil` for an operation without any, and after an error.
    public let resultCount: Int?
    /// The number of rows that the stores read; `nil` for an operation other than a fetch, where no statement returns them, and where no listener
    /// needs it.
    public let rowsRead: Int?
    /// The error with which it failed.
    public let error: (any Error)?
}
