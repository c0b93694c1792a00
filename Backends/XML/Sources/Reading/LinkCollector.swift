import StrataStore

/// Collects the links of many-to-many relationships, which the objects of both sides list.
struct LinkCollector {
    private struct Entry {
        let first: Int64
        let second: Int64
        /// The side whose list contains the link, and the index in it.
        let side: LinkSide
        let index: Int
    }

    private let tables: [LinkTable]
    private var entries: [[Entry]]
    private var owner: (Int64, Int, LinkSide)?
    private var index = 0
    /// The links that one side alone lists, with that side.
    private(set) var oneSided: [(end: LinkTable.End, owner: Int64, destination: Int64)] = []

    init(_ model: ManagedObjectModel) {
        tables = model.linkTables
        entries = Array(repeating: [], count: tables.count)
    }

    /// Adds the next destination in the list of an object on one side.
    mutating func add(_ owner: Int64, _ destination: Int64, _ table: Int, _ side: LinkSide) {
        if self.owner.map({ $0 != (owner, table, side) }) ?? true {
            self.owner = (owner, table, side)
            index = 0
        }
        let (first, second) = side == .first ? (owner, destination) : (destination, owner)
        entries[table].append(Entry(first: first, second: second, side: side, index: index))
        index += 1
    }

    /// Returns the links: the union of both sides' lists, with their orders.
    mutating func links() -> [Int: [Link]] {
        var links: [Int: [Link]] = [:]
        for table in tables where !entries[table.index].isEmpty {
            var merged = merge(entries[table.index], table)
            if table.isReflexive { merged = mirrored(merged, table) }
            complete(&merged, isOrdered: table.first.isOrdered, \.first, \.orderInFirst)
            if !table.isReflexive { complete(&merged, isOrdered: table.second.isOrdered, \.second, \.orderInSecond) }
            links[table.index] = merged
        }
        return links
    }

    private mutating func merge(_ entries: [Entry], _ table: LinkTable) -> [Link] {
        var merged: [Link] = []
        let sorted = entries.sorted { ($0.first, $0.second, $0.index) < ($1.first, $1.second, $1.index) }
        if !table.isReflexive { findOneSided(sorted, table) }
        for entry in sorted {
            if merged.last?.first != entry.first || merged.last?.second != entry.second {
                merged.append(Link(first: entry.first, second: entry.second))
            }
            let last = merged.count - 1
            if entry.side == .first, table.first.isOrdered, merged[last].orderInFirst == nil {
                merged[last].orderInFirst = OrderKey(at: entry.index)
            } else if entry.side == .second, table.second.isOrdered, merged[last].orderInSecond == nil {
                merged[last].orderInSecond = OrderKey(at: entry.index)
            }
        }
        return merged
    }

    /// - Parameter sorted: All entries, those of one link behind each other.
    private mutating func findOneSided(_ sorted: [Entry], _ table: LinkTable) {
        var start = 0
        while start < sorted.count {
            let entry = sorted[start]
            let rest = sorted[start...].prefix { $0.first == entry.first && $0.second == entry.second }
            if rest.allSatisfy({ $0.side == entry.side }) {
                let isFirst = entry.side == .first
                oneSided.append(
                    (table.end(entry.side), isFirst ? entry.first : entry.second, isFirst ? entry.second : entry.first))
            }
            start = rest.endIndex
        }
    }

    /// Returns the links of a relationship that is its own inverse, each in both directions.
    private mutating func mirrored(_ links: [Link], _ table: LinkTable) -> [Link] {
        var known = Set(links.map { Link(first: $0.first, second: $0.second) })
        let mirrored = links.map { Link(first: $0.second, second: $0.first) }.filter { known.insert($0).inserted }
        oneSided += mirrored.map { (table.first, $0.second, $0.first) }
        return (links + mirrored).sorted { ($0.first, $0.second) < ($1.first, $1.second) }
    }

    /// Appends links that only the other side lists.
    private func complete(
        _ links: inout [Link], isOrdered: Bool, _ owner: KeyPath<Link, Int64>, _ order: WritableKeyPath<Link, OrderKey?>
    ) {
        guard isOrdered, links.contains(where: { $0[keyPath: order] == nil }) else { return }
        var last: [Int64: OrderKey] = [:]
        for link in links { last[link[keyPath: owner]] = max(last[link[keyPath: owner]] ?? 0, link[keyPath: order] ?? 0) }
        for index in links.indices where links[index][keyPath: order] == nil {
            let next = OrderKey(after: last[links[index][keyPath: owner]])
            last[links[index][keyPath: owner]] = next
            links[index][keyPath: order] = next
        }
    }
}
