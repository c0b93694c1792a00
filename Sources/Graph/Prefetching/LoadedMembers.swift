import StrataModel
import StrataStore

/// The members of a to-many relationship of several owners, as they were read in one round trip, and the rows that wait
/// for their objects.
///
/// States of relationships without changes are slices of it. A row is removed on use: an object that is released and
/// made again reads its current row.
final class LoadedMembers {
    let relationship: RelationshipDescription
    let ids: [ObjectID]
    private let ends: [Int]
    // Exclusivity is not checked at run time: a context's members are on one thread, and no access spans another.
    @safe @exclusivity(unchecked) private var rows: [Row?]
    /// The slice that was read last, whose members are likely to fire.
    @safe @exclusivity(unchecked) var lastRead = 0..<0
    /// The index of each member by reference; empty before a search beyond the last slice.
    @safe @exclusivity(unchecked) private var indices: [Int64: Int] = [:]

    init(_ block: MemberBlock<ObjectID>, of relationship: RelationshipDescription) {
        self.relationship = relationship
        (ids, ends, rows) = (block.members, block.ends, block.rows)
        // A row without its member would have no object.
        if rows.count != ids.count { rows = [] }
    }

    convenience init(_ ids: [ObjectID], of relationship: RelationshipDescription) {
        self.init(MemberBlock(CollectionOfOne(ids)), of: relationship)
    }

    /// The members of one owner.
    struct Slice {
        let block: LoadedMembers
        let range: Range<Int>

        var ids: ArraySlice<ObjectID> { block.ids[range] }
        var count: Int { range.count }
    }

    subscript(owner index: Int) -> Slice {
        if index >= ends.count { return Slice(block: self, range: ids.count..<ids.count) }
        return Slice(block: self, range: (index == 0 ? 0 : ends[index - 1])..<ends[index])
    }

    /// The greatest number of members of an owner.
    var mostMembers: Int {
        var (most, start) = (0, 0)
        for end in ends {
            most = max(most, end - start)
            start = end
        }
        return most
    }

    // MARK: - Rows

    var hasRows: Bool { !rows.isEmpty }

    /// Returns the row that waits for a member.
    @inline(__always)
    func row(at index: Int) -> Row? {
        guard hasRows, let row = rows[index] else { return nil }
        return row.reference == ids[index].reference ? row : nil
    }

    func takeRow(at index: Int) -> Row? {
        defer { if hasRows { rows[index] = nil } }
        return row(at: index)
    }

    func put(_ row: Row, at index: Int) {
        if rows.isEmpty { rows = Array(repeating: nil, count: ids.count) }
        rows[index] = row
    }

    func forgetRows() { rows = [] }

    /// The indices of the members whose rows are read together with that of one of them.
    func batch(around index: Int) -> Range<Int> {
        let size = ends.count > 1 ? PrefetchPolicy.batchSize : PrefetchPolicy.groupBatchSize
        let start = index / size * size
        return start..<min(start + size, ids.count)
    }

    /// Returns whether an object is of the members' hierarchy.
    func mayHold(_ id: ObjectID) -> Bool { ids.first?.scope.entity.root == id.scope.entity.root }

    /// Returns the index of a member.
    func index(of id: ObjectID) -> Int? {
        if ids.count <= LoadedMembers.mostCompared { return ids.firstIndex(of: id) }
        if lastRead.count <= LoadedMembers.mostCompared, let index = lastRead.first(where: { ids[$0] == id }) { return index }
        if indices.isEmpty {
            indices.reserveCapacity(ids.count)
            for index in ids.indices { indices[ids[index].reference] = index }
        }
        return indices[id.reference].flatMap { ids[$0] == id ? $0 : nil }
    }

    private static let mostCompared = 64
}
