extension StoreError {
    /// The operation that failed. Stores and applications may add their own.
    // Spelled out where it is used: reading a row costs no access to a global.
    @frozen
    public struct Operation: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        public let rawValue: String
        @inlinable public init(rawValue: String) { self.rawValue = rawValue }
        public var description: String { rawValue }

        /// Opening or creating a store.
        @inlinable public static var open: Operation { Operation(rawValue: "open") }
        /// Closing a store, as removing it from its coordinator does.
        @inlinable public static var close: Operation { Operation(rawValue: "close") }
        /// Reading the metadata of a store, or changing those of one that is not open.
        @inlinable public static var metadata: Operation { Operation(rawValue: "metadata") }
        /// Changing the application's metadata of an open store.
        @inlinable public static var setUserInfo: Operation { Operation(rawValue: "set user info") }
        /// Removing a store with all its files.
        @inlinable public static var destroy: Operation { Operation(rawValue: "destroy") }
        /// Replacing one store by a copy of another.
        @inlinable public static var replace: Operation { Operation(rawValue: "replace") }
        /// Copying all stores of a coordinator to a backup.
        @inlinable public static var backUp: Operation { Operation(rawValue: "back up") }
        /// Replacing stores by those of a backup.
        @inlinable public static var restore: Operation { Operation(rawValue: "restore") }
        /// Migrating a store to another location, kind or model.
        @inlinable public static var migrate: Operation { Operation(rawValue: "migrate") }
        /// Checking a store for damage.
        @inlinable public static var verify: Operation { Operation(rawValue: "verify") }
        /// Answering a request: objects, IDs, counts or values.
        @inlinable public static var fetch: Operation { Operation(rawValue: "fetch") }
        /// Explaining a fetch.
        @inlinable public static var explain: Operation { Operation(rawValue: "explain") }
        /// Saving a context's changes.
        @inlinable public static var save: Operation { Operation(rawValue: "save") }
        /// Giving new objects permanent IDs before they are saved.
        @inlinable public static var obtainPermanentIDs: Operation { Operation(rawValue: "obtain permanent IDs") }
        /// Inserting many objects without a context.
        @inlinable public static var batchInsert: Operation { Operation(rawValue: "batch insert") }
        /// Changing many objects without a context.
        @inlinable public static var batchUpdate: Operation { Operation(rawValue: "batch update") }
        /// Deleting many objects without a context.
        @inlinable public static var batchDelete: Operation { Operation(rawValue: "batch delete") }
        /// Testing a condition on an object in memory.
        @inlinable public static var evaluate: Operation { Operation(rawValue: "evaluate") }
        /// Resolving an interrupted two-phase commit.
        @inlinable public static var resolve: Operation { Operation(rawValue: "resolve") }
        /// Reading a value that was not loaded.
        @inlinable public static var read: Operation { Operation(rawValue: "read") }
        /// Firing a fault.
        @inlinable public static var fault: Operation { Operation(rawValue: "fault") }
        /// Reading a fetched property.
        @inlinable public static var access: Operation { Operation(rawValue: "access") }
        /// Finding an object by its ID.
        @inlinable public static var lookUp: Operation { Operation(rawValue: "look up") }
        /// Refreshing objects.
        @inlinable public static var refresh: Operation { Operation(rawValue: "refresh") }
        /// Inserting an object into a context.
        @inlinable public static var insert: Operation { Operation(rawValue: "insert") }
        /// Assigning a new object to a store.
        @inlinable public static var assign: Operation { Operation(rawValue: "assign") }
    }

    /// Returns the same failure with the path of the store, where it had none.
    public func at(_ path: String?) -> StoreError { with(\.path, self.path ?? path) }

    /// Returns the same failure as that of an object.
    public func ofObject(_ reference: Int64) -> StoreError { with(\.reference, reference) }

    /// Returns the same failure with another operation.
    public func during(_ operation: Operation) -> StoreError { with(\.operation, operation) }

    /// Returns the same failure with another recovery.
    public func recoverable(by recovery: Recovery) -> StoreError { with(\.recovery, recovery) }

    private func with<T>(_ property: WritableKeyPath<StoreError, T>, _ value: T) -> StoreError {
        var error = self
        error[keyPath: property] = value
        return error
    }
}
