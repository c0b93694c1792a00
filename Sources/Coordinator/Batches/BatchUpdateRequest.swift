public import StrataStore

/// Changes all objects that meet a condition, without making managed objects of them.
///
/// ```swift
/// try context.execute(BatchUpdateRequest(entityName: "User", key("age") < 10, set: ["name": "Li Si", "age": 10]))
/// try context.execute(BatchUpdateRequest(entityName: "User", User.age >= 10, set: ["age": User.age + 1]))
/// try context.execute(
///     BatchUpdateRequest(entityName: "User", set: ["name": QueryExpression.constant("Li Si"), "age": key("age") + 1]))
/// ```
/// Values are constants, or expressions over the object's own attributes and to-one paths as they were before the
/// request. A to-one relationship takes the ID of an object, or nil; its inverse follows, unless that is a to-one
/// relationship too, which is refused.
///
/// All objects of all stores change, or none. Each gets its next version, so that a context that changed one of them
/// meets a conflict when it saves. Nothing is validated beyond what attributes can hold, and that no mandatory one is
/// missing. No context is notified.
public struct BatchUpdateRequest: Sendable {
    /// The name of the entity.
    public var entityName: String
    /// The condition, `nil` for all objects.
    public var predicate: QueryPredicate?
    /// Whether objects of sub-entities are changed too.
    public var includesSubentities = true
    /// The new values, by name of attribute or to-one relationship, or path of a composite attribute's element, see
    /// also ``set(_:to:)``.
    public var propertiesToUpdate: [String: QueryExpression]
    /// The kind of the result.
    public var resultType = BatchResultType.statusOnly
    /// The origin of the changes, for events and histories; `nil` for that of the context that executes the request.
    public var origin: TransactionOrigin?
    /// Whether the contexts with any of the objects merge the changes, each on its executor; the executing one at once.
    ///
    /// True by default; otherwise only contexts merge that do so automatically, and others by
    /// `mergeChanges(fromRemoteContextSave:into:)`.
    public var mergesIntoContexts = true
    /// The stores whose objects are changed, `nil` for all.
    public var affectedStores: [any PersistentStore]?
    /// Whether the core does all work instead of the store, for tests and comparisons.
    package var isCarriedOutInCore = false

    /// Creates a request for the objects of an entity and its sub-entities that meet a condition; all without one.
    public init(entityName: String, _ predicate: QueryPredicate? = nil, set propertiesToUpdate: [String: QueryExpression]) {
        self.entityName = entityName
        self.predicate = predicate
        self.propertiesToUpdate = propertiesToUpdate
    }

    /// Creates a request that sets values of operators and functions: `["age": User.age + 1]`.
    public init(entityName: String, _ predicate: QueryPredicate? = nil, set terms: [String: any QueryTerm]) {
        self.init(entityName: entityName, predicate, set: terms.mapValues { $0.expression } as [String: QueryExpression])
    }

    /// Creates a request that sets constants.
    public init(entityName: String, _ predicate: QueryPredicate? = nil, set values: [String: Value]) {
        self.init(entityName: entityName, predicate, set: values.mapValues { QueryExpression.constant($0) })
    }

    /// Sets a composite attribute as a whole: elements without a value become nil, all of them for `nil`.
    ///
    /// The request throws where an element cannot be encoded.
    public mutating func set<C: CompositeValue>(_ key: Key<C>, to value: C?) {
        guard let value else { return propertiesToUpdate[key.path] = .constant(.null) }
        var elements: [String: Value] = [:]
        do { try value.add(to: &elements, behind: key.path + ".") } catch {
            return propertiesToUpdate[key.path] = .keyPath(QueryError.placeholder(because: "the value cannot be encoded: \(error)"))
        }
        propertiesToUpdate[key.path] = nil
        for (path, element) in elements { propertiesToUpdate[path] = .constant(element) }
    }
}
