public import StrataQuery

// Short forms of fetch requests, each for conditions without a class (typed keys, names, format text) and of key paths.

extension ManagedObjectContext {
    /// Returns the objects of a class that meet a condition:
    /// `try context.fetch(Person.self, where: Person.age >= 18, sort: [Person.name.ascending])`.
    ///
    /// - Throws: As ``fetch(_:)``.
    public func fetch<T: ManagedObject>(
        _ type: T.Type, where condition: QueryPredicate? = nil, sort: [QuerySort] = [], limit: Int? = nil, offset: Int = 0
    ) throws -> [T] {
        try fetch(ObjectFetchRequest<T>(condition, sort: sort, limit: limit, offset: offset))
    }

    /// Returns the objects of a class that meet a condition on that class.
    ///
    /// - Throws: As ``fetch(_:)``.
    @_disfavoredOverload
    public func fetch<T: ManagedObject>(
        _ type: T.Type, where condition: ObjectPredicate<T>? = nil, sort: [ObjectSort<T>] = [], limit: Int? = nil, offset: Int = 0
    ) throws -> [T] {
        try fetch(ObjectFetchRequest<T>(condition, sort: sort, limit: limit, offset: offset))
    }

    /// Returns the first object of a class, in some order, that meets a condition; `nil` where none does.
    ///
    /// Without an order it is the one with the least ID. It fetches one row.
    ///
    /// - Throws: As ``fetch(_:)``.
    public func first<T: ManagedObject>(_ type: T.Type, where condition: QueryPredicate? = nil, sort: [QuerySort] = []) throws -> T? {
        try fetch(type, where: condition, sort: sort, limit: 1).first
    }

    /// Returns the first object of a class, in some order, that meets a condition on that class; `nil` where none does.
    ///
    /// - Throws: As ``fetch(_:)``.
    @_disfavoredOverload
    public func first<T: ManagedObject>(
        _ type: T.Type, where condition: ObjectPredicate<T>? = nil, sort: [ObjectSort<T>] = []
    ) throws -> T? {
        try fetch(type, where: condition, sort: sort, limit: 1).first
    }

    /// Returns the first object that meets a condition of key paths: `try context.first(where: \Person.name == "Ada")`.
    ///
    /// - Throws: As ``fetch(_:)``.
    public func first<T: ManagedObject>(where condition: ObjectPredicate<T>, sort: [ObjectSort<T>] = []) throws -> T? {
        try first(T.self, where: condition, sort: sort)
    }

    /// The first object that meets a condition, of the class that the result is taken for: a condition of typed keys
    /// knows none.
    ///
    /// ```swift
    /// let ada: Person? = try context.first(where: Person.name == "Ada")
    /// ```
    /// - Throws: As ``fetch(_:)``.
    // The protocol makes the compiler infer the class; with a class constraint it would infer `ManagedObject`.
    public func first<T: FetchRequesting>(where condition: QueryPredicate, sort: [QuerySort] = []) throws -> T? {
        try first(T.self, where: condition, sort: sort)
    }

    /// Returns the number of objects of a class that meet a condition.
    ///
    /// - Throws: As ``fetch(_:)``.
    public func count<T: ManagedObject>(_ type: T.Type, where condition: QueryPredicate? = nil) throws -> Int {
        try count(for: ObjectFetchRequest<T>(condition))
    }

    /// Returns the number of objects of a class that meet a condition on that class.
    ///
    /// - Throws: As ``fetch(_:)``.
    public func count<T: ManagedObject>(_ type: T.Type, where condition: ObjectPredicate<T>) throws -> Int {
        try count(for: ObjectFetchRequest<T>(condition.predicate))
    }

    /// Marks the objects of a class that meet a condition for deletion by the next save, as ``delete(_:)`` does.
    ///
    /// Objects are notified, delete rules apply, and it can be undone; `BatchDeleteRequest` makes no objects, and takes
    /// effect at once.
    ///
    /// - Returns: The number of objects that met the condition.
    /// - Throws: As ``fetch(_:)``.
    @discardableResult
    public func delete<T: ManagedObject>(_ type: T.Type, where condition: QueryPredicate? = nil) throws -> Int {
        let objects = try fetch(type, where: condition)
        for object in objects { delete(object) }
        return objects.count
    }

    /// Marks the objects of a class that meet a condition on that class for deletion by the next save.
    ///
    /// - Returns: The number of objects that met the condition.
    /// - Throws: As ``fetch(_:)``.
    @discardableResult
    public func delete<T: ManagedObject>(_ type: T.Type, where condition: ObjectPredicate<T>) throws -> Int {
        try delete(type, where: condition.predicate)
    }

    /// Values of saved objects, or of groups of them, as a type of your own: one value per dictionary of
    /// ``fetchDictionaries(_:)``.
    ///
    /// ```swift
    /// struct Sales: Decodable { var productLine: String; var total: Int }
    /// let request = ObjectFetchRequest<Sale>().grouped(by: ["productLine"], computing: [.sum("sold", as: "total")])
    /// let sales = try context.fetch(request, as: Sales.self)
    /// ```
    /// - Throws: As ``fetchDictionaries(_:)``, and what ``FetchedDictionary/decode(as:)`` throws.
    public func fetch<Result: ManagedObject, T: Decodable>(_ request: ObjectFetchRequest<Result>, as type: T.Type) throws -> [T] {
        try fetchDictionaries(request).map { try $0.decode(as: type) }
    }

    /// Attributes of saved objects as tuples, in the order of the request; the request's properties to fetch do not
    /// count.
    ///
    /// ```swift
    /// for (name, age) in try context.fetch(ObjectFetchRequest<Person>(), selecting: Person.name, Person.age) { … }
    /// ```
    /// They are named by typed keys, key paths of the class, or paths to a destination's attributes.
    ///
    /// - Throws: As ``fetchDictionaries(_:)``.
    public func fetch<Result: ManagedObject, each P: QueryPath>(
        _ request: ObjectFetchRequest<Result>, selecting keys: repeat each P
    ) throws -> [(repeat (each P).Term?)] {
        var request = request
        var properties: [ExpressionDescription] = []
        var names: Set<String> = []
        for key in repeat each keys {
            if names.insert(key.path).inserted { properties.append(ExpressionDescription(key.path)) }
        }
        request.propertiesToFetch = properties
        let columns = (repeat ManagedObjectContext.column(each keys))
        return try fetchDictionaries(request).map { row in (repeat row[each columns]) }
    }

    private static func column<P: QueryPath>(_ path: P) -> Key<P.Term> { Key(path.path) }
}
