import StrataStore

/// The destinations of one to-many relationship of all objects, read in ascending order of the owners.
struct DestinationLists {
    private struct Entry {
        let owner: Int64
        let order: OrderKey
        let destination: Int64
    }

    private var entries: [Entry] = []
    private var next = 0

    /// Collects the destinations that reference their owner in a slot.
    init(_ rows: [Row], in hierarchy: Range<EntityIndex>, reference: Slot, order: Slot?) {
        for row in rows where hierarchy.contains(row.entityIndex) {
            guard let owner = row.integer(reference) else { continue }
            // Without order key, after those with one.
            entries.append(Entry(owner: owner, order: order.map { row.order($0) ?? .max } ?? 0, destination: row.reference))
        }
        sort()
    }

    /// Collects the far ends of links.
    init(_ links: [Link], _ side: LinkSide, isOrdered: Bool) {
        entries = links.map {
            Entry(owner: $0.reference(side), order: isOrdered ? $0.order(side) ?? .max : 0, destination: $0.reference(side.opposite))
        }
        sort()
    }

    private mutating func sort() {
        entries.sortIfNeeded { ($0.owner, $0.order, $0.destination) < ($1.owner, $1.order, $1.destination) }
    }

    /// Calls `body` with the destinations of an owner, in their order; owners have to be ascending.
    mutating func forEach(of owner: Int64, _ body: (Int64) -> Void) {
        while next < entries.count, entries[next].owner < owner { next += 1 }
        var index = next
        while index < entries.count, entries[index].owner == owner {
            body(entries[index].destination)
            index += 1
        }
    }
}
