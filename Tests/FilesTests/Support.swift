import FoundationEssentials
import StrataFiles
import StrataFilesTesting
import Testing

/// A real directory that goes when the test ends.
final class ScratchDirectory {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/strata-files-" + UUID().uuidString
        try PosixFileSystem.shared.makeDirectories(path, forcing: .nothing)
    }

    deinit {
        try? PosixFileSystem.shared.removeTree(path)
    }

    func file(_ name: String) -> String { path + "/" + name }

    func names() throws -> [String] { try PosixFileSystem.shared.names(inDirectory: path) }
}

extension FileSystem {
    /// Writes a file in one go, without any care for crashes.
    func put(_ bytes: [UInt8], at path: String) throws {
        let file = try open(path, .create(permissions: 0o644))
        try file.truncate(to: 0)
        try file.write(bytes, at: 0)
        try file.synchronize()
        try file.close()
    }

    /// Whether the file at `path` holds just `content`.
    ///
    /// Tests ask this way about large files, rather than have two arrays compared by an expectation, which computes their difference where
    /// they differ.
    func file(_ path: String, is content: [UInt8]) -> Bool {
        (try? contents(of: path)) == content
    }
}

/// Bytes that differ between seeds everywhere, and from zero.
func sample(_ count: Int, seed: Int = 0) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 31 &+ $0 >> 8 &+ seed &* 97) % 255 + 1) }
}

/// A memory file system whose `/d/live` holds `content`, on disk.
func memory(holding content: [UInt8]) throws -> MemoryFileSystem {
    let disk = MemoryFileSystem(directories: ["/d"])
    try disk.put(content, at: "/d/live")
    try disk.synchronizeDirectory("/d")
    return disk
}

/// Replaces `/d/live` in four writes, the last bigger than the sink's buffer.
func replace(with content: [UInt8], on fileSystem: any FileSystem, forcing: Forcing = .everything) throws {
    try AtomicReplacement.prepare(path: "/d/live", fileSystem: fileSystem, forcing: forcing) { sink in
        let third = content.count / 3
        try sink.write(Array(content[..<third]))
        try sink.write([])
        try sink.write(Array(content[third..<third + 1]))
        try sink.write(Array(content[(third + 1)...]))
    }.commit()
}
