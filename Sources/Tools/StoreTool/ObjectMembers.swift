public import Strata

/// The values of an object and its destinations, by the names of its properties.
public struct ObjectMembers: Sendable {
    /// The URI, attributes in the model's order, to-one relationships, and to-many ones as lists.
    public let all: [(name: String, value: Value)]

    /// Reads an object.
    ///
    /// - Throws: What the store throws.
    public init(_ object: ManagedObject) throws {
        let snapshot = object.snapshot()
        all =
            try [("objectID", .objectID(object.objectID))]
            + object.entity.properties.filter { $0.relationship?.isHidden != true }.map { property in
                guard property.relationship?.isToMany == true else {
                    return (property.name, snapshot.value(forKey: property.name) ?? .null)
                }
                return (property.name, .list(try object.objectIDs(forRelationshipNamed: property.name).map { .objectID($0) }))
            }
        if let error = object.managedObjectContext?.lastFaultError { throw error }
    }
}
