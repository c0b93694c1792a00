public import StrataModel
public import StrataQuery

/// One result of a dictionary fetch: values by name, in the order of the request.
///
/// ```swift
/// for row in try context.fetchDictionaries(ObjectFetchRequest<Person>().fetching("name", "company.name")) {
///     print(row[Person.name] ?? "unnamed", row["company.name"] ?? .null)
/// }
/// ```
/// All results of a fetch share the names, so one costs little more than its values.
public struct FetchedDictionary: Sendable {
    let columns: FetchedColumns
    /// The values, in the order of the request.
    public let values: [Value]

    /// The names, in the order of the request.
    public var names: [String] { columns.names }

    /// The value with a name, `Value.null` where it is nil; `nil` when none was fetched under that name.
    ///
    /// - Complexity: O(1).
    public subscript(name: String) -> Value? { columns.index[name].map { values[$0] } }

    /// The value of a property; `nil` where it was not fetched, is nil, or is of another type.
    public subscript<V: ValueConvertible>(key: Key<V>) -> V? { self[key.path].flatMap { V(value: $0) } }

    /// The value of a composite attribute, its other elements as in a new value; `nil` where no element has a value.
    public subscript<C: CompositeValue>(key: Key<C>) -> C? {
        var values: [String: Value] = [:]
        for (path, _, _) in C.types(behind: key.path + ".") { values[path] = self[path] }
        return C(values, behind: key.path + ".")
    }

    /// The value with a name as a Swift type; `nil` where it was not fetched, is nil, or is of another type.
    public subscript<V: ValueConvertible>(name: String, as type: V.Type) -> V? { self[name].flatMap { V(value: $0) } }

    /// The values by name.
    public var dictionary: [String: Value] { Dictionary(zip(names, values)) { first, _ in first } }
}

extension FetchedDictionary: Hashable {
    /// Returns whether names and values are the same, in the same order.
    public static func == (lhs: FetchedDictionary, rhs: FetchedDictionary) -> Bool {
        (lhs.columns === rhs.columns || lhs.names == rhs.names) && lhs.values == rhs.values
    }
    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

extension FetchedDictionary: CustomStringConvertible {
    /// The values with their names, as `{name: "A", age: 18}`.
    public var description: String { "{" + zip(names, values).map { "\($0): \($1)" }.joined(separator: ", ") + "}" }
}

final class FetchedColumns: Sendable {
    let names: [String]
    let index: [String: Int]
    /// The prefixes of the names, up to each of their dots.
    let beginnings: Set<Substring>

    let transformers: [String: ValueTransformer]

    init(_ names: [String], transformers: [String: ValueTransformer] = [:]) {
        self.names = names
        self.transformers = transformers
        beginnings = Set(names.flatMap { name in name.indices.lazy.filter { name[$0] == "." }.map { name[..<$0] } })
        index = Dictionary(zip(names, names.indices)) { first, _ in first }
    }
}

extension Value {
    /// The ID of an object, `nil` for any other value.
    public var objectID: ObjectID? {
        if case .objectID(let id) = self { id } else { nil }
    }
}
