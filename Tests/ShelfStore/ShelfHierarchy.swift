import StrataEngine
import StrataModel
import Synchronization

/// The rows of an entity's hierarchy, upward by reference, and the indexes over them, each made when it is asked for first.
final class ShelfHierarchy: Sendable {
    /// A row in an index.
    struct Entry {
        let keys: [IndexKey]
        let row: Row
    }

    let rows: [Row]
    /// By the index position.
    private let made = Mutex<[Int: [Entry]]>([:])

    init(_ rows: [Row] = []) { self.rows = rows }

    func row(_ reference: Int64) -> Row? {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].reference < reference { low = middle + 1 } else { high = middle }
        }
        return low < rows.count && rows[low].reference == reference ? rows[low] : nil
    }

    /// All entries of an index.
    func entries(_ index: IndexDescription) -> [Entry] {
        made.withLock { made in
            if let entries = made[index.position] { return entries }
            let entries = index.sorted(index.entries(of: rows))
            made[index.position] = entries
            return entries
        }
    }

    /// The rows with others in the place of some, and without those that are to go; so are the indexes that were made.
    func with(_ changed: [Int64: Row?], _ indexes: [IndexDescription]) -> ShelfHierarchy {
        func stays(_ row: Row) -> Bool { changed[row.reference] == nil }
        let new = changed.values.compactMap { $0 }
        let next = ShelfHierarchy((rows.filter(stays) + new).sorted { $0.reference < $1.reference })
        let made = made.withLock { $0 }
        for index in indexes {
            guard let entries = made[index.position] else { continue }
            // In order but for the new ones at the end, which costs a sort no more than a walk.
            let all = index.sorted(entries.filter { stays($0.row) } + index.entries(of: new))
            next.made.withLock { $0[index.position] = all }
        }
        return next
    }
}

extension IndexDescription {
    /// The entries of some rows, as far as they belong in the index.
    fileprivate func entries(of rows: [Row]) -> [ShelfHierarchy.Entry] {
        rows.compactMap { row in
            // Entities of one hierarchy share slots: those of others hold other properties in these.
            guard entities.contains(row.entityIndex) else { return nil }
            let keys = elements.map { IndexKey(row, $0) }
            guard holdsNull || !keys.contains(.null) else { return nil }
            return ShelfHierarchy.Entry(keys: keys, row: row)
        }
    }

    /// Entries by their keys, and by reference where these are equal.
    fileprivate func sorted(_ entries: [ShelfHierarchy.Entry]) -> [ShelfHierarchy.Entry] {
        entries.sorted { a, b in
            for (position, element) in elements.enumerated() where a.keys[position] != b.keys[position] {
                return (a.keys[position] < b.keys[position]) == element.isAscending
            }
            return a.row.reference < b.row.reference
        }
    }
}

extension ArraySlice<ShelfHierarchy.Entry> {
    /// The indices of the entries between two cuts of an element, of entries that are equal in all elements before it.
    func indices(_ position: Int, _ element: IndexDescription.Element, from: KeyCut, to: KeyCut) -> Range<Int> {
        func first(_ isBehind: (KeyCut) -> Bool) -> Int {
            var (low, high) = (startIndex, endIndex)
            while low < high {
                let middle = (low + high) / 2
                if isBehind(.before(self[middle].keys[position])) { high = middle } else { low = middle + 1 }
            }
            return low
        }
        let (start, end) = element.isAscending ? (first { $0 >= from }, first { $0 >= to }) : (first { $0 < to }, first { $0 < from })
        return start..<Swift.max(start, end)
    }
}
