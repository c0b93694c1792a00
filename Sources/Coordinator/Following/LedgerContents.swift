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
                    tree.append(row, model)
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

    init(_ model: ManagedObjectModel, _ entities: Set<EntityIndex>) {
        self.model = model
        let roots = Set(entities.map { model.entities[$0].root })
        self.roots = roots.sorted()
        tables = model.linkTables.filter { table in
            [table.first, table.second].allSatisfy { roots.contains(model.entities[$0.entity].root) }
        }
    }

    /// Whether some entity of a tree has attributes that are derived.
    func isDerived(_ root: EntityIndex) -> Bool {
        model.entities[root].tree.contains { !model.entities[$0].derivedAttributes.isEmpty }
    }
}
