/// A driver with which a coordinator opens stores.
///
/// Each driver that a coordinator gets is one. Applications see a ``StoreDriver``: they open stores by the coordinator.
public protocol OpeningStoreDriver: StoreDriver {
    /// Opens a store, or creates one where there is none (an empty file counts as none).
    ///
    /// - Throws: ``StoreError`` with `missing`, `denied`, `foreign`, `wrongType`, `corrupt`, `incompatibleModel`,
    ///   `locked` or `io`. A file that cannot be opened is left as it was.
    func open(_ description: StoreDescription, model: ManagedObjectModel) throws -> any StoreBackend
}

/// Opens a store, or creates one, by the driver of its description.
///
/// - Throws: As ``OpeningStoreDriver/open(_:model:)``; ``StoreError`` with `unsupported` where the driver is only a
///   ``StoreDriver``.
public func openStore(_ description: StoreDescription, model: ManagedObjectModel) throws -> any StoreBackend {
    guard let driver = description.driver as? any OpeningStoreDriver else {
        throw StoreError(.unsupported, .open, "the driver cannot open stores", path: description.path)
    }
    return try driver.open(description, model: model)
}
