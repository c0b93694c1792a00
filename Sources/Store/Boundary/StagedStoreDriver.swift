/// A driver whose stores are not files, and can be migrated in stages.
///
/// The copy and the lock, which are files beside a store that is one, are up to the driver.
public protocol StagedStoreDriver: OpeningStoreDriver {
    /// Returns the location for a copy of a store before a stage, always the same one, so that it is found after a
    /// crash.
    ///
    /// - Throws: ``StoreError`` with `unsupported` for a location that the driver does not support.
    func locationBeforeStage(of location: StoreLocation) throws -> StoreLocation

    /// Locks a store against staged migrations by others, until the returned closure is called, or the process ends.
    ///
    /// - Parameters:
    ///   - location: The location of the store.
    ///   - timeout: The seconds to wait for others.
    /// - Throws: ``StoreError`` with `locked` after that.
    func lockStages(at location: StoreLocation, timeout: Double) throws -> () -> Void
}
