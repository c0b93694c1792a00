public import StrataModel

/// The members of a to-many relationship of several owners, one owner's after the other's, in one block.
///
/// No array is allocated per owner, and no dictionary of rows: each row has the index of its member.
public struct MemberBlock<Member: Sendable>: Sendable {
    /// The members of all owners, in the order of the owners.
    public private(set) var members: [Member]
    /// The end of each owner's members in ``members``.
    public private(set) var ends: [Int] = []
    /// The row of each member, `nil` where it is missing; empty where rows were not read.
    public private(set) var rows: [Row?] = []

    /// Creates a block without owners.
    public init() { members = [] }

    /// Creates a block of the lists of several owners, without rows.
    public init(_ lists: some Sequence<[Member]>) {
        members = []
        for list in lists { add(list) }
    }

    private init(members: [Member], ends: [Int], rows: [Row?]) { (self.members, self.ends, self.rows) = (members, ends, rows) }

    /// The number of owners.
    public var ownerCount: Int { ends.count }

    /// Returns the indices of an owner's members; none for an owner that a store left out.
    public func range(ofOwner index: Int) -> Range<Int> {
        if index >= ends.count { return members.count..<members.count }
        return (index == 0 ? 0 : ends[index - 1])..<ends[index]
    }

    /// Returns an owner's members.
    public subscript(owner index: Int) -> ArraySlice<Member> { members[range(ofOwner: index)] }

    /// Adds the next owner with its members, whose rows are not read.
    public mutating func add(_ list: some Collection<Member>) {
        members.append(contentsOf: list)
        endOwner()
    }

    /// Adds a member of the next owner with its row, where that is read.
    public mutating func append(_ member: Member, _ row: Row?) {
        members.append(member)
        if let row { rows.append(row) }
    }

    /// Adds the next owner with the members that it has in another block, and with their rows where these are used.
    public mutating func add(owner index: Int, of other: MemberBlock, withRows: Bool) {
        let range = other.range(ofOwner: index)
        if withRows { rows += other.rows.isEmpty ? Array(repeating: nil, count: range.count) : Array(other.rows[range]) }
        add(other.members[range])
    }

    /// Ends the members of the next owner.
    public mutating func endOwner() { ends.append(members.count) }

    /// Sets the row of each member.
    ///
    /// - Precondition: There are as many as ``members``.
    public mutating func setRows(_ rows: [Row?]) {
        precondition(rows.count == members.count)
        self.rows = rows
    }

    /// Returns a block of the same owners and rows with each member replaced; throws what `body` throws.
    public func map<Other: Sendable>(_ body: ([Member]) throws -> [Other]) rethrows -> MemberBlock<Other> {
        MemberBlock<Other>(members: try body(members), ends: ends, rows: rows)
    }
}
