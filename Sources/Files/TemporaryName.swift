import StrataPlatform
import Synchronization

/// The names of replacements in progress: `.<name>.<pid>.<random>.tmp`, in the directory of the file they will replace.
struct TemporaryName: Hashable {
    let name: String
    let process: Int32
    let token: String

    /// Creates a unique name for the replacement of a file called `target`.
    init(replacing target: String) {
        process = getpid()
        token = String(UInt64.random(in: .min ... .max), radix: 36)
        name = "\(Self.prefix(of: target))\(process).\(token).tmp"
    }

    /// Parses the name of a temporary of a file called `target`; `nil` for any other name.
    init?(_ name: String, replacing target: String) {
        let prefix = Self.prefix(of: target)
        guard name.hasPrefix(prefix), name.hasSuffix(".tmp") else { return nil }
        let parts = name.utf8.dropFirst(prefix.utf8.count).dropLast(4)
            .split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2,
            let process = Int32(String(decoding: parts[0], as: UTF8.self)), process > 0,
            UInt64(String(decoding: parts[1], as: UTF8.self), radix: 36) != nil
        else { return nil }
        self.name = name
        self.process = process
        token = String(decoding: parts[1], as: UTF8.self)
    }

    /// Whether no process can be writing the file any more.
    var isAbandoned: Bool {
        if process == getpid() { return !Self.active.withLock { $0.contains(token) } }
        return kill(process, 0) != 0 && errno == ESRCH
    }

    func markActive() { Self.active.withLock { _ = $0.insert(token) } }
    func markInactive() { Self.active.withLock { _ = $0.remove(token) } }

    /// The files that this process is writing.
    ///
    /// Process IDs recur (in containers they start at 1 each time), so our own ID proves nothing.
    private static let active = Mutex<Set<String>>([])

    /// Returns the prefix of temporary names; long names are shortened to their start and checksum, within 255 bytes.
    static func prefix(of target: String) -> String { ".\(PathName.shortened(target, over: 200, keeping: 180))." }
}

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
