public import StrataModel
import StrataQuery

extension Relationship {
    /// Creates a to-one relationship named by the typed key of its class, optional by default.
    ///
    /// A model refuses a relationship whose destinations are of other classes than the key's.
    public init<D: ManagedObject>(_ key: ToOne<D>, to destination: String, inverse: String? = nil, deleteRule: DeleteRule = .nullify) {
        self.init(key.path, to: destination, inverse: inverse, .toOne, deleteRule: deleteRule)
        takes(D.self)
    }

    /// Creates a to-many relationship named by the typed key of its class, ordered by an ordered key, optional by
    /// default; checked as a to-one one.
    public init<K: ToManyKey>(
        _ key: K, to destination: String, inverse: String? = nil, deleteRule: DeleteRule = .nullify, minCount: Int = 0,
        maxCount: Int? = nil
    ) {
        self.init(
            key.path, to: destination, inverse: inverse, K.cardinality, deleteRule: deleteRule, minCount: minCount, maxCount: maxCount)
        takes(K.Destination.self)
    }

    private mutating func takes<D: ManagedObject>(_ type: D.Type) {
        destinationCheck = { objectClass in
            let found = objectClass as? ManagedObject.Type ?? ManagedObject.self
            return found is D.Type ? nil : "a key of \(D.self) does not fit objects of \(found)"
        }
    }
}
