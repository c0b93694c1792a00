import FoundationEssentials
import StrataFiles
public import StrataStore

/// The files of a store: their sizes, and the processes that have them open.
public struct StoreFiles: Sendable {
    /// The bytes of all files.
    public let byteCount: Int64
    /// The bytes that deletions left; `nil` where the kind of store has none.
    public let unusedByteCount: Int64?
    /// The processes that hold a lock of one of the files, as far as the system lists them.
    public let users: [Int]
    /// The number of files of saves over several stores that wait for the others.
    public let interruptedSaves: Int

    /// Reads the sizes and the locks of the files at a path.
    ///
    /// - Throws: `StoreError`.
    public init(path: String, _ driver: (any StoreDriver)?) throws {
        byteCount = FileSize.ofStore(at: path)
        unusedByteCount = try (driver as? any CompactingDriver)?.unusedByteCount(at: path)
        let path = URL(filePath: path).resolvingSymlinksInPath().path
        let (folder, name) = (PathName.parent(of: path), PathName.last(of: path))
        let hidden = ".\(name)."
        let names = (try? PosixFileSystem.shared.names(inDirectory: folder)) ?? []
        let own = names.filter { $0.hasPrefix(name) || $0.hasPrefix(hidden) }
        interruptedSaves = own.count { name in
            name.hasPrefix(hidden) && [".record", ".pending", ".confirmed"].contains { name.hasSuffix($0) }
        }
        users = StoreFiles.holders(of: own.map { PathName.joining(folder, $0) })
    }

    /// Returns the processes that have locked any of some files: Linux lists all locks by the files' numbers.
    private static func holders(of paths: [String]) -> [Int] {
        let numbers = Set(paths.compactMap { try? PosixFileSystem.shared.status(of: $0).identity.inode })
        let locks = (try? String(contentsOfFile: "/proc/locks", encoding: .utf8)) ?? ""
        let own = ProcessInfo.processInfo.processIdentifier
        return Set(
            locks.split(separator: "\n").compactMap { line -> Int? in
                let words = line.split(separator: " ")
                guard words.count >= 8, let file = words.first(where: { $0.count(where: { $0 == ":" }) == 2 }),
                    let number = file.split(separator: ":").last.flatMap({ UInt64($0) }), numbers.contains(number),
                    let process = Int(words[4])
                else { return nil }
                return process > 0 && process != Int(own) ? process : nil
            }
        ).sorted()
    }
}
