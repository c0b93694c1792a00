/// A copy of a store that was begun: of the store's state at that moment, whatever is saved afterwards.
///
/// Used on one thread at a time. A copy that is released without being written holds nothing of the store any more.
public protocol PendingCopy: AnyObject {
    /// Writes the state as a store of its own, with the files of its large values beside it; called once.
    ///
    /// It is durable when this returns. Files of a failed copy may stay behind; the caller removes them.
    ///
    /// - Parameters:
    ///   - path: The path of the new store, where nothing is.
    ///   - earlier: The path of an earlier copy of the store, whose files of large values may be linked instead of being
    ///     written again; `nil` for none.
    ///   - progress: Called from time to time with the finished and the total work in units of the store; an error that
    ///     it throws ends the copy.
    /// - Throws: ``StoreError`` with `full`, `denied`, `io`; `closed` where the store was closed; what `progress`
    ///   throws.
    func write(to path: String, linkingValuesOf earlier: String?, _ progress: (_ done: Int, _ total: Int) throws -> Void) throws
}
