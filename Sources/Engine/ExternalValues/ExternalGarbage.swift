import Synchronization

/// The external value files without a row since a commit, kept as long as an older state may be read.
///
/// Those left at the end of a process are found by ``ExternalStorage/removeUnnamed(in:_:)``.
public final class ExternalGarbage<Commit: Sendable>: Sendable {
    private let directory: ExternalDataDirectory
    private let files = Mutex<[(commit: Commit, names: [String])]>([])
    // Beside the list, as each commit asks: that of a generic type is slow to ask.
    private let hasFiles = Atomic<Bool>(false)

    /// Creates an empty set for a directory.
    public init(_ directory: ExternalDataDirectory) { self.directory = directory }

    /// Whether there is no file to remove.
    public var isEmpty: Bool { !hasFiles.load(ordering: .acquiring) }

    /// Records files that no row names since a commit.
    public func add(_ names: [String], since commit: Commit) {
        if names.isEmpty { return }
        files.withLock { files in
            files.append((commit, names))
            hasFiles.store(true, ordering: .releasing)
        }
    }

    /// Removes the files of the commits that all readers see.
    public func remove(where isSeenByAll: (Commit) -> Bool) {
        let names = files.withLock { files in
            let names = files.filter { isSeenByAll($0.commit) }.flatMap(\.names)
            if !names.isEmpty { files.removeAll { isSeenByAll($0.commit) } }
            hasFiles.store(!files.isEmpty, ordering: .releasing)
            return names
        }
        // A file that stays does no harm.
        if !names.isEmpty { try? directory.remove(names) }
    }
}
