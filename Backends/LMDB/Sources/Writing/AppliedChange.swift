import StrataStore

/// A change that a transaction has applied, to be applied again in a larger map.
enum AppliedChange {
    case rows(PackedChanges)
    case record(HistoryRecord)
    /// The oldest records were deleted, up to the mark.
    case deletion(HistoryRecord)
    /// All records were replaced by the mark.
    case replacement(HistoryRecord)

    /// Whether it certainly changes the file.
    var changesFile: Bool {
        guard case .rows(let packed) = self else { return true }
        return !packed.changes.inserted.isEmpty || !packed.changes.updated.isEmpty || !packed.changes.deleted.isEmpty
    }
}
