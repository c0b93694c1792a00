/// Declares a property of an entity whose objects are found by a fetch: a weak, one-way relationship.
///
/// ```swift
/// FetchedProperty("namesakes", to: "Person", predicate: "name == $FETCH_SOURCE.name AND SELF != $FETCH_SOURCE", sort: ["age"])
/// ```
/// In the condition, text of the format language, `$FETCH_SOURCE` is the object whose property is read and
/// `$FETCHED_PROPERTY` the property, with the keys `name` and `userInfo.key`. It is not stored, so it is not part of
/// the version hash; it may fetch objects of other stores.
public struct FetchedProperty: EntityElement, Hashable, Codable {
    /// The name, unique among the properties of the entity and its ancestors.
    public var name: String
    /// The name of the entity whose objects it holds.
    public var destination: String
    /// The condition, `nil` for all objects.
    public var predicate: String?
    /// The order of the objects, the first key deciding first.
    public var sort: [SortElement]
    /// The greatest number of objects, `nil` for all.
    public var limit: Int?
    /// Custom data of the application.
    public var userInfo: [String: String] = [:]

    /// Creates a fetched property; without a condition it finds all objects of the destination.
    public init(_ name: String, to destination: String, predicate: String? = nil, sort: [SortElement] = [], limit: Int? = nil) {
        self.name = name
        self.destination = destination
        self.predicate = predicate
        self.sort = sort
        self.limit = limit
    }

    /// Returns the property with user info added.
    public func userInfo(_ info: [String: String]) -> FetchedProperty {
        var copy = self
        copy.userInfo.merge(info) { $1 }
        return copy
    }

    /// Adds the part to the entity.
    public func add(to entity: inout Entity) { entity.fetchedProperties.append(self) }
}
