import StrataStore

/// The files of interrupted saves beside a store that is being removed: they hold its values.
struct SavesOfMissingStore {
    /// The store's ID; `nil` without a store, or without readable metadata: then nothing is removed.
    let storeID: StoreID?
    private let path: String
    private let files = RecoveryFiles.fileSystem

    init(_ path: String, _ driver: any StoreDriver) {
        self.path = (try? files.resolvingLinks(path)) ?? path
        storeID = try? driver.metadata(at: path).storeID
    }

    /// Removes the files; a failure does no harm to any store.
    func remove() {
        guard storeID != nil, let names = try? PreparedSaveFileName.all(forStoreAt: path, files) else { return }
        // A decision after the decided changes, and its revocation last.
        for kind in [PreparedSaveFileName.Kind.setAside, .record, .pending, .confirmed, .decided, .aborted] {
            for name in names where name.kind == kind { try? remove(name) }
            try? files.synchronizeDirectory(PathName.parent(of: path))
        }
    }

    private func remove(_ name: PreparedSaveFileName) throws {
        guard var save = try PreparedSaveFile.read(name, files), save.storeID == storeID else { return }
        if name.kind != .setAside, save.isCoordinatorRecord, try save.isNeededByOthers(seenFrom: path, files) {
            if name.kind == .aborted { return }
            save.changes = []
            // An undecided save is never decided any more.
            try save.write(name.kind == .record ? .aborted : .decided, besideStoreAt: path, files)
            if name.kind == .decided { return }
        }
        try files.removeIfPresent(name.path)
    }
}
