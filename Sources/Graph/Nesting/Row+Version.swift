import StrataModel

extension Row {
    func copy(ofVersion version: UInt32) -> Row {
        var writer = RowWriter(forOneRowOf: byteCount)
        return writer.copy(self, version: version)
    }

    /// Whether the row is that of a store at its version; else it may hold unsaved values of a parent context.
    var isOfStore: Bool { version != OwnVersions.ofNewObject && storeWord != OwnVersions.unsavedRow }

    /// Returns whether another row holds the same values, whatever its version.
    func isEqual(to other: Row, in entity: EntityDescription) -> Bool {
        reference == other.reference && entityIndex == other.entityIndex
            && entity.layout.slots.typedIndices(Slot.self).allSatisfy { slot($0, entity.layout.slots[$0].kind, equals: other) }
    }
}
