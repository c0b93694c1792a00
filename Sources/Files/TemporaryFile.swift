/// The name of a file that a library writes beside the one that it will replace, for
/// ``AtomicReplacement/resume(temporaryPath:path:fileSystem:forcing:)``.
///
/// The file is removed when this is released; ``AtomicReplacement/removeLeftovers(of:companions:fileSystem:)`` removes
/// those of processes that ended.
public final class TemporaryFile: Sendable {
    /// The path; nothing is there.
    public let path: String
    private let name: TemporaryName

    /// Chooses a name in the directory of `target`.
    public init(replacing target: String) {
        name = TemporaryName(replacing: PathName.last(of: target))
        path = PathName.joining(PathName.parent(of: target), name.name)
        name.markActive()
    }

    deinit {
        try? PosixFileSystem.shared.removeIfPresent(path)
        name.markInactive()
    }
}
