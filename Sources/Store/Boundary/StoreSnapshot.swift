/// A held state of a store, which can be read whatever is saved meanwhile.
///
/// Used on any thread, possibly one at a time. The store ends its snapshots when it is closed.
public protocol StoreSnapshot: AnyObject, Sendable {
    /// Runs `body` over the state; the reader is invalid outside of `body` and on other threads.
    ///
    /// - Throws: ``StoreError`` with `closed` where the store was closed; what `body` throws, and what its reads do.
    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T
}
