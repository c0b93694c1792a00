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
    /// The tables of the history, where it found or created them.
    var historyTables: HistoryTables?
    /// The number of the transaction that it added last to Strata's own history.
    var lastHistoryNumber: Int64?

    mutating func note(_ changes: ChangeSet) {
        isUsed = true
        if changes.metadata != nil { isShared = true }
        for row in changes.inserted { byteCount += row.byteCount }
        for update in changes.updated { byteCount += update.row.byteCount }
    }

    /// Records that so many bytes are written.
    mutating func noteBytes(_ byteCount: Int) {
        isUsed = true
        self.byteCount += byteCount
    }
}
