import StrataEngine
import StrataModel
import StrataStore

/// A snapshot of a shelf.
final class ShelfReader: StoreReader {
    let state: ShelfState
    var schema: ShelfSchema { state.schema }

    init(_ state: ShelfState) { self.state = state }

    var storeID: StoreID? { state.metadata.storeID }

    func execute(_ plan: FetchPlan) throws -> StoreAnswer { try PlanRunner(plan, self).run() }
    func explain(_ plan: FetchPlan) throws -> PlanExplanation { try PlanRunner(plan, self).explanation() }

    func row(root: EntityIndex, reference: Int64) throws -> Row? { state.row(root: root, reference: reference) }
    func rows(root: EntityIndex, references: [Int64]) throws -> [Row] { references.compactMap { state.row(root: root, reference: $0) } }
    func links(of table: LinkTable) throws -> [Link] { state.links[table.index] ?? [] }

    func destinations(of relationship: RelationshipDescription, owner: Int64) throws -> [ObjectReference] {
        let entity = schema.model.destination(of: relationship)
        var rows: [Row] = []
        switch relationship.storage {
        case .toOne, .none: break
        case .inverse(let property):
            guard case .toOne(let slot, _, let order) = entity.properties[property].relationship?.storage,
                let index = schema.index(over: slot, of: entity)
            else { break }
            let key = IndexKey.word(KeyWord.of(owner))
            let entries = state.entries(index, root: entity.root)
            rows = entries[entries[...].indices(0, index.elements[0], from: .before(key), to: .after(key))].map(\.row)
            // They are there by reference, which decides between equal positions.
            if let order { rows = rows.inOrder { $0.order(order) } }
        case .links(let table, let side):
            let links = (state.links[table] ?? []).filter { $0.reference(side) == owner }
            let sorted = links.sorted { $0.reference(side.opposite) < $1.reference(side.opposite) }.inOrder { $0.order(side) }
            rows = sorted.compactMap { state.row(root: entity.root, reference: $0.reference(side.opposite)) }
        }
        return rows.map { ObjectReference(entity: $0.entityIndex, reference: $0.reference) }
    }
}

extension Array {
    /// The elements by their positions, those without one first, and else in the order that they are in.
    fileprivate func inOrder(_ position: (Element) -> OrderKey?) -> [Element] {
        enumerated().sorted { (position($0.element) ?? .min, $0.offset) < (position($1.element) ?? .min, $1.offset) }.map(\.element)
    }
}

// MARK: - What plans are run over

extension ShelfReader: RowSource {
    var sortsByIndex: Bool { true }

    func indexes(root: EntityIndex) -> [IndexDescription] { schema.indexes[root] ?? [] }
    func rowCount(root: EntityIndex) throws -> Int { state.hierarchies[root]?.rows.count ?? 0 }
    func count(_ entities: Range<EntityIndex>, root: EntityIndex) throws -> Int? { nil }

    func linked(_ table: Int, _ side: LinkSide, _ reference: Int64) throws -> [Int64] {
        (state.links[table] ?? []).filter { $0.reference(side) == reference }.map { $0.reference(side.opposite) }
    }

    func scan(root: EntityIndex, _ body: (Row) throws -> Bool) throws {
        for row in state.hierarchies[root]?.rows ?? [] where try !body(row) { return }
    }

    func visit(root: EntityIndex, _ references: [Int64], _ body: (Row) throws -> Bool) throws {
        for row in try rows(root: root, references: references) where try !body(row) { return }
    }

    func find(_ match: IndexMatch, root: EntityIndex) throws -> (any IndexPart)? {
        let entries = state.entries(match.index, root: root)
        var ranges: [Range<Int>] = []
        for combination in 0..<match.combinations {
            var part = entries[...]
            for (position, key) in match.prefix(combination).enumerated() {
                part = part[part.indices(position, match.index.elements[position], from: .before(key), to: .after(key))]
            }
            guard let intervals = match.intervals else {
                ranges.append(part.indices)
                continue
            }
            let element = match.index.elements[match.depth]
            for interval in intervals { ranges.append(part.indices(match.depth, element, from: interval.from, to: interval.to)) }
        }
        // In the order of the index, whichever way its elements run.
        ranges.sort { $0.lowerBound < $1.lowerBound }
        return Part(rows: ranges.flatMap { entries[$0].map(\.row) })
    }

    func traverse(_ part: any IndexPart, root: EntityIndex, isBackward: Bool, _ body: (Row) throws -> Bool) throws -> Bool {
        guard let part = part as? Part else { return false }
        for row in isBackward ? part.rows.reversed() : part.rows where try !body(row) { break }
        return true
    }

    private final class Part: IndexPart {
        let rows: [Row]
        init(rows: [Row]) { self.rows = rows }

        var isExact: Bool { true }
        func count(upTo limit: Int) throws -> Int { rows.count }
        func references() throws -> [Int64] { rows.map(\.reference).sorted() }
    }
}
