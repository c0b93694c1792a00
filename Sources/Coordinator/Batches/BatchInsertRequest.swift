public import StrataStore

/// Inserts objects into a store without making managed objects of them.
///
/// ```swift
/// let request = BatchInsertRequest(entityName: "User", objects: [["id": "0001", "name": "Zhang San"], ["id": "0002", "name": "Li Si"]])
/// try context.execute(request)
/// ```
/// Attributes that are not given take their defaults. Relationships are set by the ID of an object, or by a value that
/// it has, see ``BatchRow/subscript(_:)-(String)``; a request that references an object that does not exist fails. The
/// objects are validated only as far as their attributes can hold the values and no mandatory one is missing. No
/// context is notified.
///
/// The whole request is one transaction, in which the source is read: what it throws, or a value that does not fit,
/// leaves the store untouched. Memory holds one chunk of rows at a time, and the references of all.
public struct BatchInsertRequest {
    /// Fills in the next object; returns false without one.
    typealias Source = (inout BatchRow) throws -> Bool

    /// The name of the entity.
    public var entityName: String
    /// The kind of the result.
    public var resultType = BatchResultType.statusOnly
    /// The origin of the changes, for events and histories; `nil` for that of the context that executes the request.
    public var origin: TransactionOrigin?
    /// Whether the contexts with any of the objects merge the changes, each on its executor; the executing one at once.
    ///
    /// True by default; otherwise only contexts merge that do so automatically, and others by
    /// `mergeChanges(fromRemoteContextSave:into:)`.
    public var mergesIntoContexts = true
    /// The stores whose first writable one with the entity gets the objects; `nil` for all.
    public var affectedStores: [any PersistentStore]?
    /// The policy for constraint conflicts; `nil` for that of the executing context, or else ``MergePolicy/error``.
    public var mergePolicy: MergePolicy?
    /// Whether no object is inserted where a constraint keeps one out; false by default, as in Core Data.
    public var isAllOrNothing = false
    let start: () -> Source

    /// Creates a request for objects whose attributes are given by name.
    public init(entityName: String, objects: [[String: (any ValueConvertible)?]]) {
        self.init(entityName: entityName, dictionaries: objects) { row, dictionary in
            for (name, value) in dictionary { row[name] = value?.value ?? .null }
        }
    }

    /// Creates a request for objects from a sequence, whose attributes are given by name.
    public init<S: Sequence>(entityName: String, objects: S) where S.Element == [String: Value] {
        self.init(entityName: entityName, dictionaries: objects) { row, dictionary in
            for (name, value) in dictionary { row[name] = value }
        }
    }

    private init<S: Sequence>(entityName: String, dictionaries: S, _ fill: @escaping (inout BatchRow, S.Element) -> Void) {
        self.entityName = entityName
        start = {
            var iterator = dictionaries.makeIterator()
            return { row in
                guard let next = iterator.next() else { return false }
                fill(&row, next)
                return true
            }
        }
    }

    /// Creates a request for objects that a block fills in, by name.
    ///
    /// - Parameters:
    ///   - entityName: The entity of the new objects; its sub-entities have requests of their own.
    ///   - dictionaryHandler: Called with an empty dictionary until it returns true at the end; what it put into the
    ///     dictionary then is not inserted. Must not write to the store.
    public init(entityName: String, dictionaryHandler: @escaping (inout [String: Value]) throws -> Bool) {
        self.entityName = entityName
        start = {
            { row in
                var dictionary: [String: Value] = [:]
                if try dictionaryHandler(&dictionary) { return false }
                for (name, value) in dictionary { row[name] = value }
                return true
            }
        }
    }

    /// Creates a request for objects that a block fills in by typed keys: the fastest way.
    ///
    /// - Parameters:
    ///   - entityName: The entity of the new objects; its sub-entities have requests of their own.
    ///   - rowHandler: Called with an empty row until it returns true at the end; what it put into the row then is not
    ///     inserted. Must not write to the store.
    public init(entityName: String, rowHandler: @escaping (inout BatchRow) throws -> Bool) {
        self.entityName = entityName
        start = { { row in try !rowHandler(&row) } }
    }
}
