import StrataStore

/// The copy of a store before a stage with a conversion, beside the store.
struct StageCopy {
    let location: StoreLocation
    private let original: StoreLocation
    private let driver: any StoreDriver

    /// - Throws: `StoreError` with `unsupported` where the store is no file, and its driver has no location beside it.
    init(of description: StoreDescription) throws {
        original = description.location
        driver = description.driver
        if let driver = driver as? any StagedStoreDriver {
            location = try driver.locationBeforeStage(of: original)
            return
        }
        guard let path = original.path else {
            throw StoreError(.unsupported, .migrate, "a store that is no file cannot be copied for a conversion that sees it as it was")
        }
        // External value files are named after the path without its extension.
        let (stem, name) = (PathName.stem(of: path), PathName.last(of: path))
        location = .file(PathName.joining(PathName.parent(of: path), stem + "-before" + name.dropFirst(stem.count)))
    }

    /// - Throws: `StoreError` with `exists` where the copy's path has something else.
    func make() throws {
        guard try isFree() else {
            throw StoreError(.exists, .migrate, "a copy of the store as it was before the stage is to be made here", path: location.path)
        }
        try driver.replace(at: location, withStoreAt: original)
    }

    /// Restores the store as it was before the stage; throws the error that prevents it; the store is left as it is
    /// then.
    func restore() throws {
        try driver.replace(at: original, withStoreAt: location)
        try? remove()
    }

    func remove() throws { try driver.destroy(at: location) }

    /// Removes the copy of a process that ended early.
    func removeLeftover() {
        if (try? isFree()) == true { try? remove() }
    }

    /// Returns whether there is nothing, or a copy of this store.
    private func isFree() throws -> Bool {
        guard let copy = try driver.metadataIfPresent(at: location), let own = try driver.metadataIfPresent(at: original) else {
            return true
        }
        return copy.storeID == own.storeID
    }
}

extension StoreDriver {
    /// Reads the metadata of a store; `nil` where there is none.
    func metadataIfPresent(at location: StoreLocation) throws -> StoreMetadata? {
        do { return try metadata(at: location) } catch let error as StoreError where error.code == .missing { return nil }
    }
}
