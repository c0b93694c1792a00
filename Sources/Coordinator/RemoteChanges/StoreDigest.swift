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
    var hierarchies: [EntityIndex: RowDigestTable] = [:]
    /// The links, by the index of their table.
    var links: [Int: [Ends: Positions]] = [:]
    /// The position of the snapshot in the store's log; `nil` where it has none.
    var position: LogPosition?

    var rowCount: Int { hierarchies.values.reduce(0) { $0 + $1.count } }
}

extension StoreDigest {
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
        self.init()
        let log = reader as? any LoggedReader
        position = try log?.logPosition()
        let logged = isWhole ? nil : try known?.position.flatMap { try log?.changes(since: $0) }
        let reading = DigestReading(reader: reader, schema: schema)
        for root in schema.roots {
            let old = known?.hierarchies[root] ?? RowDigestTable()
            switch logged.map({ $0.rows[root] ?? .some([]) }) {
            case .some(let changed)?:
                hierarchies[root] = changed.isEmpty ? old : try reading.hierarchy(root, changed: changed, since: old, check)
            case .any?, nil: hierarchies[root] = try reading.hierarchy(root, since: old, check)
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
}
