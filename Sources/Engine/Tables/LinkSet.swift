/// The links of a table, indexed from either side.
struct LinkSet: Sendable {
    private var first = EntryTree<LinkOrder>()
    private var second = EntryTree<LinkOrder>()

    var count: Int { first.count }

    init() {}

    init(_ links: [Link]) {
        first = EntryTree(sorted: links.sorted(by: LinkOrder.first.precedes))
        second = EntryTree(sorted: links.sorted(by: LinkOrder.second.precedes))
    }

    /// All links, by the reference on the first side.
    var links: [Link] {
        var links: [Link] = []
        links.reserveCapacity(count)
        first.forEach(in: 0..<count) { link in
            links.append(link)
            return true
        }
        return links
    }

    func links(of reference: Int64, on side: LinkSide) -> [Link] {
        var links: [Link] = []
        forEach(of: reference, on: side) { links.append($0) }
        return links
    }

    /// Returns the link of a pair of objects, if it exists.
    func find(_ link: Link) -> Link? { first.find(link, .first) }

    /// Traverses the links of one object on a side, by the reference on the other.
    func forEach(of reference: Int64, on side: LinkSide, _ body: (Link) -> Void) {
        let tree = side == .first ? first : second
        tree.forEach(from: { $0.reference(side) < reference }, to: { $0.reference(side) <= reference }, body)
    }

    /// Adds a link, or sets its orders that are not nil.
    mutating func put(_ link: Link) {
        var link = link
        if let known = first.find(link, .first) {
            link.orderInFirst = link.orderInFirst ?? known.orderInFirst
            link.orderInSecond = link.orderInSecond ?? known.orderInSecond
        }
        first.put(link, .first)
        second.put(link, .second)
    }

    /// Sets the orders of an existing link that are not nil.
    mutating func order(_ link: Link) { if first.find(link, .first) != nil { put(link) } }

    mutating func remove(_ link: Link) {
        first.remove(link, .first)
        second.remove(link, .second)
    }

    mutating func removeLinks(of reference: Int64, on side: LinkSide) {
        for link in links(of: reference, on: side) { remove(link) }
    }
}

/// The order of links by the reference on one side, then by that on the other.
struct LinkOrder: EntryOrder {
    static let first = LinkOrder(side: .first)
    static let second = LinkOrder(side: .second)
    let side: LinkSide

    func precedes(_ a: Link, _ b: Link) -> Bool {
        let (x, y) = (a.reference(side), b.reference(side))
        return x != y ? x < y : a.reference(side.opposite) < b.reference(side.opposite)
    }
}
