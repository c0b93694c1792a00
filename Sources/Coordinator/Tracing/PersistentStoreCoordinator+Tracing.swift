public import Logging
import StrataStore
import Synchronization

extension PersistentStoreCoordinator {
    /// The listeners of the coordinator's operations: its logger, and observers such as metrics.
    ///
    /// Set it when the coordinator is made, so that migrations are logged.
    public var instrumentation: StoreInstrumentation {
        get { log.instrumentation }
        set {
            log.instrumentation = newValue
            for entry in entries.withLock({ $0 }) { observeConnections(of: entry) }
        }
    }

    /// Where the coordinator logs its operations; `nil`, the default, logs nothing, and costs a look.
    ///
    /// The level `debug` has fetches, saves and batch requests, `trace` also each round trip for the rows of faults and the destinations of
    /// relationships, `info` migrations, and `warning` loops that load one object after the other.
    /// ``StoreInstrumentation/logLevels`` has levels by area. Each line has the entities, the time in microseconds, the store, how many objects it
    /// was about and how many rows the store read, and none of an application's values: conditions are left out. Statements of SQLite are
    /// logged by its driver, see `sqlite(pragmas:pageChecksums:mmapSize:logger:)`.
    ///
    /// ```swift
    /// var logger = Logger(label: "store")
    /// logger.logLevel = .debug
    /// container.coordinator.logger = logger
    /// ```
    public var logger: Logger? {
        get { instrumentation.logger }
        set { instrumentation.logger = newValue }
    }

    package func warn(_ message: @autoclosure () -> String) { log.warn(.roundTrips, message) }

    /// Passes the uses of a store's connections to the observers.
    func observeConnections(of entry: StoreEntry) {
        let observers = log.instrumentation.observers
        if observers.isEmpty { return entry.store.reportConnections(to: nil) }
        // Not weak: each retain of a store with weak references takes ten times as long. The entry removes it.
        let store = entry.store
        store.reportConnections { use in
            for observer in observers { observer.didUse(use, of: store) }
        }
    }

    /// Returns the open stores of a plan.
    func stores(of plan: FetchPlan) -> [any PersistentStore] {
        entries.withLock { entries in
            entries.count == 1 ? entries[0].onlyStore : entries.filter { $0.holds(anyOf: plan.entities) }.map(\.store)
        }
    }

    /// Returns the open stores with the given objects.
    func stores(of ids: some Sequence<ObjectID>) -> [any PersistentStore] {
        entries.withLock { entries in
            if entries.count == 1 { return entries[0].onlyStore }
            let storeIDs = Set(ids.lazy.compactMap(\.storeID))
            return entries.filter { storeIDs.contains($0.store.id) }.map(\.store)
        }
    }

    /// Returns the open stores that an operation affects; `nil` for all.
    func stores(with ids: [StoreID]?) -> [any PersistentStore] {
        entries.withLock { entries in
            if entries.count == 1, ids?.contains(entries[0].store.id) != false { return entries[0].onlyStore }
            return entries.filter { ids?.contains($0.store.id) != false }.map(\.store)
        }
    }
}

extension StoreOperation {
    init(_ plan: FetchPlan) {
        let kind: Kind =
            switch plan.result {
            case .rows: .fetch
            case .references: .fetchIDs
            case .count: .count
            case .groups: .group
            case .values: .fetchValues
            }
        self.init(kind, plan.entity.name)
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
