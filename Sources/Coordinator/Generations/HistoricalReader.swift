import StrataModel
import StrataStore

/// A past state of a store: a later one that is held, and the rows and links that differ.
final class HistoricalSnapshot: StoreSnapshot {
    private let later: any StoreSnapshot
    private let state: HistoricalState
    private let model: ManagedObjectModel

    init(_ later: any StoreSnapshot, _ state: HistoricalState, _ model: ManagedObjectModel) {
        (self.later, self.state, self.model) = (later, state, model)
    }

    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T {
        try later.read { try body(HistoricalReader($0, state, model)) }
    }
}

/// Reads a past state of a store.
///
/// A condition on attributes of the objects themselves is answered by the store, for those that have not changed. One over relationships is
/// evaluated for each object of the entity.
final class HistoricalReader: StoreReader {
    private let later: any StoreReader
    private let state: HistoricalState
    private let model: ManagedObjectModel

    init(_ later: any StoreReader, _ state: HistoricalState, _ model: ManagedObjectModel) {
        (self.later, self.state, self.model) = (later, state, model)
    }

    var storeID: StoreID? { later.storeID }

    func expect(_ rows: [Row]) { later.expect(rows) }

    func execute(_ plan: FetchPlan) throws -> StoreAnswer {
        let changed = state.rows[plan.entity.root] ?? [:]
        let isOwn = plan.predicate?.isOfOwnAttributes ?? true
        if state.isEmpty || changed.isEmpty && isOwn && plan.isOfOwnAttributes { return try later.execute(plan) }
        var all = FetchPlan(plan.entity)
        all.includesSubentities = plan.includesSubentities
        all.isEvaluatedInCore = plan.isEvaluatedInCore
        if isOwn { all.predicate = plan.predicate }
        var rows = try later.answer(all).requireRows()
        if !changed.isEmpty {
            rows.removeAll { changed[$0.reference] != nil }
            var past = changed.values.compactMap(\.self).filter { plan.entities.contains($0.entityIndex) }
            if isOwn, let predicate = plan.predicate {
                let test = RowPredicate(predicate)
                past = try past.filter { try test.passes($0, self) }
            }
            rows += past
        }
        return .rows(rows, Remainder(predicate: isOwn ? nil : plan.predicate, needsSort: true, needsSlice: true))
    }

    // MARK: - Rows

    func row(root: EntityIndex, reference: Int64) throws -> Row? {
        if let past = state.rows[root]?[reference] { return past }
        return try later.row(root: root, reference: reference)
    }

    func rows(root: EntityIndex, references: [Int64]) throws -> [Row] {
        guard let changed = state.rows[root] else { return try later.rows(root: root, references: references) }
        let unchanged = references.filter { changed[$0] == nil }
        let past = Set(references).compactMap { changed[$0] ?? nil }
        return try (unchanged.isEmpty ? [] : later.rows(root: root, references: unchanged)) + past
    }

    func existing(root: EntityIndex, references: [Int64]) throws -> [ObjectReference] {
        guard let changed = state.rows[root] else { return try later.existing(root: root, references: references) }
        let unchanged = references.filter { changed[$0] == nil }
        let past = Set(references).compactMap { changed[$0] ?? nil }.map { ObjectReference($0) }
        return try (unchanged.isEmpty ? [] : later.existing(root: root, references: unchanged)) + past
    }

    // MARK: - Relationships

    func destinations(of relationship: RelationshipDescription, owner: Int64) throws -> [ObjectReference] {
        switch relationship.storage {
        case .inverse(let property): try members(of: relationship, property, owner)
        case .links(let table, let side): try linked(relationship, model.linkTables[table], side, owner)
        case .toOne, .none: []
        }
    }

    func destinations(of relationship: RelationshipDescription, owners: [Int64]) throws -> [[ObjectReference]] {
        if isUnchanged(relationship, owners) { return try later.destinations(of: relationship, owners: owners) }
        return try owners.map { try destinations(of: relationship, owner: $0) }
    }

    private func isUnchanged(_ relationship: RelationshipDescription, _ owners: [Int64]) -> Bool {
        switch relationship.storage {
        case .inverse: state.rows[model.entities[relationship.destination].root] == nil
        case .links(let table, let side):
            owners.allSatisfy { state.links[HistoricalState.LinkEnd(table: table, side: side, owner: $0)] == nil }
        case .toOne, .none: true
        }
    }

    private func members(of relationship: RelationshipDescription, _ property: Int, _ owner: Int64) throws -> [ObjectReference] {
        let found = try later.destinations(of: relationship, owner: owner)
        let destination = model.entities[relationship.destination]
        guard let changed = state.rows[destination.root],
            case .toOne(let slot, _, let order)? = destination.properties[property].relationship?.storage
        else { return found }
        let unchanged = found.filter { changed[$0.reference] == nil }
        let past = (state.members[HistoricalState.Inverse(root: destination.root, slot: slot, owner: owner)] ?? [])
            .filter { destination.hierarchy.contains($0.entityIndex) }
        if past.isEmpty { return unchanged }
        guard relationship.isOrdered else {
            return (unchanged + past.map { ObjectReference($0) }).sorted { $0.reference < $1.reference }
        }
        let rows = unchanged.isEmpty ? [] : try later.rows(root: destination.root, references: unchanged.map(\.reference))
        return (rows + past).map { (order: order.flatMap($0.order) ?? .min, object: ObjectReference($0)) }.inOrder
    }

    private func linked(
        _ relationship: RelationshipDescription, _ table: LinkTable, _ side: LinkSide, _ owner: Int64
    ) throws -> [ObjectReference] {
        guard let changed = state.links[HistoricalState.LinkEnd(table: table.index, side: side, owner: owner)] else {
            return try later.destinations(of: relationship, owner: owner)
        }
        let unchanged = try later.links(of: table, .owners(side, [owner])).filter { changed[LinkID($0, table.index)] == nil }
        let links = unchanged + changed.values.compactMap(\.self)
        let root = model.entities[relationship.destination].root
        let existing = try existing(root: root, references: links.map { $0.reference(side.opposite) })
        let objects = Dictionary(existing.map { ($0.reference, $0) }) { first, _ in first }
        return links.compactMap { link in
            objects[link.reference(side.opposite)].map { (order: link.order(side) ?? .min, object: $0) }
        }.inOrder
    }

    func links(of table: LinkTable) throws -> [Link] {
        let changed = state.links.filter { $0.key.table == table.index && $0.key.side == .first }.values
        let ids = Set(changed.joined().map(\.key))
        return try later.links(of: table).filter { !ids.contains(LinkID($0, table.index)) } + changed.joined().compactMap(\.value)
    }
}

extension ObjectReference {
    fileprivate init(_ row: Row) { self.init(entity: row.entityIndex, reference: row.reference) }
}

extension [(order: OrderKey, object: ObjectReference)] {
    /// The objects by their order keys, those of one key by reference.
    fileprivate var inOrder: [ObjectReference] {
        sorted { ($0.order, $0.object.reference) < ($1.order, $1.object.reference) }.map(\.object)
    }
}

extension ResolvedPredicate {
    /// Whether the condition depends on nothing but the object's own attributes and to-one references.
    fileprivate var isOfOwnAttributes: Bool {
        var isOwn = true
        forEachPart { part in
            switch part {
            case .path(let path): if !path.isOfOwnAttribute { isOwn = false }
            case .collection: isOwn = false
            }
        }
        return isOwn
    }
}

extension FetchPlan {
    /// Whether order and results depend on nothing but the objects' own attributes and to-one references.
    fileprivate var isOfOwnAttributes: Bool {
        switch result {
        case .rows, .references, .count: sort.allSatisfy(\.path.isOfOwnAttribute)
        case .groups, .values: false
        }
    }
}

extension PropertyPath {
    fileprivate var isOfOwnAttribute: Bool { variable == 0 && steps.isEmpty }
}
