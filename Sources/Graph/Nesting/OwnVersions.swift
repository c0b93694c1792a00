import StrataModel

/// The versions of rows that a context saved itself, while it has children.
///
/// A child's object may be older than what its parent saved meanwhile. That is no conflict: of a family, the last one to save wins. What
/// others saved is one, and the version that tells of it must not be lost on the way.
struct OwnVersions {
    /// The version that an object had before the first of the context's saves that followed each other, and after the last one.
    private var saves: [ObjectID: (first: UInt32, last: UInt32)] = [:]
    /// The objects that the context's saves deleted, which it does not know any more: a child may.
    private var deletions: Set<ObjectID> = []

    /// The version of a child's row whose object was new when the child got it: whatever it holds, the parent may have saved something else.
    static let ofNewObject: UInt32 = 0

    /// Takes note of a save.
    mutating func add(_ id: ObjectID, from old: UInt32, to new: UInt32) {
        if let known = saves[id], known.last == old { saves[id] = (known.first, new) } else { saves[id] = (old, new) }
    }

    /// Takes note of an object whose deletion was saved.
    mutating func addDeletion(of id: ObjectID) { deletions.insert(id) }

    /// Returns whether a save of the context deleted an object.
    func hasDeleted(_ id: ObjectID) -> Bool { deletions.contains(id) }

    mutating func removeAll() { self = OwnVersions() }

    /// The store's word of a row that holds what no store does: the parent has its changes pending, or had.
    static let unsavedRow: UInt32 = 1

    /// What a child's row is to the context, which does not have the object itself.
    enum Standing {
        /// It is as good as the context's own.
        case isSaved
        /// The context saved another one since, or may have, or holds none of its values any more: what the child changed is put upon the
        /// row that is there, as one of a version.
        case isOther(version: UInt32)
    }

    /// Says what a child's row is to the context.
    func standing(_ id: ObjectID, _ row: Row) -> Standing {
        // A row is of version 1 after its insertion.
        let version = max(row.version, 1)
        if let known = saves[id], known.first <= version, version < known.last { return .isOther(version: known.last) }
        return row.isOfStore ? .isSaved : .isOther(version: version)
    }
}
