import Foundation

/// Where an index comes from.
public enum ArchiveSource: Sendable, Equatable {
    /// The machine's own package index, as `apt-cache dumpavail` prints it.
    case machine
    /// A file in the index's format.
    case file(String)
    /// The sample of some 2,000 packages that comes with the benchmark.
    case sample

    /// The path of the bundled sample.
    /// - Throws: `ArchiveError.unreadable` where the build's resources are gone.
    public static func samplePath() throws(ArchiveError) -> String {
        guard let path = Bundle.module.path(forResource: "packages", ofType: "txt") else {
            throw .unreadable(path: "packages.txt", reason: "the bundled sample is missing")
        }
        return path
    }

    /// Reads the whole index, calling `progress` with the number of stanzas now and then.
    ///
    /// Blocks the calling thread. - Throws: `ArchiveError`.
    public func read(
        policy: ArchiveParser.Policy = .skip,
        progress: (Int) -> Void = { _ in }
    ) throws(ArchiveError) -> ArchiveParser {
        switch self {
        case .machine: try Self.readMachine(policy, progress)
        case .file(let path): try Self.readFile(path, policy, progress)
        case .sample: try Self.readFile(try Self.samplePath(), policy, progress)
        }
    }

    private static func readFile(
        _ path: String,
        _ policy: ArchiveParser.Policy,
        _ progress: (Int) -> Void
    ) throws(ArchiveError) -> ArchiveParser {
        let handle: FileHandle
        do {
            handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        } catch {
            throw .unreadable(path: path, reason: "\(error.localizedDescription)")
        }
        defer { try? handle.close() }
        return try drain(handle, name: path, policy, progress)
    }

    private static func readMachine(_ policy: ArchiveParser.Policy, _ progress: (Int) -> Void) throws(ArchiveError) -> ArchiveParser {
        let command = "apt-cache dumpavail"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["apt-cache", "dumpavail"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            throw .commandUnavailable(command: command, reason: "\(error.localizedDescription)")
        }
        let parser: ArchiveParser
        do {
            parser = try drain(output.fileHandleForReading, name: command, policy, progress)
        } catch {
            process.terminate()
            process.waitUntilExit()
            throw error
        }
        process.waitUntilExit()
        guard process.terminationStatus != 127 else { throw .commandUnavailable(command: command, reason: "not installed") }
        guard process.terminationStatus == 0 else { throw .commandFailed(command: command, status: process.terminationStatus) }
        return parser
    }

    private static func drain(
        _ handle: FileHandle,
        name: String,
        _ policy: ArchiveParser.Policy,
        _ progress: (Int) -> Void
    ) throws(ArchiveError) -> ArchiveParser {
        var parser = ArchiveParser(policy: policy)
        while true {
            let piece: Data?
            do {
                piece = try handle.read(upToCount: 1 << 20)
            } catch {
                throw .unreadable(path: name, reason: "\(error.localizedDescription)")
            }
            guard let piece, !piece.isEmpty else { break }
            try Array(piece).withBytes { bytes throws(ArchiveError) in try parser.feed(UnsafeRawBufferPointer(bytes)) }
            progress(parser.stanzas.count)
        }
        try parser.finish()
        return parser
    }
}
