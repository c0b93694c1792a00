public import StrataModel

/// A row that goes.
public struct RowDeletion: Sendable {
    /// The index of the object's own entity.
    public let entity: EntityIndex
    /// The reference of the row within its entity's tree.
    public let reference: Int64
    /// The version that the row must have in the store.
    public let expectedVersion: UInt32
    /// What is kept of the row, for events and histories: a row of the same entity and reference that holds the values of the entity's
    /// preserved attributes and nothing else; `nil` where the entity preserves none.
    public let tombstone: Row?

    /// Creates a row that goes.
    public init(entity: EntityIndex, reference: Int64, expectedVersion: UInt32, tombstone: Row? = nil) {
        self.entity = entity
        self.reference = reference
        self.expectedVersion = expectedVersion
        self.tombstone = tombstone
    }

    /// Creates the deletion of a row as it is in its store, with what its entity preserves of it.
    public init(_ row: Row, of entity: EntityDescription) {
        self.init(
            entity: row.entityIndex, reference: row.reference, expectedVersion: row.version,
            tombstone: entity.preservedAttributes.isEmpty ? nil : RowDeletion.tombstone(of: row, entity))
    }

    /// Returns the deletion where its row turns out to have another version.
    public func expecting(version: UInt32) -> RowDeletion {
        RowDeletion(entity: entity, reference: reference, expectedVersion: version, tombstone: tombstone)
    }

    private static func tombstone(of row: Row, _ entity: EntityDescription) -> Row {
        var writer = RowWriter(forOneRowOf: row.byteCount)
        writer.begin(entity, reference: row.reference, version: row.version)
        for attribute in entity.preservedAttributes {
            if let slot = attribute.slot { writer.copy(slot, attribute.slotKind, from: row) }
        }
        return writer.finish()
    }
}
