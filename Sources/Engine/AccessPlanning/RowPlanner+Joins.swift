extension RowPlanner {
    /// Turns a condition about other objects, or a disjunction, into references or keys of a slot.
    ///
    /// - Parameter cost: The cost of reading the rows otherwise.
    /// - Returns: False for other conditions, or where it is cheaper to test the rows.
    mutating func join(
        _ conjunct: ResolvedPredicate, _ position: Int, _ search: inout Search, _ rowCount: Int, _ cost: Int
    ) throws -> Bool {
        switch conjunct {
        case .or(let parts):
            guard let union = try union(parts, search, cost) else { return false }
            search.add(union.references, position, union.path)
        case .comparison(let comparison):
            guard comparison.left.variable == 0, let step = comparison.left.steps.first, comparison.right.path == nil,
                conjunct.rejectsNil
            else { return false }
            let limit = min(RowPlanner.lookups(rowCount), cost / 2)
            guard let ends = try ends(.comparison(comparison.withoutFirstStep), step.destination, cost / 4, limit: limit) else {
                return false
            }
            search.add(SlotCondition(slot: step.slot, kind: .reference, keys: KeySet(references: ends.references)), position, ends.path)
        case .exists(let collection):
            guard let owners = try owners(of: collection, search, cost) else { return false }
            search.add(owners.references, position, owners.path)
        case .constant, .and, .not, .test: return false
        }
        return true
    }

    /// References, ascending, with their access path.
    private typealias Found = (references: [Int64], path: [PlanExplanation.Access])

    private mutating func union(_ parts: [ResolvedPredicate], _ search: Search, _ cost: Int) throws -> Found? {
        var references: [Int64] = []
        var path: [PlanExplanation.Access] = []
        for part in parts {
            let branch = Search(search.entity, search.entities, part.conjuncts, source.storeID)
            guard let found = try self.references(branch, greatestCost: cost / 3, limit: cost / 3 - references.count) else { return nil }
            references += found.references
            path += found.path
        }
        return (references.sortedUniquely(), path.uniqued())
    }

    /// Returns the references of the objects that meet a condition, or keys of a slot of theirs; `nil` where that costs
    /// too much.
    private mutating func ends(
        _ predicate: ResolvedPredicate, _ entity: EntityDescription, _ greatestCost: Int, slot: Slot? = nil, limit: Int
    ) throws -> Found? {
        let search = Search(entity, entity.hierarchy, predicate.conjuncts, source.storeID)
        return try references(search, greatestCost: greatestCost, limit: limit, slot: slot)
    }

    /// Returns the owners of a collection with an element that meets the collection's condition.
    private mutating func owners(of collection: ResolvedCollection, _ search: Search, _ cost: Int) throws -> Found? {
        guard case .variable(0) = collection.origin, let last = collection.steps.last,
            let filter = collection.filter?.rebased(from: collection.variable),
            filter.rejectsNil || collection.steps.allSatisfy({ $0.slot == nil })
        else { return nil }
        // The first step back is taken while the rows are at hand.
        let greatest = cost / 2
        guard var found = try ends(filter, last.destination, cost / 4, slot: WayBack(last).slot, limit: greatest) else { return nil }
        for (position, step) in collection.steps.enumerated().reversed() {
            let back = WayBack(step)
            if let slot = back.slot {
                if position == collection.steps.count - 1 { continue }
                var owners: [Int64] = []
                for reference in found.references {
                    rowsRead += 1
                    if let owner = try source.row(root: step.destination.root, reference: reference)?.integer(slot) { owners.append(owner) }
                }
                found.references = owners.sortedUniquely()
            } else {
                let entity = position == 0 ? search.entity : collection.steps[position - 1].destination
                guard let owners = try back.owners(of: found.references, source, atMost: greatest, in: entity) else { return nil }
                found.references = owners
            }
        }
        return found
    }

    /// Returns the references of the matching rows, or keys of a slot of theirs.
    private mutating func references(_ search: Search, greatestCost: Int, limit: Int, slot: Slot? = nil) throws -> Found? {
        var search = search
        let plan = try choose(&search)
        let path = plan.path.filter { $0 != .scan }
        guard plan.cost <= greatestCost, limit > 0 else { return nil }
        var references: [Int64]?
        switch plan.access {
        case .nothing: return ([], path)
        case .references(let some): references = some
        case .index(let match, let part):
            let some = try part.references()
            if slot == nil, plan.rest.isEmpty, match.index.entities == search.entities { return some.count <= limit ? (some, path) : nil }
            references = some
        case .scan: break
        }
        let residual = plan.residual.map { RowPredicate($0) }
        let isComplete = plan.residual.map { outlying(search.entity.root).areMet(by: $0.forEachPath) } ?? false
        var found: [Int64] = []
        var rowsRead = 0
        try source.visit(root: search.entity.root, references, isComplete: isComplete) { row in
            rowsRead += 1
            guard search.entities.contains(row.entityIndex), try residual?.passes(row, source) ?? true else { return true }
            if let number = slot.map({ row.integer($0) }) ?? row.reference { found.append(number) }
            return found.count <= limit
        }
        self.rowsRead += rowsRead
        return found.count <= limit ? (found.sortedUniquely(), path) : nil
    }

    private mutating func outlying(_ root: EntityIndex) -> Set<Slot> {
        if let known = outlyingSlots[root] { return known }
        let slots = source.outlyingSlots(root: root)
        outlyingSlots[root] = slots
        return slots
    }
}

/// The way from an element of a collection back to its owner.
private struct WayBack {
    /// The slot of the element's row with the owner's reference.
    private(set) var slot: Slot?
    private var links: (table: Int, side: LinkSide)?
    /// The slot of the owner's row with the element's reference.
    private var ownerSlot: Slot?

    init(_ step: ResolvedCollection.Step) {
        switch step.relationship.storage {
        case .inverse(let property):
            if case .toOne(let inverse, _, _)? = step.destination.properties[property].relationship?.storage { slot = inverse }
        case .links(let table, let side): links = (table, side.opposite)
        case .toOne(let own, _, _): ownerSlot = own
        case .none: break
        }
    }

    /// Returns the owners of some elements; `nil` where there are too many, or no index for it.
    func owners(of references: [Int64], _ source: any IndexedRows, atMost greatest: Int, in entity: EntityDescription) throws -> [Int64]? {
        if let links {
            var owners: [Int64] = []
            for reference in references {
                owners += try source.linked(links.table, links.side, reference)
                if owners.count > greatest { return nil }
            }
            return owners.sortedUniquely()
        }
        guard let ownerSlot else { return nil }
        let keys = KeySet(references: references)
        let conditions = [SlotCondition(slot: ownerSlot, kind: .reference, keys: keys)]
        for index in source.indexes(root: entity.root) where index.entities.contains(entity.index) && index.begins(with: conditions) {
            guard let match = IndexMatch(index, conditions, lookups: greatest), let part = try source.find(match, root: entity.root),
                part.isExact
            else { continue }
            return try part.count(upTo: greatest) <= greatest ? try part.references() : nil
        }
        return nil
    }
}

extension ResolvedPredicate {
    /// Whether nil never meets the predicate.
    fileprivate var rejectsNil: Bool {
        switch self {
        case .constant(let truth): !truth
        case .and(let parts): parts.contains { $0.rejectsNil }
        case .or(let parts): parts.allSatisfy { $0.rejectsNil }
        case .comparison(let comparison):
            comparison.right.constant.map { constant in
                (try? !ValueTest.holds(.null, comparison.operator, constant, options: comparison.options)) ?? false
            } ?? false
        case .not, .test, .exists: false
        }
    }
}
