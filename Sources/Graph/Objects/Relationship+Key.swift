public import StrataModel

extension Relationship {
    /// Creates a to-one relationship named by the typed key of its class, optional by default.
    ///
    /// A model refuses a relationship whose destinations are of other classes than the key's.
    public init<D: ManagedObject>(_ key: ToOne<D>, to destination: String, inverse: String? = nil, deleteRule: DeleteRule = .nullify) {
        self.init(key.path, to: destination, inverse: inverse, .toOne, deleteRule: deleteRule)
        takes(D.self)
    }

    /// Creates a to-many relationship named by the typed key of its class, optional by default; checked as a to-one
    /// one.
    public init<D: ManagedObject>(
        _ key: ToMany<D>, to destination: String, inverse: String? = nil, deleteRule: DeleteRule = .nullify, minCount: Int = 0,
        maxCount: Int? = nil
    ) {
        self.init(
            key.path, to: destination, inverse: inverse, .toMany, deleteRule: deleteRule, minCount: minCount, maxCount: maxCount)
        takes(D.self)
    }

    /// Creates an ordered relationship named by the typed key of its class, optional by default; checked as a to-one
    /// one.
    public init<D: ManagedObject>(
        _ key: ToManyOrdered<D>, to destination: String, inverse: String? = nil, deleteRule: DeleteRule = .nullify, minCount: Int = 0,
        maxCount: Int? = nil
    ) {
        self.init(
            key.path, to: destination, inverse: inverse, .ordered, deleteRule: deleteRule, minCount: minCount, maxCount: maxCount)
        takes(D.self)
    }

    private mutating func takes<D: ManagedObject>(_ type: D.Type) {
        destinationCheck = { objectClass in
            let found = objectClass as? ManagedObject.Type ?? ManagedObject.self
            return found is D.Type ? nil : "a key of \(D.self) does not fit objects of \(found)"
        }
    }
}
