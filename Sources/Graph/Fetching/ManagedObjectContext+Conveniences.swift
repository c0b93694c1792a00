import StrataModel
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
}
