public import StrataModel

/// What a save changes in one store: packed rows with permanent references, and links.
public struct ChangeSet: Sendable {
    /// New rows, version 1.
    public var inserted: [Row] = []
    /// Rows that replace saved ones.
    public var updated: [RowUpdate] = []
    /// Rows to delete, with the versions they are expected to have.
    public var deleted: [RowDeletion] = []
    /// Changes of many-to-many relationships, after the rows.
    public var links: [LinkChange] = []
    /// New metadata; `nil` where it stays.
    public var metadata: StoreMetadata?

    /// Creates a set without a change, to be filled in.
    public init() {}

    /// Whether the set says nothing: no row, no link, no metadata.
    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && links.isEmpty && metadata == nil }
}

/// A row that replaces the saved one with its reference.
public struct RowUpdate: Sendable {
    /// The whole row as it will be; its version is one more than the one expected in the store, unless that stays.
    public let row: Row
    /// The slots whose content changes, ascending.
    public let changedSlots: [Slot]
    /// Whether the row keeps its version: only derived values change, which is no conflict for a change of the object.
    public let keepsVersion: Bool

    /// Creates a row, and which of its slots differ from the saved one.
    public init(row: Row, changedSlots: [Slot], keepsVersion: Bool = false) {
        self.row = row
        self.changedSlots = changedSlots
        self.keepsVersion = keepsVersion
    }

    /// The version that the row must have in the store.
    public var expectedVersion: UInt32 { keepsVersion ? row.version : row.version &- 1 }
}

/// A link of two objects in a many-to-many relationship.
public struct Link: Sendable, Hashable {
    /// The reference of the object on the first side.
    public var first: Int64
    /// The reference of the object on the second side.
    public var second: Int64
    /// The order key of the second object among the first one's destinations, where that relationship is ordered.
    public var orderInFirst: OrderKey?
    /// The order key of the first object among the second one's destinations, where that relationship is ordered.
    public var orderInSecond: OrderKey?

    /// Creates a link of two objects, with order keys where the relationships are ordered.
    public init(first: Int64, second: Int64, orderInFirst: OrderKey? = nil, orderInSecond: OrderKey? = nil) {
        self.first = first
        self.second = second
        self.orderInFirst = orderInFirst
        self.orderInSecond = orderInSecond
    }

    /// Returns the reference on a side.
    public func reference(_ side: LinkSide) -> Int64 { side == .first ? first : second }
    /// Returns the order key of the far object among the destinations of the one on a side.
    public func order(_ side: LinkSide) -> OrderKey? { side == .first ? orderInFirst : orderInSecond }
}

/// A change of a link.
public struct LinkChange: Sendable, Hashable {
    /// The kinds of change.
    public enum Kind: UInt8, Sendable, Hashable {
        /// The link is made, or gets the orders given where it exists: an order that is nil stays as it is.
        case put = 0
        /// The link goes; nothing happens where it does not exist.
        case remove = 1
        /// The link gets the orders given where it exists: an order that is nil stays as it is; nothing happens where it does not exist.
        case order = 2
    }

    // In this order, and so narrow, four fit where three would: a save may hold very many.
    /// The link with its new order keys.
    public let link: Link
    /// Whether the link is inserted, removed, or reordered.
    public let kind: Kind
    private let narrowTable: Int32

    /// The index of the link table in the model.
    public var table: Int { Int(narrowTable) }

    /// Creates a change of a link.
    public init(table: Int, kind: Kind, link: Link) {
        narrowTable = Int32(truncatingIfNeeded: table)
        self.kind = kind
        self.link = link
    }
}

/// Why a change cannot be applied.
public struct StoreConflict: Sendable {
    /// The kinds of conflict.
    public enum Reason: Sendable {
        /// The row has another version than expected: the row as it is in the store.
        case changed(Row)
        /// The row was deleted.
        case deleted
        /// Another row has the values that a constraint keeps unique: the attributes' names, and the other row's reference.
        case constraint([String], other: Int64)
        /// What the relationship is to reference is not in the store, or is deleted with this change.
        case missingDestination(RelationshipDescription, ObjectReference)
        /// Others in the store reference the row that is deleted, through a relationship of theirs.
        case referenced(RelationshipDescription, by: [ObjectReference])
    }

    /// The index of the entity of the row that the change is about.
    public let entity: EntityIndex
    /// The reference of the row that the change is about.
    public let reference: Int64
    /// What stands against it.
    public let reason: Reason

    /// Creates a conflict over a row.
    public init(entity: EntityIndex, reference: Int64, reason: Reason) {
        self.entity = entity
        self.reference = reference
        self.reason = reason
    }
}
