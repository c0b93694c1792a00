/// How a store is replaced by a copy of another one, see ``StoreDriver/replace(at:withStoreAt:_:)``.
public struct StoreReplacement {
    /// Whether a regular file is replaced that does not show that it is a store, as one that is too damaged; false by default.
    public var replacesUnrecognized: Bool
    /// Called once, when the copy is complete and the store to replace is locked; an error leaves that as it is.
    public var beforeCommit: () throws -> Void

    /// Creates the description of a replacement.
    public init(replacesUnrecognized: Bool = false, beforeCommit: @escaping () throws -> Void = {}) {
        self.replacesUnrecognized = replacesUnrecognized
        self.beforeCommit = beforeCommit
    }
}
