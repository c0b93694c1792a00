import StrataModel
import StrataStore

/// The digests of all rows, and all links, of a store at a snapshot.
struct StoreDigest: Sendable {
    struct Ends: Hashable, Sendable {
        let first: Int64
        let second: Int64

        init(_ link: Link) { (first, second) = (link.first, link.second) }
    }

    /// The positions of a link in the orders of its ends.
    struct Positions: Hashable, Sendable {
        var inFirst: OrderKey?
        var inSecond: OrderKey?

        init(_ link: Link) { (inFirst, inSecond) = (link.orderInFirst, link.orderInSecond) }
    }

    /// The rows, by the root of their hierarchy.
    var trees: [EntityIndex: RowDigestTable] = [:]
    /// The links, by the index of their table.
    var links: [Int: [Ends: Positions]] = [:]
    /// The position of the snapshot in the store's log; `nil` where it has none.
    var position: LogPosition?

    var rowCount: Int { trees.values.reduce(0) { $0 + $1.count } }

    private static let rowsAtOnce = 2048

    /// Reads a snapshot of a store.
    ///
    /// - Parameters:
    ///   - known: The previous reading: rows that still have its version are not read.
    ///   - isWhole: Whether all rows are compared although the store's log lists the changed ones.
    ///   - check: Throws to end the reading.
    /// - Complexity: O(n) in the rows of the store; where its log lists the changed ones, only these are read from the
    ///   store.
    init(
        _ reader: any StoreReader, of schema: TrackedSchema, since known: StoreDigest?, isWhole: Bool, _ check: () throws -> Void
    ) throws {
        let log = reader as? any LoggedReader
        position = try log?.logPosition()
        let logged = isWhole ? nil : try known?.position.flatMap { try log?.changes(since: $0) }
        for root in schema.roots {
            let old = known?.trees[root] ?? RowDigestTable()
            switch logged.map({ $0.rows[root] ?? .some([]) }) {
            case .some(let changed)?:
                trees[root] = changed.isEmpty ? old : try StoreDigest.tree(root, changed, reader, schema, old, check)
            case .any?, nil: trees[root] = try StoreDigest.tree(root, reader, schema, old, check)
            }
        }
        for table in schema.tables {
            try check()
            if let logged, let known, !logged.linkTables.contains(table.index) {
                links[table.index] = known.links[table.index]
                continue
            }
            var links: [Ends: Positions] = [:]
            for link in try reader.links(of: table) { links[Ends(link)] = Positions(link) }
            self.links[table.index] = links
        }
    }

    private static func tree(
        _ root: EntityIndex, _ reader: any StoreReader, _ schema: TrackedSchema, _ known: RowDigestTable, _ check: () throws -> Void
    ) throws -> RowDigestTable {
        let model = schema.model
        let entity = model.entities[root]
        var versions = try reader.versions(root: entity).filter { entity.tree.contains($0.entity) }
        if zip(versions, versions.dropFirst()).contains(where: { $0.reference >= $1.reference }) {
            versions.sort { $0.reference < $1.reference }
        }
        var tree = RowDigestTable()
        tree.reserve(versions.count, like: known)
        // A derived value changes without a new version.
        let isDerived = schema.isDerived(root)
        var index = 0
        for start in stride(from: 0, to: versions.count, by: rowsAtOnce) {
            try check()
            let some = versions[start..<min(start + rowsAtOnce, versions.count)]
            var indexes: [Int?] = []
            for row in some {
                while index < known.count && known.references[index] < row.reference { index += 1 }
                let isKnown =
                    !isDerived && index < known.count && known.references[index] == row.reference
                    && known.version(at: index) == row.version && known.entity(at: index) == row.entity
                indexes.append(isKnown ? index : nil)
            }
            let rows = try read(zip(some, indexes).compactMap { $1 == nil ? $0.reference : nil }, root, reader, model)
            for (version, index) in zip(some, indexes) {
                if let index {
                    tree.append(from: known, at: index)
                } else if let row = rows[version.reference] {
                    tree.append(row, schema)
                } else {
                    tree.append(unreadable: version, model)
                }
            }
        }
        return tree
    }

    /// Reads a hierarchy of which only the given rows may have changed.
    private static func tree(
        _ root: EntityIndex, _ changed: Set<Int64>, _ reader: any StoreReader, _ schema: TrackedSchema, _ known: RowDigestTable,
        _ check: () throws -> Void
    ) throws -> RowDigestTable {
        let changed = changed.sorted()
        var tree = RowDigestTable()
        tree.reserve(known.count + changed.count, like: known)
        var index = 0
        func keep(below reference: Int64) {
            while index < known.count && known.references[index] < reference {
                tree.append(from: known, at: index)
                index += 1
            }
        }
        for start in stride(from: 0, to: changed.count, by: rowsAtOnce) {
            try check()
            let some = Array(changed[start..<min(start + rowsAtOnce, changed.count)])
            let there = try reader.existing(root: root, references: some)
            let entities = Dictionary(there.map { ($0.reference, $0.entity) }) { first, _ in first }
            let rows = try read(there.map(\.reference), root, reader, schema.model)
            for reference in some {
                keep(below: reference)
                if index < known.count && known.references[index] == reference { index += 1 }
                if let row = rows[reference] {
                    tree.append(row, schema)
                } else if let entity = entities[reference] {
                    tree.append(unreadable: RowVersion(entity: entity, reference: reference, version: 0), schema.model)
                }
            }
        }
        while index < known.count {
            tree.append(from: known, at: index)
            index += 1
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
                    // A damaged row is an error for other reads: here only its existence is known.
                }
            }
        }
        return Dictionary(try model.checked(rows, .refresh).map { ($0.reference, $0) }) { first, _ in first }
    }
}

extension StoreDigest {
    init(trees: [EntityIndex: RowDigestTable], links: [Int: [Ends: Positions]], at position: LogPosition?) {
        self.trees = trees
        self.links = links
        self.position = position
    }
}
