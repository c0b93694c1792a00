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
    private var met = MetFaults()
    /// The relationships that cost a round trip for a single object, and how many since more came along.
    private var runs: [ObjectIdentifier: Run] = [:]
    /// Rows that came along for faults that are still to fire.
    private var rows: [ObjectID: Row] = [:]
    /// The members that came along, whose rows did not.
    private var members = ObjectIDSet()
    /// The relationship that they are members of.
    private var membersRelationship: RelationshipDescription?
    /// The only member of an object that was read last, which did not fire yet.
    private var onlyMember: (id: ObjectID, relationship: RelationshipDescription)?
    /// The objects that came together last, by scope.
    private var companies: [ObjectIdentifier: Company] = [:]
    /// Destinations of to-many relationships that came along for objects that are not here.
    private var destinations: [Way: [ObjectID]] = [:]
    /// The round trips for one object each, by what was followed.
    private var singles: [Single: Int] = [:]

    private struct Run {
        var length = 0
        /// From which length on others come along.
        var next = 2
        /// How many round trips there were in all.
        var count = 0
        /// How many owners' members fired, one owner after the other, since the rows of members were left unread.
        var readers = 0
        /// The most members that an owner had.
        var mostMembers = 1
        /// One of the members whose rows came with them last, which tells whether they are read: its row waits for its fault as long as they are not.
        var watched: ObjectID?
    }

    private struct Company {
        let scope: ObjectIDScope
        let references: [Int64]
    }

    /// A to-many relationship of an object.
    private struct Way: Hashable {
        let owner: ObjectID
        let relationship: Int
    }

    private struct Single: Hashable {
        let entity: String
        let relationship: String?
    }

    // MARK: - To one

    /// Takes note of a fault that an object leads to.
    mutating func reach(_ id: ObjectID, over relationship: RelationshipDescription, from owner: ManagedObject) {
        reached = (id, relationship, owner.objectID.scope)
        if !id.isTemporary { met.add(id) }
    }

    /// Takes out the references of the faults that to-one relationships led to, as one of them fires.
    mutating func takeMet(with id: ObjectID) -> [Int64] { met.take(with: id) }

    /// The relationship that led to a fault, with the scope of the object that it led from.
    func way(to id: ObjectID) -> (relationship: RelationshipDescription, scope: ObjectIDScope)? {
        guard let reached, reached.id == id else { return nil }
        return (reached.relationship, reached.scope)
    }

    /// Whether it is time to have what others reference come along, as one more object's relationship costs a round trip.
    mutating func isWalk(_ relationship: RelationshipDescription) -> Bool {
        let key = ObjectIdentifier(relationship)
        runs[key, default: Run()].length += 1
        return runs[key].map { $0.length >= $0.next } ?? false
    }

    /// Takes note of how many came along.
    mutating func didBring(_ count: Int, along relationship: RelationshipDescription) {
        let key = ObjectIdentifier(relationship)
        // A search that finds little is not made again at each step.
        let isWorthIt = count >= WalkedRelationships.fewest
        runs[key, default: Run()].length = isWorthIt ? 1 : 0
        runs[key, default: Run()].next = isWorthIt ? 2 : 2 * (runs[key]?.next ?? 2)
    }

    // MARK: - To many

    /// Takes note of a round trip for the members of an owner.
    ///
    /// - Returns: Whether it is not the first.
    mutating func follow(_ relationship: RelationshipDescription) -> Bool {
        let key = ObjectIdentifier(relationship)
        runs[key, default: Run()].count += 1
        return runs[key].map { $0.count > 1 } ?? false
    }

    /// Takes note of how many members owners have.
    mutating func didLoad(_ members: [[ObjectID]], of relationship: RelationshipDescription) {
        let key = ObjectIdentifier(relationship)
        let most = members.reduce(runs[key]?.mostMembers ?? 1) { max($0, $1.count) }
        runs[key, default: Run()].mostMembers = most
    }

    /// Takes note that members fired whose rows had not come with them.
    mutating func didReadMembers(of relationship: RelationshipDescription) {
        runs[ObjectIdentifier(relationship), default: Run()].readers += 1
    }

    /// Of how many owners the members may come at once.
    func mostOwners(_ relationship: RelationshipDescription) -> Int {
        let members = runs[ObjectIdentifier(relationship)]?.mostMembers ?? 1
        return min(WalkedRelationships.batchSize, WalkedRelationships.mostRows / members)
    }

    /// For how many owners the rows of the members are to come with them: none where they are not read.
    mutating func mostOwnersWithRows(_ relationship: RelationshipDescription) -> Int {
        let key = ObjectIdentifier(relationship)
        guard let run = runs[key], run.readers >= 2 else { return 0 }
        if let watched = run.watched, rows[watched] != nil {
            runs[key]?.readers = 0
            runs[key]?.watched = nil
            return 0
        }
        return WalkedRelationships.batchSize / run.mostMembers
    }

    /// Has one of the members whose rows came tell whether they are read.
    mutating func watch(_ id: ObjectID?, of relationship: RelationshipDescription) { runs[ObjectIdentifier(relationship)]?.watched = id }

    mutating func noteOnlyMember(_ id: ObjectID, of relationship: RelationshipDescription) { onlyMember = (id, relationship) }

    /// Takes note that a fault fires.
    mutating func willFire(_ id: ObjectID) {
        guard let known = onlyMember, known.id == id else { return }
        onlyMember = nil
        didReadMembers(of: known.relationship)
    }

    // MARK: - What came together

    /// Takes note of objects that came together, as far as they share a scope.
    mutating func keepCompany(_ ids: some Sequence<ObjectID>) {
        var scope: ObjectIDScope?
        var references: [Int64] = []
        for id in ids where !id.isTemporary {
            if scope == nil { scope = id.scope }
            if id.scope === scope { references.append(id.reference) }
            if references.count == WalkedRelationships.batchSize { break }
        }
        if let scope, references.count > 1 { companies[ObjectIdentifier(scope)] = Company(scope: scope, references: references) }
    }

    /// The references of the objects that came with one, its own among them.
    func company(of id: ObjectID) -> [Int64] {
        guard let company = companies[ObjectIdentifier(id.scope)], company.references.contains(id.reference) else { return [] }
        return company.references
    }

    /// Keeps the destinations of a relationship for an object that is not here.
    mutating func keepDestinations(_ ids: [ObjectID], of relationship: RelationshipDescription, from owner: ObjectID) {
        if destinations.count >= WalkedRelationships.batchSize { destinations = [:] }
        destinations[Way(owner: owner, relationship: relationship.index)] = ids
    }

    mutating func takeDestinations(of relationship: RelationshipDescription, from owner: ObjectID) -> [ObjectID]? {
        destinations.isEmpty ? nil : destinations.removeValue(forKey: Way(owner: owner, relationship: relationship.index))
    }

    func hasDestinations(of relationship: RelationshipDescription, from owner: ObjectID) -> Bool {
        destinations[Way(owner: owner, relationship: relationship.index)] != nil
    }

    // MARK: - Rows and members that came along

    mutating func keep(_ more: [ObjectID: Row]) {
        makeRoom(for: more.count)
        rows.merge(more) { $1 }
    }

    mutating func keep(_ row: Row, of id: ObjectID) { rows[id] = row }

    /// Has rows that are about to come be no more with the others than may wait.
    mutating func makeRoom(for count: Int) { if rows.count + count > WalkedRelationships.mostRows { rows = [:] } }

    mutating func takeRow(of id: ObjectID) -> Row? { rows.isEmpty ? nil : rows.removeValue(forKey: id) }
    func hasRow(of id: ObjectID) -> Bool { !rows.isEmpty && rows[id] != nil }

    mutating func keepMembers(_ ids: some Sequence<ObjectID>, of relationship: RelationshipDescription) {
        members = ObjectIDSet()
        for id in ids { _ = members.insert(id) }
        membersRelationship = relationship
    }

    /// Takes out members that came along with one, itself left out; none where it did not come along.
    mutating func takeMembers(with id: ObjectID) -> [ObjectID] {
        if members.isEmpty || !members.remove(id) { return [] }
        let ids = Array(members.ids.prefix(WalkedRelationships.batchSize - 1))
        members.subtract(ids)
        if let membersRelationship { didReadMembers(of: membersRelationship) }
        return ids
    }

    /// Forgets the row of an object, and all destinations: it may have been among any.
    mutating func forgetRow(of id: ObjectID) {
        rows[id] = nil
        destinations = [:]
    }

    mutating func forgetRows() {
        rows = [:]
        members = ObjectIDSet()
        met = MetFaults()
        companies = [:]
        destinations = [:]
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
