import StrataModel

/// An order of distinct IDs in chunks, with the chunk of each.
///
/// A chunk has about as many IDs as there are chunks, so that an insertion, a removal and the search of an index take
/// O(sqrt n).
struct ChunkedOrder {
    /// The size at which a chunk is divided.
    private let greatestSize: Int
    /// The chunks, by their numbers, which stay the same.
    private var chunks: [[ObjectID]] = []
    /// The numbers of the chunks, in order.
    private var sequence: [Int] = []
    /// The index of each chunk in the sequence, by its number.
    private var ranks: [Int] = []
    private var numbers: [ObjectID: Int] = [:]
    private(set) var count: Int

    init(_ ids: [ObjectID]) {
        let size = max(64, Int(Double(ids.count).squareRoot()))
        greatestSize = 2 * size
        count = ids.count
        numbers.reserveCapacity(ids.count)
        for start in stride(from: 0, to: max(ids.count, 1), by: size) {
            addChunk(Array(ids[start..<min(start + size, ids.count)]), at: sequence.count)
        }
    }

    /// Whether there are too many chunks for their size, after many insertions.
    var isOutgrown: Bool { sequence.count > 4 * greatestSize }

    var ids: [ObjectID] {
        var ids: [ObjectID] = []
        ids.reserveCapacity(count)
        for number in sequence { ids += chunks[number] }
        return ids
    }

    func contains(_ id: ObjectID) -> Bool { numbers[id] != nil }

    func index(of id: ObjectID) -> Int? {
        guard let number = numbers[id], let offset = chunks[number].firstIndex(of: id) else { return nil }
        return sequence[..<ranks[number]].reduce(offset) { $0 + chunks[$1].count }
    }

    subscript(index: Int) -> ObjectID {
        let (number, offset) = find(index)
        return chunks[number][offset]
    }

    mutating func insert(_ id: ObjectID, at index: Int) {
        let last = sequence[sequence.count - 1]
        let (number, offset) = index == count ? (last, chunks[last].count) : find(index)
        chunks[number].insert(id, at: offset)
        numbers[id] = number
        count += 1
        if chunks[number].count <= greatestSize { return }
        let half = chunks[number].count / 2
        let upper = Array(chunks[number][half...])
        chunks[number].removeSubrange(half...)
        addChunk(upper, at: ranks[number] + 1)
    }

    mutating func remove(_ id: ObjectID) {
        guard let number = numbers.removeValue(forKey: id), let offset = chunks[number].firstIndex(of: id) else { return }
        chunks[number].remove(at: offset)
        count -= 1
    }

    private mutating func addChunk(_ ids: [ObjectID], at rank: Int) {
        let number = chunks.count
        chunks.append(ids)
        ranks.append(rank)
        for later in sequence[rank...] { ranks[later] += 1 }
        sequence.insert(number, at: rank)
        for id in ids { numbers[id] = number }
    }

    /// Returns the chunk of an index, and the index in it.
    private func find(_ index: Int) -> (number: Int, offset: Int) {
        var (rank, offset) = (0, index)
        while rank < sequence.count - 1, offset >= chunks[sequence[rank]].count {
            offset -= chunks[sequence[rank]].count
            rank += 1
        }
        return (sequence[rank], offset)
    }
}
