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
    /// Where in the store's log the snapshot is that was read; `nil` where it keeps none.
    var position: LogPosition?

    /// The number of rows.
    var rowCount: Int { trees.values.reduce(0) { $0 + $1.count } }

    private static let rowsAtOnce = 2048

    /// Reads a snapshot of a store.
    ///
    /// - Parameters:
    ///   - known: What was there before: rows that have the version still are not read.
    ///   - isWhole: Whether everything is looked at although the store's log tells what changed since.
    ///   - check: Throws where nobody wants to know any more.
    /// - Complexity: O(n) in the rows of the store; where its log tells what changed, only these are asked of the store.
    init(
        _ reader: any StoreReader, of shape: FollowedShape, since known: LedgerContents?, isWhole: Bool, _ check: () throws -> Void
    ) throws {
        let log = reader as? any LoggedReader
        position = try log?.logPosition()
        let logged = isWhole ? nil : try known?.position.flatMap { try log?.changes(since: $0) }
        for root in shape.roots {
            let old = known?.trees[root] ?? LedgerTree()
            switch logged.map({ $0.rows[root] ?? .some([]) }) {
            case .some(let changed)?:
                trees[root] = changed.isEmpty ? old : try LedgerContents.tree(root, changed, reader, shape, old, check)
            case .any?, nil: trees[root] = try LedgerContents.tree(root, reader, shape, old, check)
            }
        }
        for table in shape.tables {
            try check()
            if let logged, let known, !logged.linkTables.contains(table.index) {
                links[table.index] = known.links[table.index]
                continue
            }
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

    /// A tree of which only some rows may be other than they were.
    private static func tree(
        _ root: EntityIndex, _ changed: Set<Int64>, _ reader: any StoreReader, _ shape: FollowedShape, _ known: LedgerTree,
        _ check: () throws -> Void
    ) throws -> LedgerTree {
        let changed = changed.sorted()
        var tree = LedgerTree()
        tree.reserve(known.count + changed.count, like: known)
        var place = 0
        func keep(below reference: Int64) {
            while place < known.count && known.references[place] < reference {
                tree.append(from: known, at: place)
                place += 1
            }
        }
        for start in stride(from: 0, to: changed.count, by: rowsAtOnce) {
            try check()
            let some = Array(changed[start..<min(start + rowsAtOnce, changed.count)])
            let there = try reader.existing(root: root, references: some)
            let entities = Dictionary(there.map { ($0.reference, $0.entity) }) { first, _ in first }
            let rows = try read(there.map(\.reference), root, reader, shape.model)
            for reference in some {
                keep(below: reference)
                if place < known.count && known.references[place] == reference { place += 1 }
                if let row = rows[reference] {
                    tree.append(row, shape)
                } else if let entity = entities[reference] {
                    tree.append(unreadable: RowVersion(entity: entity, reference: reference, version: 0), shape.model)
                }
            }
        }
        while place < known.count {
            tree.append(from: known, at: place)
            place += 1
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
    init(trees: [EntityIndex: LedgerTree], links: [Int: [Ends: Places]], at position: LogPosition?) {
        self.trees = trees
        self.links = links
        self.position = position
    }
}
