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

    /// The rows, by the root of their hierarchy; of one that is listed in ``changed``, those are not read.
    var hierarchies: [EntityIndex: RowDigestTable] = [:]
    /// The rows that may have changed, `nil` for deleted ones, of hierarchies whose other rows are as they were.
    var changed: [EntityIndex: [Int64: RowDigest?]] = [:]
    /// The links, by the index of their table; without tables that did not change.
    var links: [Int: [Ends: Positions]] = [:]
    /// The position of the snapshot in the store's log; `nil` where it has none.
    var position: LogPosition?
    /// What the history had when the rows were read; `nil` without one.
    var news: TrackedHistory.News?
    /// Whether all rows were compared.
    var isWhole = false

    var rowCount: Int { hierarchies.values.reduce(0) { $0 + $1.count } }
}

extension StoreDigest {
    /// Reads a snapshot of a store.
    ///
    /// - Parameters:
    ///   - known: The previous reading: rows that still have its version are not read.
    ///   - isWhole: Whether all rows are compared although the store's log lists the changed ones.
    ///   - news: What the history lists, where the store has no log.
    ///   - check: Throws to end the reading.
    /// - Complexity: O(n) in the rows of the store; where a log lists the changed ones, in these.
    init(
        _ reader: any StoreReader, of schema: TrackedSchema, since known: StoreDigest?, isWhole: Bool, news: TrackedHistory.News? = nil,
        _ check: () throws -> Void
    ) throws {
        self.init()
        let log = reader as? any LoggedReader
        position = try log?.logPosition()
        self.news = news
        var logged: LoggedChanges?
        if !isWhole, let known { logged = log == nil ? news?.changes : try known.position.flatMap { try log?.changes(since: $0) } }
        self.isWhole = logged == nil
        let reading = DigestReading(reader: reader, schema: schema)
        for root in schema.roots {
            if let logged, case .some(let references) = logged.rows[root] ?? .some([]) {
                changed[root] = try reading.rows(root, changed: references, check)
            } else {
                hierarchies[root] = try reading.hierarchy(root, since: known?.hierarchies[root] ?? RowDigestTable(), check)
            }
        }
        for table in schema.tables {
            try check()
            if let logged, !logged.linkTables.contains(table.index) { continue }
            var links: [Ends: Positions] = [:]
            for link in try reader.links(of: table) { links[Ends(link)] = Positions(link) }
            self.links[table.index] = links
        }
    }
}
