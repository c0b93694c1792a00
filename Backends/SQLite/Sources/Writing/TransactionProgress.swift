import StrataStore

/// What a transaction has done so far.
struct TransactionProgress {
    /// Whether anything was changed.
    var isUsed = false
    /// The size in bytes of the written rows; a statement over a plan counts as a large change set.
    private(set) var byteCount = 0
    var hasConflict = false
    /// Whether it is part of a save over several stores, which is recorded in the metadata.
    private(set) var isShared = false
    var isDiskFull = false
    /// Whether tables, indexes or metadata may have been changed.
    var mayChangeSchema = false
    /// The tables of the history, where it found or created them.
    var historyTables: HistoryTables?
    /// The number of the last transaction in Strata's own history; `nil` where it is unknown.
    var lastHistoryNumber: Int64?

    mutating func note(_ changes: ChangeSet) {
        isUsed = true
        if changes.metadata != nil { (isShared, mayChangeSchema) = (true, true) }
        for row in changes.inserted { byteCount += row.byteCount }
        for update in changes.updated { byteCount += update.row.byteCount }
    }

    /// Records that so many bytes are written.
    mutating func noteBytes(_ byteCount: Int) {
        isUsed = true
        self.byteCount += byteCount
    }
}
