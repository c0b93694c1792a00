import StrataFiles
import StrataStore

/// A copy of a store that was begun.
struct BegunCopy {
    let entry: StoreEntry
    let pending: any PendingCopy
    /// The state of the store's files; `nil` where the copy may be of another.
    let state: String?

    /// Begins the copy of a store whose write lock is held, or which is read-only.
    init(_ entry: StoreEntry) throws {
        let store = entry.store
        // Others may write a store that is open read-only.
        let before = WrittenState.of(store)
        if store.isReadOnly { try store.refresh() }
        guard store.path != nil, let pending = try store.beginCopy() else {
            throw StoreError(
                .unsupported, .backUp, "a store of type \(store.type) cannot be copied while it is used", path: store.path)
        }
        self.entry = entry
        self.pending = pending
        state = before == WrittenState.of(store) ? before : nil
    }
}

/// The copy of a store in a backup: written anew, or that of the backup before where nothing was written to the store.
struct BackupCopy {
    private let entry: StoreEntry
    /// `nil` once it is written: the store need not keep the state any longer.
    private var pending: (any PendingCopy)?
    private let state: String?
    private let originalPath: String
    private let path: String
    /// The copy in the backup before.
    private let earlier: (store: BackupManifest.Store, path: String)?
    private var isUnchanged = false

    /// - Parameters:
    ///   - folder: Where the copy is written, which is made.
    ///   - manifest: The manifest of the backup before.
    ///   - directory: The directory of backups.
    init(_ begun: BegunCopy, to folder: String, after manifest: BackupManifest?, in directory: String) throws {
        (entry, pending, state) = (begun.entry, begun.pending, begun.state)
        let store = entry.store
        let originalPath = try entry.filePath()
        self.originalPath = originalPath
        path = PathName.joining(folder, PathName.last(of: originalPath))
        let configuration = entry.description.configuration
        earlier = manifest?.stores.first {
            $0.id == store.id.rawValue && $0.type == store.type.rawValue && $0.configuration == configuration
                && $0.originalPath == originalPath
        }.map { ($0, PathName.joining(directory, $0.file)) }
    }

    /// Whether nothing was written to the store since the backup before, whose copy is taken over if it is sound.
    var mayBeUnchanged: Bool { state != nil && state == earlier?.store.state }

    /// Writes the copy into a folder of its own.
    mutating func write(_ position: Int, _ report: BackupReport) throws {
        let store = entry.store
        try report.update(.copying, store.id, at: position, 0)
        try StoreError.naming(.backUp, path: originalPath) {
            try RecoveryFiles.fileSystem.makeDirectory(PathName.parent(of: path), permissions: 0o700)
            isUnchanged = try takesOver()
            if isUnchanged { return }
            try pending?.write(to: path, linkingValuesOf: earlier?.path) { done, total in
                try report.update(.copying, store.id, at: position, Double(done) / Double(max(1, total)))
            }
        }
        pending = nil
        try report.update(.copying, store.id, at: position, 1)
    }

    /// Links the files of the earlier copy where nothing was written to the store since, and they are as they were.
    private func takesOver() throws -> Bool {
        guard mayBeUnchanged, let earlier else { return false }
        let (files, old) = (RecoveryFiles.fileSystem, earlier.path)
        guard (try? atLowPriority { try BackupManifest.checksums(ofCopy: old) }) == earlier.store.checksums else { return false }
        // A file system without links.
        guard (try? files.link(old, to: path)) != nil else { return false }
        let values = ExternalDataDirectory(storePath: old, fileSystem: files)
        try values.copy(values.names(), to: ExternalDataDirectory(storePath: path, fileSystem: files), linking: values)
        return true
    }

    /// Reads the copy whole, and returns it for the manifest.
    func verified(_ model: ManagedObjectModel, _ position: Int, _ report: BackupReport) throws -> BackupManifest.Store {
        let (store, path) = (entry.store, path)
        var description = entry.description
        description.path = path
        try report.update(.verifying, store.id, at: position, 0)
        if !isUnchanged {
            let problems = try StoreError.naming(.backUp, path: path) { [description] in
                try atLowPriority { try PersistentStoreCoordinator.verifyStore(description, model: model, limit: 1) }
            }
            if let problem = problems.first {
                throw StoreError(
                    .corrupt, .backUp, "the copy is not sound: \(problem)", path: store.path, entity: problem.entity, key: problem.key)
            }
        }
        return try StoreError.naming(.backUp, path: path) {
            let folder = PathName.parent(of: path)
            let files = RecoveryFiles.fileSystem
            // Opening it made files of locks, which need not be there.
            for name in try files.names(inDirectory: folder) where name != PathName.last(of: path) && !name.hasSuffix("_SUPPORT") {
                try files.removeTree(PathName.joining(folder, name))
            }
            try files.synchronizeDirectory(folder)
            let checksums =
                if isUnchanged, let earlier { earlier.store.checksums } else {
                    try atLowPriority { try BackupManifest.checksums(ofCopy: path) }
                }
            try report.update(.verifying, store.id, at: position, 1)
            let file = [PathName.last(of: PathName.parent(of: folder)), PathName.last(of: folder), PathName.last(of: path)]
            return BackupManifest.Store(
                id: store.id.rawValue, type: store.type.rawValue, configuration: description.configuration,
                originalPath: originalPath, file: file.joined(separator: "/"), checksums: checksums, state: state,
                isUnchanged: isUnchanged)
        }
    }

    /// Runs work that holds no snapshot beside that of others, with this task's files and cancellation.
    private func atLowPriority<T: Sendable>(_ body: @escaping @Sendable () throws -> T) throws -> T {
        let (files, cancellation) = (RecoveryFiles.fileSystem, StoreCancellation.current)
        return try OwnThread.runAtLowPriority {
            try RecoveryFiles.$fileSystem.withValue(files) { try StoreCancellation.$current.withValue(cancellation, operation: body) }
        }
    }
}
