/// A driver whose stores are no files, and can be led through the stages of a migration all the same.
///
/// What is kept beside a file while that goes on, a copy and a lock, is the driver's business here.
public protocol StagedStoreDriver: StoreDriver {
    /// Returns the location beside a store for a copy of it as it was before a stage: always the same one, so that it
    /// is found after a crash.
    ///
    /// - Throws: ``StoreError`` with `unsupported` for a location that the driver does not support.
    func locationBeforeStage(of location: StoreLocation) throws -> StoreLocation

    /// Keeps others from leading a store through stages, until what is answered is called, or its process ends.
    ///
    /// - Parameters:
    ///   - location: Where the store is.
    ///   - timeout: How long to wait for others, in seconds.
    /// - Throws: ``StoreError`` with `locked` after that.
    func lockStages(at location: StoreLocation, timeout: Double) throws -> () -> Void
}
