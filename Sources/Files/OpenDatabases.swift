import StrataPlatform
import Synchronization

/// The files that libraries have open in this process and hold POSIX locks on, as SQLite does.
///
/// A process loses all POSIX locks that it holds on a file as soon as it closes any descriptor of that file; the
/// database looks unused to other processes then. So ``PosixFileSystem`` does not close its descriptors of a registered
/// file, but reuses them for the next opening of the file, until the last database of it is closed.
public enum OpenDatabases {
    /// Registers a file as an open database during its lifetime.
    ///
    /// Create it before the library opens the file, release it after the library has closed it.
    public final class Hold: Sendable {
        /// The file that is held, by device and number.
        public let identity: FileIdentity

        init(_ identity: FileIdentity) { self.identity = identity }

        deinit { OpenDatabases.release(identity) }
    }

    /// An unused descriptor that is kept open.
    ///
    /// Its identity is that of the file, or of one beside it.
    private typealias Kept = (descriptor: Int32, mode: OpenMode, identity: FileIdentity)

    private struct Entry {
        var holders = 0
        /// Files beside this one that the library locks too, by their last components.
        var companions: [String: String] = [:]
        var kept: [Kept] = []
    }

    private static let entries = Mutex<[FileIdentity: Entry]>([:])
    /// The files that may have a companion of a name: checked for each descriptor that is closed.
    private static let owners = Mutex<[String: Set<FileIdentity>]>([:])

    /// Registers the file at a path, following links, and files beside it that the library locks, perhaps later.
    ///
    /// - Throws: ``FileError`` if the file does not exist.
    public static func hold(_ path: String, companions: [String] = []) throws(FileError) -> Hold {
        let identity = try PosixFileSystem.shared.status(of: path).identity
        entries.withLock { entries in
            entries[identity, default: Entry()].holders += 1
            for companion in companions {
                let name = PathName.last(of: companion)
                entries[identity]?.companions[name] = companion
                owners.withLock { _ = $0[name, default: []].insert(identity) }
            }
        }
        return Hold(identity)
    }

    private static func release(_ identity: FileIdentity) {
        entries.withLock { entries in
            guard var entry = entries[identity] else { return }
            entry.holders -= 1
            if entry.holders == 0 { closeUnlessShared(&entry, identity) }
            set(entry, of: identity, &entries)
        }
    }

    private static func set(_ entry: Entry, of identity: FileIdentity, _ entries: inout [FileIdentity: Entry]) {
        guard entry.holders == 0 && entry.kept.isEmpty else { return entries[identity] = entry }
        entries[identity] = nil
        owners.withLock { owners in
            for name in entry.companions.keys {
                owners[name]?.remove(identity)
                if owners[name]?.isEmpty == true { owners[name] = nil }
            }
        }
    }

    // MARK: - For the file system

    /// Returns a kept descriptor of the file at a path.
    static func reuse(_ path: String, _ mode: OpenMode) -> Int32? {
        entries.withLock { entries in
            guard entries.values.contains(where: { !$0.kept.isEmpty }),
                let identity = try? PosixFileSystem.shared.status(of: path).identity,
                let owner = owner(of: identity, path, entries),
                let index = entries[owner]?.kept.firstIndex(where: { $0.mode == mode && $0.identity == identity })
            else { return nil }
            return entries[owner]?.kept.remove(at: index).descriptor
        }
    }

    /// Closes a descriptor, or keeps it if closing would release a database's locks.
    ///
    /// - Parameter mayBeForeign: Whether the file may be an open database of code that does not register it.
    /// - Returns: The system's error number, 0 for none.
    static func close(_ descriptor: Int32, _ path: String, _ mode: OpenMode, mayBeForeign: Bool) -> Int32 {
        entries.withLock { entries in
            // Without registered databases there is no system call.
            if !entries.isEmpty || mayBeForeign, let identity = identity(of: descriptor) {
                let owner = owner(of: identity, path, entries)
                if owner != nil || mayBeForeign {
                    var entry = entries[owner ?? identity] ?? Entry()
                    entry.kept.append((descriptor, mode, identity))
                    if entry.holders == 0 { closeUnlessShared(&entry, identity) }
                    set(entry, of: owner ?? identity, &entries)
                    return 0
                }
            }
            return StrataPlatform.close(descriptor) == 0 ? 0 : errno
        }
    }

    private static func owner(of identity: FileIdentity, _ path: String, _ entries: [FileIdentity: Entry]) -> FileIdentity? {
        if entries[identity] != nil { return identity }
        let name = PathName.last(of: path)
        guard let candidates = owners.withLock({ $0[name] }) else { return nil }
        return candidates.first { candidate in
            guard let companion = entries[candidate]?.companions[name] else { return false }
            return (try? PosixFileSystem.shared.status(of: companion))?.identity == identity
        }
    }

    private static func identity(of descriptor: Int32) -> FileIdentity? {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? FileStatus(status).identity : nil
    }

    /// Closes kept descriptors, unless others may be those of an unregistered database.
    private static func closeUnlessShared(_ entry: inout Entry, _ identity: FileIdentity) {
        if entry.kept.isEmpty { return }
        let own = Set(entry.kept.map(\.descriptor))
        let all = (try? PosixFileSystem.shared.names(inDirectory: "/proc/self/fd")) ?? []
        let isShared = all.contains { name in
            guard let descriptor = Int32(name), !own.contains(descriptor) else { return false }
            return self.identity(of: descriptor) == identity
        }
        if isShared { return }
        for kept in entry.kept { _ = StrataPlatform.close(kept.descriptor) }
        entry.kept = []
    }
}
