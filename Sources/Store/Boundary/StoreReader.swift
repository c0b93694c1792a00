/// One consistent snapshot of a store, used by one thread.
public protocol StoreReader: RowResolver {
    /// Fixes the snapshot to what is committed now, at the latest; called before any read.
    ///
    /// Only a store whose snapshots begin with their first read implements it: by default it does nothing.
    ///
    /// - Throws: ``StoreError`` where no snapshot is available.
    func takeSnapshot() throws

    /// Announces rows that the core is about to visit, with their destinations.
    ///
    /// A store that needs a round trip per row may read for many rows together: by default nothing happens.
    func expect(_ rows: [Row])

    /// Answers a plan as far as the store can, and returns what is left to do.
    ///
    /// - Throws: ``StoreError`` with `corrupt` for a damaged row, `io`, or `closed`; what evaluating an expression of
    ///   the plan throws.
    func execute(_ plan: FetchPlan) throws -> StoreAnswer

    /// Answers a plan as ``execute(_:)`` does, and returns the explanation.
    ///
    /// - Throws: ``StoreError``; `QueryError`.
    func explain(_ plan: FetchPlan) throws -> PlanExplanation

    /// Returns the existing rows of one hierarchy with the given references, in any order.
    ///
    /// - Throws: ``StoreError`` with `corrupt` for a damaged row, `io`, or `closed`.
    func rows(root: EntityIndex, references: [Int64]) throws -> [Row]

    /// Returns the versions of all rows of one hierarchy, in any order. By default the rows are read.
    ///
    /// Called when others changed the store, to find the rows to read.
    ///
    /// - Parameter root: The root of the hierarchy.
    /// - Throws: ``StoreError``.
    /// - Complexity: O(n) in the rows of the hierarchy; a store with external values reads none of them.
    func versions(root: EntityDescription) throws -> [RowVersion]

    /// Returns the existing ones of some rows of one hierarchy, in any order, by their own entities. By default it
    /// reads the rows.
    ///
    /// - Throws: ``StoreError``.
    func existing(root: EntityIndex, references: [Int64]) throws -> [ObjectReference]

    /// Returns the destinations of a to-many relationship of one object: in order where it is ordered, else by
    /// reference.
    ///
    /// - Parameters:
    ///   - relationship: A to-many relationship stored by its inverse or by links.
    ///   - owner: The reference of the object.
    /// - Throws: ``StoreError``.
    func destinations(of relationship: RelationshipDescription, owner: Int64) throws -> [ObjectReference]

    /// Returns the destinations of a to-many relationship of several objects, as ``destinations(of:owner:)`` does for
    /// each.
    ///
    /// By default it reads one object after the other.
    ///
    /// - Throws: ``StoreError``.
    func destinations(of relationship: RelationshipDescription, owners: [Int64]) throws -> [[ObjectReference]]

    /// Returns the destinations of a to-many relationship as ``destinations(of:owners:)`` does, and their existing
    /// rows, in any order.
    ///
    /// By default it reads the rows after the destinations.
    ///
    /// - Parameters:
    ///   - relationship: The relationship.
    ///   - root: The root of the destinations' hierarchy.
    ///   - owners: The references of the objects.
    /// - Throws: ``StoreError``; with `corrupt` for a malformed row.
    func destinationsWithRows(
        of relationship: RelationshipDescription, root: EntityIndex, owners: [Int64]
    ) throws -> (destinations: [[ObjectReference]], rows: [Row])

    /// Returns all links of a table, in any order.
    ///
    /// - Throws: ``StoreError``.
    func links(of table: LinkTable) throws -> [Link]

    /// Returns some links of a table, in any order. By default it reads all of them.
    ///
    /// Called where the history keeps before-images, and to read the past by them.
    ///
    /// - Throws: ``StoreError``.
    func links(of table: LinkTable, _ selection: LinkSelection) throws -> [Link]
}

/// Some links of a table.
public enum LinkSelection: Sendable {
    /// Those of some objects on a side.
    case owners(LinkSide, [Int64])
    /// Those that exist of some pairs; the order keys given do not matter.
    case pairs([Link])
}

extension StoreReader {
    public func takeSnapshot() throws {}

    public func expect(_ rows: [Row]) {}

    public func links(of table: LinkTable, _ selection: LinkSelection) throws -> [Link] {
        let all = try links(of: table)
        switch selection {
        case .owners(let side, let owners):
            let owners = Set(owners)
            return all.filter { owners.contains($0.reference(side)) }
        case .pairs(let pairs):
            let pairs = Set(pairs.map { Link(first: $0.first, second: $0.second) })
            return all.filter { pairs.contains(Link(first: $0.first, second: $0.second)) }
        }
    }

    public func versions(root: EntityDescription) throws -> [RowVersion] {
        try execute(FetchPlan(root)).requireRows().map { RowVersion(entity: $0.entityIndex, reference: $0.reference, version: $0.version) }
    }

    public func existing(root: EntityIndex, references: [Int64]) throws -> [ObjectReference] {
        try rows(root: root, references: references).map { ObjectReference(entity: $0.entityIndex, reference: $0.reference) }
    }

    public func explain(_ plan: FetchPlan) throws -> PlanExplanation {
        guard case .rows(let rows, let remainder) = try execute(plan) else { return PlanExplanation(rowsRead: 0) }
        var explanation = PlanExplanation(rowsRead: rows.count)
        let remaining = remainder.predicate?.conjuncts.map(\.description) ?? []
        explanation.decided = plan.predicate?.conjuncts.map(\.description).filter { !remaining.contains($0) } ?? []
        explanation.remaining = remaining
        explanation.isSorted = !remainder.needsSort
        explanation.isSliced = !remainder.needsSlice
        return explanation
    }

    public func destinations(of relationship: RelationshipDescription, owners: [Int64]) throws -> [[ObjectReference]] {
        try owners.map { try destinations(of: relationship, owner: $0) }
    }

    public func destinationsWithRows(
        of relationship: RelationshipDescription, root: EntityIndex, owners: [Int64]
    ) throws -> (destinations: [[ObjectReference]], rows: [Row]) {
        let destinations = try destinations(of: relationship, owners: owners)
        var references = destinations.joined().map(\.reference)
        // Only over links an object is a destination of several.
        if case .links = relationship.storage, owners.count > 1 { references = Set(references).sorted() }
        return (destinations, references.isEmpty ? [] : try rows(root: root, references: references))
    }

    public func destinations(of relationship: RelationshipDescription, root: EntityIndex, owner: Row) throws -> [Row] {
        let references = try destinations(of: relationship, owner: owner.reference).map(\.reference)
        if references.isEmpty { return [] }
        let rows = Dictionary(try rows(root: root, references: references).map { ($0.reference, $0) }) { first, _ in first }
        return references.compactMap { rows[$0] }
    }
}
