import StrataModel

/// The versions of rows that a context with children saved itself.
///
/// A child's object may be older than what its parent saved meanwhile. That is no conflict: of a family, the last save
/// wins. A save of others is one, and its version must not be lost.
struct OwnVersions {
    /// The version of an object before the first of the context's consecutive saves, and after the last one.
    private var saves: [ObjectID: (first: UInt32, last: UInt32)] = [:]
    /// The objects that the context's saves deleted, and that a child may still have.
    var deletions: Set<ObjectID> = []

    /// The version of a child's row of an object that was new: the parent may have saved different values.
    static let ofNewObject: UInt32 = 0

    mutating func add(_ id: ObjectID, from old: UInt32, to new: UInt32) {
        if let known = saves[id], known.last == old { saves[id] = (known.first, new) } else { saves[id] = (old, new) }
    }

    /// The store word of an unsaved row: the parent has, or had, its changes pending.
    static let unsavedRow: UInt32 = 1

    /// The relation of a child's row to a context that does not have the object.
    enum Standing {
        /// It is as good as the context's own.
        case isSaved
        /// The context saved another one since, or may have: the child's changes are rebased to the current row of a
        /// version.
        case isOther(version: UInt32)
    }

    func standing(_ id: ObjectID, _ row: Row) -> Standing {
        // A row is of version 1 after its insertion.
        let version = max(row.version, 1)
        if let known = saves[id], known.first <= version, version < known.last { return .isOther(version: known.last) }
        return row.isOfStore ? .isSaved : .isOther(version: version)
    }
}

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
