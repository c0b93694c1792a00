/// The state of an open store, as far as the store knows it: for health checks and gauges.
public struct StoreCondition: Sendable {
    /// The error with which all further work fails until the store is opened again; `nil` while it works.
    public var failure: StoreError?
    /// The pools of the store's connections; none for a store without connections.
    public var pools: [ConnectionPoolStatus]
    /// The state of the replica; `nil` for a store without one.
    public var replica: Replica?

    /// The state of a server that follows a store's own one.
    public struct Replica: Sendable, Hashable {
        /// Whether the last read that asked it was answered.
        public let isAnswering: Bool
        /// The bytes of the write-ahead log that it had not replayed when it was last asked; `nil` before it was asked.
        public let lagBytes: Int64?

        /// Creates a state.
        public init(isAnswering: Bool, lagBytes: Int64?) {
            self.isAnswering = isAnswering
            self.lagBytes = lagBytes
        }
    }

    /// Creates a state; by default of a store that works and has no connections.
    public init(failure: StoreError? = nil, pools: [ConnectionPoolStatus] = [], replica: Replica? = nil) {
        self.failure = failure
        self.pools = pools
        self.replica = replica
    }
}

/// The state of a pool of connections at a moment.
public struct ConnectionPoolStatus: Sendable, Hashable {
    /// The name of the pool, unique in its store.
    public let name: String
    /// The numbers of connections that are lent, and that are open and idle.
    public let used, idle: Int
    /// The maximum number of lent connections.
    public let maximum: Int
    /// The number of callers that wait for a connection.
    public let pending: Int
    /// The number of callers since the store was opened whose maximum wait ended without a connection.
    public let timeouts: Int

    /// Creates a state.
    public init(name: String, used: Int, idle: Int, maximum: Int, pending: Int = 0, timeouts: Int = 0) {
        self.name = name
        self.used = used
        self.idle = idle
        self.maximum = maximum
        self.pending = pending
        self.timeouts = timeouts
    }
}

/// A use of a connection, which has ended.
public struct ConnectionUse: Sendable, Hashable {
    /// The name of the pool.
    public let pool: String
    /// The nanoseconds from the request to the connection, and from there to its return.
    public let wait, use: UInt64
    /// The nanoseconds in which the connection was opened; `nil` for one that was open before.
    public let creation: UInt64?

    /// Creates a use.
    public init(pool: String, wait: UInt64, use: UInt64, creation: UInt64?) {
        self.pool = pool
        self.wait = wait
        self.use = use
        self.creation = creation
    }
}
