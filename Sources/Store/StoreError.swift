/// An error of a store.
public struct StoreError: Error, Sendable {
    /// The kinds of failure; more may be added, so end a `switch` over them with a `default`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ name: String) { description = name }

        /// The file, or the directory it belongs in, does not exist.
        public static let missing = Code("missing")
        /// The path of an open store has another file than the opened one, or another program overwrote it: the store
        /// has to be opened again.
        public static let replaced = Code("replaced")
        /// The process may not read or write the file or its directory.
        public static let denied = Code("denied")
        /// The disk, or the quota, is full: the same call may succeed once space is free.
        public static let full = Code("full")
        /// The system failed to read or write.
        public static let io = Code("io")
        /// Another process, or another coordinator, holds the store longer than the time-out.
        public static let locked = Code("locked")
        /// All connections of the store were in use for longer than the maximum wait.
        public static let busy = Code("busy")
        /// The file is damaged: a checksum, a length or a reference in it is wrong.
        public static let corrupt = Code("corrupt")
        /// The file is no store of this type.
        public static let foreign = Code("foreign")
        /// The file is a store of another type.
        public static let wrongType = Code("wrongType")
        /// The store was made with another version of the model.
        public static let incompatibleModel = Code("incompatibleModel")
        /// Objects of the store cannot become objects of the new version of the model.
        public static let migration = Code("migration")
        /// The model that the store was made with is unknown: the store does not contain it, and no given model fits.
        public static let missingSourceModel = Code("missingSourceModel")
        /// There is no mapping from the store's model to the new one.
        public static let missingMapping = Code("missingMapping")
        /// An entity migration policy threw, or created objects that cannot be saved.
        public static let entityMigrationPolicy = Code("entityMigrationPolicy")
        /// A migration, a fetch or a backup was cancelled.
        public static let cancelled = Code("cancelled")
        /// The file's format is of a version that this code does not read.
        public static let unsupportedVersion = Code("unsupportedVersion")
        /// Another context or process changed or deleted an object that the save changes.
        public static let conflict = Code("conflict")
        /// Two objects have equal values that a constraint keeps unique.
        public static let constraint = Code("constraint")
        /// The store was closed or removed from its coordinator, or has to be reopened after a failed write.
        public static let closed = Code("closed")
        /// The store was opened for reading only.
        public static let readOnly = Code("readOnly")
        /// The model, or the configuration, has no such entity, or it cannot have objects.
        public static let unknownEntity = Code("unknownEntity")
        /// The entity has no such property, or it is of the other kind.
        public static let unknownKey = Code("unknownKey")
        /// The value is not of the property's type.
        public static let wrongValue = Code("wrongValue")
        /// The store, or this version of Strata, cannot do it.
        public static let unsupported = Code("unsupported")
        /// An object is related to one in another store.
        public static let crossStore = Code("crossStore")
        /// No open store holds the entity or the object.
        public static let noStore = Code("noStore")
        /// A save over several stores was interrupted, and the coordinator record that decides it cannot be read.
        public static let inDoubt = Code("inDoubt")
        /// There is a file at the path of a new one.
        public static let exists = Code("exists")
        /// The object is not in the store.
        public static let notFound = Code("notFound")
        /// The transaction could not be serialized with concurrent ones: the same changes may succeed in another one.
        public static let serializationFailure = Code("serializationFailure")
        /// The transactions after a token of the history were deleted, at least the first of them: what depends on them
        /// has to be made anew.
        public static let historyTokenExpired = Code("historyTokenExpired")
        /// A value exceeds the size of a row, or a number its range, as where all references are used up.
        ///
        /// Free space on the disk does not help, as it does with ``full``.
        public static let tooLarge = Code("tooLarge")
    }

    /// Whether trying again can help.
    public enum Recovery: Sendable, Hashable {
        /// The same call fails again.
        case permanent
        /// The same call may succeed later.
        case retryable
        /// The store is closed, or its state is unknown; open it again.
        case reopen
    }

    /// The kind of failure, for switching.
    public let code: Code
    /// The operation that failed.
    public internal(set) var operation: Operation
    /// The description of the failure, in one sentence.
    public let message: String
    /// The path of the store, or of the file, where there is one.
    public internal(set) var path: String?
    /// The entity, where there is one.
    public let entity: String?
    /// The reference of the object within its hierarchy, where it is about one.
    public internal(set) var reference: Int64?
    /// The property, where there is one.
    public let key: String?
    /// The error of a lower layer that caused this one.
    public let underlying: (any Error)?
    /// Whether trying again can help.
    public internal(set) var recovery: Recovery
    /// The conflicting objects, for ``Code/conflict`` and ``Code/constraint``.
    public let conflicts: [StoreConflict]
    /// The metadata of a store of another version of the model, for ``Code/incompatibleModel``; in Core Data's user
    /// info as `metadata`.
    public internal(set) var metadata: StoreMetadata?

    /// Creates a failure; the recovery is that of its code by default.
    public init(
        _ code: Code, _ operation: Operation, _ message: String, path: String? = nil, entity: String? = nil, key: String? = nil,
        underlying: (any Error)? = nil, recovery: Recovery? = nil, conflicts: [StoreConflict] = []
    ) {
        self.code = code
        self.operation = operation
        self.message = message
        self.path = path
        self.entity = entity
        self.key = key
        self.underlying = underlying
        self.recovery = recovery ?? StoreError.usualRecovery(code)
        self.conflicts = conflicts
    }

    private static func usualRecovery(_ code: Code) -> Recovery {
        switch code {
        case .locked, .busy, .full, .conflict, .serializationFailure: .retryable
        case .closed, .replaced: .reopen
        default: .permanent
        }
    }

    /// The code that Core Data gives this failure in its Cocoa error domain.
    public var cocoaCode: Int {
        switch code {
        case .missing: 260
        case .replaced: 256
        case .denied: 257
        case .full: 640
        case .locked, .busy: 134090
        case .corrupt: 259
        case .foreign: 134080
        case .wrongType: 134010
        case .incompatibleModel, .unsupportedVersion: 134100
        case .migration: 134110
        case .missingSourceModel: 134130
        case .missingMapping: 134140
        case .entityMigrationPolicy: 134170
        case .cancelled: 134120
        case .conflict, .serializationFailure: 133020
        case .constraint: 133021
        case .crossStore: 133010
        case .notFound: 133000
        case .unsupported: 134091
        case .noStore, .readOnly, .inDoubt: 134030
        case .historyTokenExpired: 134301
        default: 134060
        }
    }
}

extension StoreError: CustomStringConvertible {
    public var description: String {
        var parts = ["\(code) in \(operation): \(message)"]
        if let path { parts.append("path \(path)") }
        if let entity { parts.append(reference.map { "object \(entity)/p\($0)" } ?? "entity \(entity)") }
        if let key { parts.append("key \(key)") }
        if let underlying { parts.append("because: \(underlying)") }
        return parts.joined(separator: "; ")
    }
}
