import StrataModel
import StrataStore

/// What a whole store holds, as far as a ledger keeps it.
struct LedgerContents: Sendable {
    /// The two ends of a link.
    struct Ends: Hashable, Sendable {
        let first: Int64
        let second: Int64

        init(_ link: Link) { (first, second) = (link.first, link.second) }
    }

    /// The places that a link has among those of its ends.
    struct Places: Hashable, Sendable {
        var inFirst: OrderKey?
        var inSecond: OrderKey?

        init(_ link: Link) { (inFirst, inSecond) = (link.orderInFirst, link.orderInSecond) }
    }

    /// The rows, by the root of their tree.
    var trees: [EntityIndex: LedgerTree] = [:]
    /// The links, by the index of their table.
    var links: [Int: [Ends: Places]] = [:]

    private static let rowsAtOnce = 2048

    /// Reads a snapshot of a store.
    ///
    /// - Parameters:
    ///   - known: What was there before: rows that have the version still are not read.
    ///   - check: Throws where nobody wants to know any more.
    /// - Complexity: O(n) in the rows of the store.
    init(
        _ reader: any StoreReader, of shape: FollowedShape, since known: [EntityIndex: LedgerTree], _ check: () throws -> Void
    ) throws {
        for root in shape.roots { trees[root] = try LedgerContents.tree(root, reader, shape, known[root] ?? LedgerTree(), check) }
        for table in shape.tables {
            try check()
            var links: [Ends: Places] = [:]
            for link in try reader.links(of: table) { links[Ends(link)] = Places(link) }
            self.links[table.index] = links
        }
    }

    private static func tree(
        _ root: EntityIndex, _ reader: any StoreReader, _ shape: FollowedShape, _ known: LedgerTree, _ check: () throws -> Void
    ) throws -> LedgerTree {
        let model = shape.model
        let entity = model.entities[root]
        var versions = try reader.versions(root: entity).filter { entity.tree.contains($0.entity) }
        if zip(versions, versions.dropFirst()).contains(where: { $0.reference >= $1.reference }) {
            versions.sort { $0.reference < $1.reference }
        }
        var tree = LedgerTree()
        tree.reserve(versions.count, like: known)
        // What is derived changes without a version.
        let isDerived = shape.isDerived(root)
        var place = 0
        for start in stride(from: 0, to: versions.count, by: rowsAtOnce) {
            try check()
            let some = versions[start..<min(start + rowsAtOnce, versions.count)]
            var places: [Int?] = []
            for row in some {
                while place < known.count && known.references[place] < row.reference { place += 1 }
                let isKnown =
                    !isDerived && place < known.count && known.references[place] == row.reference
                    && known.version(at: place) == row.version && known.entity(at: place) == row.entity
                places.append(isKnown ? place : nil)
            }
            let rows = try read(zip(some, places).compactMap { $1 == nil ? $0.reference : nil }, root, reader, model)
            for (version, place) in zip(some, places) {
                if let place {
                    tree.append(from: known, at: place)
                } else if let row = rows[version.reference] {
                    tree.append(row, shape)
                } else {
                    tree.append(unreadable: version, model)
                }
            }
        }
        return tree
    }

    private static func read(
        _ references: [Int64], _ root: EntityIndex, _ reader: any StoreReader, _ model: ManagedObjectModel
    ) throws -> [Int64: Row] {
        if references.isEmpty { return [:] }
        var rows: [Row] = []
        do { rows = try reader.rows(root: root, references: references) } catch let error as StoreError where error.code == .corrupt {
            for reference in references {
                do { rows += try reader.rows(root: root, references: [reference]) } catch let error as StoreError
                    where error.code == .corrupt
                {
                    // Somebody else's affair: here it is a row of which nothing is known.
                }
            }
        }
        return Dictionary(try model.checked(rows, .refresh).map { ($0.reference, $0) }) { first, _ in first }
    }
}

/// What of a model a store holds.
struct FollowedShape: Sendable {
    let model: ManagedObjectModel
    /// The roots of the trees of its entities.
    let roots: [EntityIndex]
    /// The tables of links between its entities.
    let tables: [LinkTable]
    private let memberships: [[Membership]]

    /// A to-one relationship with an inverse to many.
    struct Membership: Sendable {
        let slot: Slot
        /// Where the row's place among the members is.
        let order: Slot?
        /// The root of the owners' tree.
        let root: EntityIndex
        /// The owners' relationship.
        let name: String
    }

    init(_ model: ManagedObjectModel, _ entities: Set<EntityIndex>) {
        self.model = model
        let roots = Set(entities.map { model.entities[$0].root })
        self.roots = roots.sorted()
        memberships = model.entities.map { entity in
            entity.relationships.compactMap { relationship in
                guard case .toOne(let slot, _, let order) = relationship.storage, let inverse = model.inverse(of: relationship),
                    inverse.isToMany, !inverse.isHidden, roots.contains(model.destination(of: relationship).root)
                else { return nil }
                return Membership(slot: slot, order: order, root: model.destination(of: relationship).root, name: inverse.name)
            }
        }
        tables = model.linkTables.filter { table in
            [table.first, table.second].allSatisfy { roots.contains(model.entities[$0.entity].root) }
        }
    }

    /// The relationships of an entity whose inverses are to many: an object is a member of where they lead.
    func memberships(of entity: EntityIndex) -> [Membership] { memberships[entity] }

    /// The references of the objects that a row is a member of, 0 for none.
    func owners(of row: Row) -> [Int64] { memberships[row.entityIndex].map { row.integer($0.slot) ?? 0 } }

    /// Whether some entity of a tree has attributes that are derived.
    func isDerived(_ root: EntityIndex) -> Bool {
        model.entities[root].tree.contains { !model.entities[$0].derivedAttributes.isEmpty }
    }
}

extension LedgerContents {
    init(trees: [EntityIndex: LedgerTree], links: [Int: [Ends: Places]]) {
        self.trees = trees
        self.links = links
    }
}
