import StrataModel

extension Row {
    /// Returns the same row as one of another version.
    func copy(ofVersion version: UInt32) -> Row {
        var writer = RowWriter(forOneRowOf: byteCount)
        return writer.copy(self, version: version)
    }

    /// Whether the row is what a store has, or had, at its version; else it holds what a parent context has not saved, or may have saved
    /// otherwise.
    var isOfStore: Bool { version != OwnVersions.ofNewObject && storeWord != OwnVersions.unsavedRow }

    /// Returns whether another row holds the same values, whatever its version.
    func isEqual(to other: Row, in entity: EntityDescription) -> Bool {
        reference == other.reference && entityIndex == other.entityIndex
            && entity.layout.slots.typedIndices(Slot.self).allSatisfy { slot($0, entity.layout.slots[$0].kind, equals: other) }
    }
}
