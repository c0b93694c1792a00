import StrataModel

/// The destinations of an ordered relationship in order, with the saved order that it is based on.
///
/// An array, as long as it is read from end to end and appended to. A long one that is searched or changed elsewhere
/// again and again is divided into chunks, so that a step takes O(sqrt n); read from end to end, it is an array again
/// until the next change.
struct MemberOrder {
    /// The number of destinations up to which an array is searched.
    private static let searchedCount = 256
    /// The number of passes over the array that an index of the chunks costs.
    private static let passesOfIndex = 8

    /// The saved destinations in order, as loaded.
    private(set) var saved: [ObjectID]
    /// The destinations as an array; empty where only the chunks have them.
    private var list: [ObjectID]
    private var isListed = true
    private var chunks: ChunkedOrder<ObjectID>?
    /// The number of IDs that searches and changes passed.
    private var passed = 0
    private var positions: SavedPositions?
    /// An index where the order differed from the saved one.
    private var difference = 0

    init(saved: [ObjectID] = [], current: [ObjectID] = []) {
        self.saved = saved
        list = current
    }

    var count: Int { isListed ? list.count : chunks?.count ?? 0 }

    /// The destinations in order; `list()` keeps them as an array.
    var ids: [ObjectID] { isListed ? list : chunks?.members ?? [] }

    mutating func listIDs() -> [ObjectID] {
        if !isListed { (list, isListed) = (ids, true) }
        return list
    }

    /// The destination at an index; many in a row are read as an array.
    subscript(index: Int) -> ObjectID {
        mutating get {
            if !isListed, let chunks {
                passed += max(1, chunks.count / MemberOrder.searchedCount)
                if passed <= chunks.count { return chunks[index] }
                passed = 0
            }
            return listIDs()[index]
        }
    }

    mutating func index(of id: ObjectID) -> Int? {
        // An appended one is searched next.
        if isListed, list.last == id { return list.count - 1 }
        return isDivided() ? chunks?.index(of: id) : list.firstIndex(of: id)
    }

    mutating func contains(_ id: ObjectID) -> Bool { isDivided() ? chunks?.contains(id) == true : list.contains(id) }

    var isAsSaved: Bool {
        mutating get {
            if count != saved.count { return false }
            // Most changes leave the difference that was found last.
            if difference < count, self[difference] != saved[difference] { return false }
            let list = listIDs()
            guard let index = list.indices.first(where: { list[$0] != saved[$0] }) else { return true }
            difference = index
            return false
        }
    }

    // MARK: - Changing

    mutating func append(_ id: ObjectID) {
        if chunks == nil { list.append(id) } else { insertIntoChunks(id, at: count) }
        positions?.insert(id)
    }

    mutating func insert(_ id: ObjectID, at index: Int) {
        if isDivided() { insertIntoChunks(id, at: index) } else { list.insert(id, at: index) }
        positions?.insert(id)
    }

    mutating func remove(_ id: ObjectID) {
        if isDivided() {
            chunks?.remove(id)
            unlist()
        } else if let index = list.firstIndex(of: id) {
            list.remove(at: index)
        }
        positions?.remove(id)
    }

    mutating func replace(with ids: [ObjectID]) {
        (list, isListed, chunks, passed) = (ids, true, nil, 0)
        positions = nil
    }

    /// Inserts a saved destination behind its last present predecessor in the saved order.
    mutating func restore(_ id: ObjectID) {
        if positions == nil { positions = SavedPositions(saved, present: ids) }
        let predecessor = positions?.predecessor(of: id).map { saved[$0] }
        insert(id, at: predecessor.flatMap { index(of: $0) }.map { $0 + 1 } ?? 0)
    }

    mutating func rename(_ newID: (ObjectID) -> ObjectID) { self = MemberOrder(saved: saved.map(newID), current: ids.map(newID)) }

    private mutating func insertIntoChunks(_ id: ObjectID, at index: Int) {
        chunks?.insert(id, at: index)
        unlist()
        if chunks?.isOutgrown == true { chunks = ChunkedOrder(ids) }
    }

    private mutating func unlist() { if isListed { (list, isListed, passed) = ([], false, 0) } }

    /// Returns whether there are chunks, before a step that passes the whole array otherwise.
    private mutating func isDivided() -> Bool {
        if chunks != nil { return true }
        if list.count <= MemberOrder.searchedCount { return false }
        passed += list.count
        if passed <= MemberOrder.passesOfIndex * list.count { return false }
        (chunks, passed) = (ChunkedOrder(list), 0)
        return true
    }
}

/// The positions of saved destinations, and which of them are present.
private struct SavedPositions {
    private let positions: [ObjectID: Int]
    private var present: PositionSet

    init(_ saved: [ObjectID], present ids: [ObjectID]) {
        positions = Dictionary(saved.indices.map { (saved[$0], $0) }) { first, _ in first }
        present = PositionSet(below: saved.count)
        for id in ids { insert(id) }
    }

    mutating func insert(_ id: ObjectID) { if let position = positions[id] { present.insert(position) } }

    mutating func remove(_ id: ObjectID) { if let position = positions[id] { present.remove(position) } }

    /// Returns the position of the last present destination before one, or of the last one where that is not saved.
    func predecessor(of id: ObjectID) -> Int? { present.last(before: positions[id] ?? positions.count) }
}
