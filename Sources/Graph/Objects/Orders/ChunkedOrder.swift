import StrataModel

/// A member of an order, which knows it by a key.
protocol OrderMember {
    associatedtype OrderKey: Hashable
    var orderKey: OrderKey { get }
}

extension ObjectID: OrderMember {
    var orderKey: ObjectID { self }
}

extension ManagedObject: OrderMember {
    final var orderKey: ObjectIdentifier { ObjectIdentifier(self) }
}

/// An order of distinct members in chunks, with the chunk of each.
///
/// A chunk has about as many members as there are chunks, so that an insertion, a removal and the search of an index take
/// O(sqrt n).
struct ChunkedOrder<Member: OrderMember> {
    /// The size at which a chunk is divided.
    private let greatestSize: Int
    /// The chunks, by their numbers, which stay the same.
    private var chunks: [[Member]] = []
    /// The numbers of the chunks, in order.
    private var sequence: [Int] = []
    /// The index of each chunk in the sequence, by its number.
    private var ranks: [Int] = []
    /// The index of the first member of each chunk, in order.
    private var starts: [Int] = []
    private var numbers: [Member.OrderKey: Int] = [:]
    private(set) var count: Int

    init(_ members: [Member]) {
        var size = 64
        while size * size < members.count { size *= 2 }
        greatestSize = 2 * size
        count = members.count
        numbers.reserveCapacity(members.count)
        for start in stride(from: 0, to: max(members.count, 1), by: size) {
            addChunk(Array(members[start..<min(start + size, members.count)]), at: sequence.count)
        }
    }

    /// Whether there are too many chunks for their size, after many insertions.
    var isOutgrown: Bool { sequence.count > 4 * greatestSize }

    var members: [Member] {
        var members: [Member] = []
        members.reserveCapacity(count)
        for number in sequence { members += chunks[number] }
        return members
    }

    func contains(_ key: Member.OrderKey) -> Bool { numbers[key] != nil }

    func index(of key: Member.OrderKey) -> Int? {
        guard let number = numbers[key], let offset = chunks[number].firstIndex(where: { $0.orderKey == key }) else { return nil }
        return starts[ranks[number]] + offset
    }

    subscript(index: Int) -> Member {
        let (number, offset) = find(index)
        return chunks[number][offset]
    }

    mutating func insert(_ member: Member, at index: Int) {
        let last = sequence[sequence.count - 1]
        let (number, offset) = index == count ? (last, chunks[last].count) : find(index)
        chunks[number].insert(member, at: offset)
        numbers[member.orderKey] = number
        count += 1
        shift(behind: number, by: 1)
        if chunks[number].count <= greatestSize { return }
        let half = chunks[number].count / 2
        let upper = Array(chunks[number][half...])
        chunks[number].removeSubrange(half...)
        addChunk(upper, at: ranks[number] + 1)
    }

    mutating func remove(_ key: Member.OrderKey) {
        guard let number = numbers.removeValue(forKey: key), let offset = chunks[number].firstIndex(where: { $0.orderKey == key })
        else { return }
        chunks[number].remove(at: offset)
        count -= 1
        shift(behind: number, by: -1)
    }

    private mutating func shift(behind number: Int, by distance: Int) {
        for rank in ranks[number] + 1..<starts.count { starts[rank] += distance }
    }

    private mutating func addChunk(_ members: [Member], at rank: Int) {
        let number = chunks.count
        chunks.append(members)
        ranks.append(rank)
        for later in sequence[rank...] { ranks[later] += 1 }
        sequence.insert(number, at: rank)
        starts.insert(rank == 0 ? 0 : starts[rank - 1] + chunks[sequence[rank - 1]].count, at: rank)
        for member in members { numbers[member.orderKey] = number }
    }

    /// Returns the chunk of an index, and the index in it.
    private func find(_ index: Int) -> (number: Int, offset: Int) {
        // The last chunk that begins there or before: an empty one begins where the next one does.
        var (rank, end) = (0, sequence.count)
        while end - rank > 1 {
            let middle = (rank + end) / 2
            if starts[middle] <= index { rank = middle } else { end = middle }
        }
        return (sequence[rank], index - starts[rank])
    }
}

extension ChunkedOrder: Sendable where Member: Sendable, Member.OrderKey: Sendable {}
