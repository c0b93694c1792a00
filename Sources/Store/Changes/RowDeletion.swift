/// The deletion of a row.
public struct RowDeletion: Sendable {
    /// The index of the object's own entity.
    public let entity: EntityIndex
    /// The reference of the row within its entity hierarchy.
    public let reference: Int64
    /// The version that the row must have in the store.
    public let expectedVersion: UInt32
    /// The tombstone for events and histories: a row with the preserved attributes alone; `nil` without any.
    public let tombstone: Row?

    /// Creates a deletion.
    public init(entity: EntityIndex, reference: Int64, expectedVersion: UInt32, tombstone: Row? = nil) {
        self.entity = entity
        self.reference = reference
        self.expectedVersion = expectedVersion
        self.tombstone = tombstone
    }

    /// Creates the deletion of a stored row, with its preserved values.
    public init(_ row: Row, of entity: EntityDescription) {
        var tombstone: Row?
        if !entity.preservedAttributes.isEmpty {
            var writer = RowWriter(forOneRowOf: row.byteCount)
            writer.begin(entity, reference: row.reference, version: row.version)
            for attribute in entity.preservedAttributes {
                if let slot = attribute.slot { writer.copy(slot, attribute.slotKind, from: row) }
            }
            tombstone = writer.finish()
        }
        self.init(entity: row.entityIndex, reference: row.reference, expectedVersion: row.version, tombstone: tombstone)
    }

    /// Returns the deletion where its row turns out to have another version.
    public func expecting(version: UInt32) -> RowDeletion {
        RowDeletion(entity: entity, reference: reference, expectedVersion: version, tombstone: tombstone)
    }
}
