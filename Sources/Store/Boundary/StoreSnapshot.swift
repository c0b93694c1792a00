/// A state of a store that is held: as long as this is there, it can be read, whatever is saved meanwhile.
///
/// Asked for on any thread; one that keeps readers apart has the others wait. The store ends its snapshots when it is closed.
public protocol StoreSnapshot: AnyObject, Sendable {
    /// Runs `body` over the state; the reader is not valid outside of `body`, nor on another thread.
    ///
    /// - Throws: ``StoreError`` with `closed` where the store was closed; what `body` throws, and what its reads do.
    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T
}
