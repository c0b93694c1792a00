import StrataModel
import StrataStore

/// What a context's program walks along: from the second object on whose same relationship is followed, what the others of these objects lead
/// to comes along.
struct WalkedRelationships {
    /// How many objects' destinations come in one round trip.
    static let batchSize = 2000
    /// How many rows wait for their faults at most.
    private static let mostRows = 20_000
    /// Where fewer than so many come along, it takes longer until the next attempt.
    private static let fewest = 8

    /// The fault that an object led to last over a to-one relationship, and the object's scope.
    private var reached: (id: ObjectID, relationship: RelationshipDescription, scope: ObjectIDScope)?
    /// The relationships that cost a round trip for a single object, and how many since more came along.
    private var runs: [ObjectIdentifier: Run] = [:]
    /// Rows that came along for faults that are still to fire.
    private var rows: [ObjectID: Row] = [:]
    /// The members that came along, whose rows did not.
    private var members = ObjectIDSet()
    /// The round trips for one object each, by what was followed.
    private var singles: [Single: Int] = [:]

    private struct Run {
        var length = 0
        /// From which length on others come along.
        var next = 2
    }

    private struct Single: Hashable {
        let entity: String
        let relationship: String?
    }

    // MARK: - To one

    /// Takes note of a fault that an object leads to.
    mutating func reach(_ id: ObjectID, over relationship: RelationshipDescription, from owner: ManagedObject) {
        reached = (id, relationship, owner.objectID.scope)
    }

    /// The relationship that led to a fault, with the scope of the object that it led from.
    func way(to id: ObjectID) -> (relationship: RelationshipDescription, scope: ObjectIDScope)? {
        guard let reached, reached.id == id else { return nil }
        return (reached.relationship, reached.scope)
    }

    /// Whether it is time to have what others lead to come along, as one more object's relationship costs a round trip.
    mutating func isWalk(_ relationship: RelationshipDescription) -> Bool {
        let key = ObjectIdentifier(relationship)
        runs[key, default: Run()].length += 1
        return runs[key].map { $0.length >= $0.next } ?? false
    }

    /// Takes note of how many came along.
    mutating func didBring(_ count: Int, along relationship: RelationshipDescription) {
        let key = ObjectIdentifier(relationship)
        // A search that finds little is not made again at each step.
        runs[key] = count >= WalkedRelationships.fewest ? Run(length: 1, next: 2) : Run(length: 0, next: 2 * (runs[key]?.next ?? 2))
    }

    // MARK: - Rows and members that came along

    mutating func keep(_ more: [ObjectID: Row]) {
        if rows.count + more.count > WalkedRelationships.mostRows { rows = [:] }
        rows.merge(more) { $1 }
    }

    mutating func takeRow(of id: ObjectID) -> Row? { rows.isEmpty ? nil : rows.removeValue(forKey: id) }
    func hasRow(of id: ObjectID) -> Bool { rows[id] != nil }

    mutating func keepMembers(_ ids: some Sequence<ObjectID>) {
        members = ObjectIDSet()
        for id in ids { _ = members.insert(id) }
    }

    /// Takes out members that came along with one, itself left out; none where it did not come along.
    mutating func takeMembers(with id: ObjectID) -> [ObjectID] {
        if members.isEmpty || !members.remove(id) { return [] }
        let ids = Array(members.ids.prefix(WalkedRelationships.batchSize - 1))
        members.subtract(ids)
        return ids
    }

    mutating func forgetRow(of id: ObjectID) { rows[id] = nil }

    mutating func forgetRows() {
        rows = [:]
        members = ObjectIDSet()
    }

    // MARK: - Diagnostics

    /// Takes note of a round trip that brought one object, or what one object leads to, alone.
    ///
    /// - Returns: How many there were, where it is time to tell.
    mutating func noteSingle(_ entity: String, _ relationship: String?) -> FaultingDiagnostic? {
        let single = Single(entity: entity, relationship: relationship)
        let count = (singles[single] ?? 0) + 1
        singles[single] = count
        let isTold = count >= FaultingDiagnostic.threshold && count.nonzeroBitCount == 1
        return isTold ? FaultingDiagnostic(entity: entity, relationship: relationship, roundTrips: count) : nil
    }

    var diagnostics: [FaultingDiagnostic] {
        singles.compactMap { single, count in
            count < FaultingDiagnostic.threshold
                ? nil : FaultingDiagnostic(entity: single.entity, relationship: single.relationship, roundTrips: count)
        }.sorted { ($1.roundTrips, $0.description) < ($0.roundTrips, $1.description) }
    }

    mutating func forgetDiagnostics() { singles = [:] }
}
