import StrataModel
public import StrataQuery
import StrataStore

extension ManagedObjectContext {
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
