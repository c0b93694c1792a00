/// The changes of a save in one store: packed rows with permanent references, and links.
// A save passes its changes from phase to phase: a copy counts one reference instead of one to each list.
public struct ChangeSet: Sendable {
    // Unchecked: changed only where there is one reference to it.
    @usableFromInline
    final class Contents: @unchecked Sendable {
        @safe @exclusivity(unchecked) @usableFromInline var inserted: [Row]
        @safe @exclusivity(unchecked) @usableFromInline var updated: [RowUpdate]
        @safe @exclusivity(unchecked) @usableFromInline var deleted: [RowDeletion]
        @safe @exclusivity(unchecked) @usableFromInline var links: [LinkChange]
        @safe @exclusivity(unchecked) @usableFromInline var metadata: StoreMetadata?

        static let none = Contents()

        init(
            inserted: [Row] = [], updated: [RowUpdate] = [], deleted: [RowDeletion] = [], links: [LinkChange] = [],
            metadata: StoreMetadata? = nil
        ) {
            (self.inserted, self.updated, self.deleted, self.links) = (inserted, updated, deleted, links)
            self.metadata = metadata
        }
    }

    @usableFromInline var contents: Contents

    /// Creates a set without changes.
    public init() { contents = .none }

    /// Creates a set; empty by default.
    public init(
        inserted: [Row] = [], updated: [RowUpdate] = [], deleted: [RowDeletion] = [], links: [LinkChange] = [],
        metadata: StoreMetadata? = nil
    ) {
        contents = Contents(inserted: inserted, updated: updated, deleted: deleted, links: links, metadata: metadata)
    }

    /// New rows, version 1.
    @inlinable
    public var inserted: [Row] {
        get { contents.inserted }
        _modify {
            own()
            yield &contents.inserted
        }
    }
    /// Rows that replace saved ones.
    @inlinable
    public var updated: [RowUpdate] {
        get { contents.updated }
        _modify {
            own()
            yield &contents.updated
        }
    }
    /// Rows to delete, with their expected versions.
    @inlinable
    public var deleted: [RowDeletion] {
        get { contents.deleted }
        _modify {
            own()
            yield &contents.deleted
        }
    }
    /// Changes of many-to-many relationships, after the rows.
    @inlinable
    public var links: [LinkChange] {
        get { contents.links }
        _modify {
            own()
            yield &contents.links
        }
    }
    /// New metadata; `nil` where unchanged.
    @inlinable
    public var metadata: StoreMetadata? {
        get { contents.metadata }
        _modify {
            own()
            yield &contents.metadata
        }
    }

    /// Whether nothing changes.
    public var isEmpty: Bool {
        contents.inserted.isEmpty && contents.updated.isEmpty && contents.deleted.isEmpty && contents.links.isEmpty
            && contents.metadata == nil
    }

    /// Copies the contents where other values share them.
    @usableFromInline
    mutating func own() {
        if isKnownUniquelyReferenced(&contents) { return }
        let old = contents
        contents = Contents(
            inserted: old.inserted, updated: old.updated, deleted: old.deleted, links: old.links, metadata: old.metadata)
    }
}

/// A row that replaces the saved one with its reference.
public struct RowUpdate: Sendable {
    /// The whole new row; its version is one more than the expected one, unless ``keepsVersion``.
    public let row: Row
    /// The slots whose content changes, ascending.
    public let changedSlots: [Slot]
    /// Whether the row keeps its version: only derived values change, which conflicts with no other change.
    public let keepsVersion: Bool

    /// Creates a row with the slots that differ from the saved one.
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
    /// The order key of the second object among the first one's destinations, in an ordered relationship.
    public var orderInFirst: OrderKey?
    /// The order key of the first object among the second one's destinations, in an ordered relationship.
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
        /// The link is added, or its given orders are set; an order that is nil stays as it is.
        case put = 0
        /// The link is removed, if it exists.
        case remove = 1
        /// The link's given orders are set, if it exists; an order that is nil stays as it is.
        case order = 2
    }

    // The order and width of the fields make four changes as large as three: a save may have very many.
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

/// A conflict of a change.
public struct StoreConflict: Sendable {
    /// The kinds of conflict.
    public enum Reason: Sendable {
        /// The row has another version than expected: the row as it is in the store.
        case changed(Row)
        /// The row was deleted.
        case deleted
        /// Another row has the same unique values: the attributes' names, and the other row's reference.
        case constraint([String], other: Int64)
        /// A destination is missing in the store, or deleted with this change.
        case missingDestination(RelationshipDescription, ObjectReference)
        /// Others in the store reference the deleted row, through a relationship of theirs.
        case referenced(RelationshipDescription, by: [ObjectReference])
    }

    /// The index of the entity of the changed row.
    public let entity: EntityIndex
    /// The reference of the changed row.
    public let reference: Int64
    /// The kind of conflict.
    public let reason: Reason

    /// Creates a conflict over a row.
    public init(entity: EntityIndex, reference: Int64, reason: Reason) {
        self.entity = entity
        self.reference = reference
        self.reason = reason
    }
}
