public import StrataFiles
import StrataStore
import Synchronization

/// The files of external values that no row names since a commit, kept as long as a state from before it may be read.
///
/// What is left when a process ends, ``ExternalStorage/removeUnnamed(in:_:)`` finds.
public final class ExternalGarbage<Commit: Sendable>: Sendable {
    private let directory: ExternalDataDirectory
    private let files = Mutex<[(commit: Commit, names: [String])]>([])

    /// No files yet, of a directory.
    public init(_ directory: ExternalDataDirectory) { self.directory = directory }

    /// Whether no file waits.
    public var isEmpty: Bool { files.withLock { $0.isEmpty } }

    /// Records files that nothing names since a commit.
    public func add(_ names: [String], since commit: Commit) {
        if !names.isEmpty { files.withLock { $0.append((commit, names)) } }
    }

    /// Removes the files of the commits that all readers see.
    public func remove(where isSeenByAll: (Commit) -> Bool) {
        let names = files.withLock { files in
            let names = files.filter { isSeenByAll($0.commit) }.flatMap(\.names)
            if !names.isEmpty { files.removeAll { isSeenByAll($0.commit) } }
            return names
        }
        // A file that stays is no harm: nothing names it.
        if !names.isEmpty { try? directory.remove(names) }
    }
}
