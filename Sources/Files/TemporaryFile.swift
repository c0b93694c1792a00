/// The name of a file that a library writes beside the one that it will replace, for
/// ``AtomicReplacement/resume(temporaryPath:path:fileSystem:forcing:)``.
///
/// It is removed on release; or later by ``AtomicReplacement/removeLeftovers(of:companions:fileSystem:)``.
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
