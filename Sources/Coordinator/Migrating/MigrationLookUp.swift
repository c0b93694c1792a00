import StrataStore

/// Look-ups of other objects for a migrated one, in the store as it was.
///
/// Used by one thread.
final class MigrationLookUp {
    let reader: any StoreReader
    let routes: MigrationRoutes
    private var leading: [[Int]: [Int64: ObjectReference]] = [:]
    private var orders: [[Int]: [Int64: [Int64: OrderKey]]] = [:]

    init(_ reader: any StoreReader, _ routes: MigrationRoutes) {
        self.reader = reader
        self.routes = routes
    }

    /// Returns the object with the least reference that references another one through a to-one relationship without
    /// inverse.
    ///
    /// - Complexity: O(n) in all objects at the first call for a relationship, with memory for all of its destinations.
    func firstObject(referencingThrough relationship: RelationshipDescription, to reference: Int64) throws -> ObjectReference? {
        let key = [relationship.declaringEntity.rawValue, relationship.index]
        if let known = leading[key] { return known[reference] }
        var first: [Int64: ObjectReference] = [:]
        if let slot = ToOneSlot(relationship) {
            let owner = routes.source.entities[relationship.declaringEntity]
            try forEachBatch(ofHierarchy: routes.source.entities[owner.root]) { rows in
                for row in rows where owner.hierarchy.contains(row.entityIndex) {
                    guard let destination = slot.destination(of: row), first[destination.reference] == nil else { continue }
                    first[destination.reference] = ObjectReference(entity: row.entityIndex, reference: row.reference)
                }
            }
        }
        leading[key] = first
        return first[reference]
    }

    /// Returns the order key of an object among the destinations of an ordered relationship of another one.
    func order(of member: Int64, among relationship: RelationshipDescription, of owner: Int64) throws -> OrderKey? {
        let key = [relationship.declaringEntity.rawValue, relationship.index]
        if let known = orders[key]?[owner] { return known[member] }
        let members = try reader.destinations(of: relationship, owner: owner)
        let keys = Dictionary(members.enumerated().map { ($1.reference, OrderKey(at: $0)) }) { first, _ in first }
        orders[key, default: [:]][owner] = keys
        return keys[member]
    }

    /// Calls `body` with all rows of a hierarchy in batches, by ascending reference.
    func forEachBatch(ofHierarchy root: EntityDescription, _ body: ([Row]) throws -> Void) throws {
        let objects = try reader.answer(FetchPlan(root, .references)).requireReferences()
        for batch in objects.slices(of: MigrationLookUp.batchSize) {
            let rows = try reader.rows(root: root.index, references: batch.map(\.reference))
            try body(routes.source.checked(rows, .migrate).sorted { $0.reference < $1.reference })
        }
    }

    /// The number of rows in memory at a time.
    static let batchSize = 4096
}
