public import StrataModel

/// The results of a ``FetchedResultsController`` that have one section name.
public struct FetchedResultsSection<Result: ManagedObject> {
    /// The value that the objects share; empty without section names.
    public let name: String
    /// The objects, in order.
    public let objects: [Result]

    /// The number of objects.
    public var numberOfObjects: Int { objects.count }
    /// The first letter of the name, as an upper-case one; `nil` of a name without letters.
    public var indexTitle: String? { name.isEmpty ? nil : String(name.prefix(1)).uppercased() }
}

/// The results of a ``FetchedResultsController`` at one moment, by ID.
public struct FetchedResultsSnapshot: Sendable, Hashable {
    /// The objects of one section.
    public struct Section: Sendable, Hashable {
        /// The value that the objects share; empty without section names.
        public let name: String
        /// The IDs of the objects, in their order.
        public let objectIDs: [ObjectID]
    }

    /// The sections, in their order.
    public let sections: [Section]

    /// The IDs of all objects, in their order.
    public var objectIDs: [ObjectID] { sections.flatMap(\.objectIDs) }
    /// The number of objects.
    public var numberOfObjects: Int { sections.reduce(0) { $0 + $1.objectIDs.count } }
}
