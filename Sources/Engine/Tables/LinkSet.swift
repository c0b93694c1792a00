import Synchronization

/// The links of a table, indexed from either side.
struct LinkSet: Sendable {
    fileprivate struct Trees {
        var first = EntryTree<LinkOrder>()
        var second = EntryTree<LinkOrder>()
    }

    private var own = Trees()
    /// What reads the links from a file; `nil` once they were changed, or where there is none.
    private var later: LaterLinks?

    private var first: EntryTree<LinkOrder> { tree(.first) }

    private func tree(_ side: LinkSide) -> EntryTree<LinkOrder> { later?.tree(side) ?? (side == .first ? own.first : own.second) }

    var count: Int { first.count }

    init() {}

    init(_ links: [Link]) { own = Trees(links) }

    /// Creates the links that a source reads when they are first needed.
    init(later source: @escaping @Sendable () throws -> [Link], _ damage: TableDamage) { later = LaterLinks(source, damage) }

    /// Returns whether no two links are of the same objects.
    static func areDistinct(_ links: [Link]) -> Bool {
        LinkOrder.first.isAscending(LinkOrder.first.sorted(links))
    }

    static func notDistinct(path: String? = nil) -> StoreError {
        StoreError(.corrupt, .open, "two objects are linked twice, or in no relationship", path: path)
    }

    /// Takes the links over from the file, before they change.
    private mutating func take() {
        guard let later else { return }
        own = Trees(first: later.tree(.first), second: later.tree(.second))
        self.later = nil
    }

    /// All links, by the reference on the first side.
    var links: [Link] { first.entries }

    func links(of reference: Int64, on side: LinkSide) -> [Link] {
        var links: [Link] = []
        forEach(of: reference, on: side) { links.append($0) }
        return links
    }

    /// Returns the link of a pair of objects, if it exists.
    func find(_ link: Link) -> Link? { first.find(link, .first) }

    /// Traverses the links of one object on a side, by the reference on the other.
    func forEach(of reference: Int64, on side: LinkSide, _ body: (Link) -> Void) {
        tree(side).forEach(from: { $0.reference(side) < reference }, to: { $0.reference(side) <= reference }, body)
    }

    /// Adds a link, or sets its orders that are not nil.
    mutating func put(_ link: Link) {
        take()
        var link = link
        if let known = own.first.find(link, .first) {
            link.orderInFirst = link.orderInFirst ?? known.orderInFirst
            link.orderInSecond = link.orderInSecond ?? known.orderInSecond
        }
        own.first.put(link, .first)
        own.second.put(link, .second)
    }

    /// Sets the orders of an existing link that are not nil.
    mutating func order(_ link: Link) { if first.find(link, .first) != nil { put(link) } }

    mutating func remove(_ link: Link) {
        take()
        own.first.remove(link, .first)
        own.second.remove(link, .second)
    }

    mutating func removeLinks(of reference: Int64, on side: LinkSide) {
        for link in links(of: reference, on: side) { remove(link) }
    }
}

extension LinkSet.Trees {
    init(_ links: [Link]) {
        first = EntryTree(sorted: LinkOrder.first.sorted(links))
        second = EntryTree(sorted: LinkOrder.second.sorted(links))
    }
}

/// The links of a table in a file, which are read when they are first needed.
private final class LaterLinks: Sendable {
    private let source: @Sendable () throws -> [Link]
    private let damage: TableDamage
    private let made = Mutex<(first: EntryTree<LinkOrder>?, second: EntryTree<LinkOrder>?)>((nil, nil))

    init(_ source: @escaping @Sendable () throws -> [Link], _ damage: TableDamage) { (self.source, self.damage) = (source, damage) }

    /// Returns the links by a side; other threads wait until they are read.
    ///
    /// The second side is sorted when it is first needed.
    func tree(_ side: LinkSide) -> EntryTree<LinkOrder> {
        made.withLock { made in
            let first = made.first ?? EntryTree(sorted: read())
            made.first = first
            if side == .first { return first }
            let second = made.second ?? EntryTree(sorted: LinkOrder.second.sorted(first.entries))
            made.second = second
            return second
        }
    }

    /// Reads the links, by the reference on the first side; none where they are damaged.
    private func read() -> [Link] {
        do {
            let links = LinkOrder.first.sorted(try source())
            guard LinkOrder.first.isAscending(links) else { throw LinkSet.notDistinct() }
            return links
        } catch {
            damage.note(error)
            return []
        }
    }
}

/// The order of links by the reference on one side, then by that on the other.
struct LinkOrder: EntryOrder {
    static let first = LinkOrder(side: .first)
    static let second = LinkOrder(side: .second)
    let side: LinkSide

    /// Returns links in order; those of a file are mostly in that of the first side.
    func sorted(_ links: [Link]) -> [Link] {
        if zip(links, links.dropFirst()).allSatisfy({ !precedes($1, $0) }) { return links }
        return side == .first
            ? links.sorted { ($0.first, $0.second) < ($1.first, $1.second) }
            : links.sorted { ($0.second, $0.first) < ($1.second, $1.first) }
    }

    /// Returns whether links are in order, and no two of the same objects.
    func isAscending(_ links: [Link]) -> Bool { zip(links, links.dropFirst()).allSatisfy(precedes) }

    func precedes(_ a: Link, _ b: Link) -> Bool {
        let (x, y) = (a.reference(side), b.reference(side))
        return x != y ? x < y : a.reference(side.opposite) < b.reference(side.opposite)
    }
}

extension EntryTree {
    /// All entries, in order.
    fileprivate var entries: [Entry] {
        var entries: [Entry] = []
        entries.reserveCapacity(count)
        forEach(in: 0..<count) { entry in
            entries.append(entry)
            return true
        }
        return entries
    }
}
