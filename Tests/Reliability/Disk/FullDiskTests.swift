import Foundation
import StrataCrashWorker
import StrataTestSupport
import Testing

extension Reliability {
    /// Finds what a full disk breaks: earlier saves, deleting, and the room that deleting makes.
    @Suite("A full disk")
    struct FullDiskTests {
        @Test(
            "fails saves as full, keeps what was saved, and is one no more after deleting",
            .enabled(if: SmallDisk.mount != nil, "mounting a small disk is not allowed here"), arguments: CrashMode.allCases)
        func fullDisk(_ mode: CrashMode) throws {
            let mount = try #require(SmallDisk.mount)
            let path = "\(SmallDisk.path)/stores"
            // The disk is the worker's alone, and goes with it.
            let client = try WorkerClient(wrapper: mount(mode.isFederated ? 8 : 4))
            try check(client, [mode.rawValue, path, "0", "0"])
        }

        @Test("shows in a file that may not grow as well", arguments: [CrashMode.sqlite, .lmdb, .xml, .binary])
        func limitedFile(_ mode: CrashMode) throws {
            let directory = try LedgerDirectory(mode)
            try check(WorkerClient(), directory.arguments("1000000"))
        }

        private func check(_ client: WorkerClient, _ arguments: [String]) throws {
            let report = try client.run("fill", arguments)
            print("full disk, \(arguments[0]): \(report.last("full") ?? "no") saves until it was full")
            let violations = report.lines.filter { $0.hasPrefix("violation") || $0.hasPrefix("threw") }
            #expect(report.end == "exit 0", "\(arguments[0]) \(report.end) \(report.lines)")
            #expect(report.has("sound"), "\(arguments[0]) \(report.end) \(report.lines)")
            #expect(violations.isEmpty, "\(arguments[0]) \(report.end) \(report.lines)")
            #expect(Int(report.last("full") ?? "") ?? 0 > 3)
        }
    }
}

/// A file system in memory of a few megabytes, in a mount name space of the worker's own.
private enum SmallDisk {
    /// Where it is mounted.
    static let path = directory?.path ?? "/tmp"
    private static let directory = try? TemporaryDirectory.ofProcess("strata-disk")

    /// The command that mounts one of some megabytes and starts a worker; `nil` where that is not allowed.
    static let mount: (@Sendable (Int) -> [String])? = {
        for name in [["unshare", "-m"], ["unshare", "-rm"]] {
            let command: @Sendable (Int) -> [String] = { size in
                name + ["sh", "-c", "mount -t tmpfs -o size=\(size)m tmpfs \"$0\" && exec \"$@\"", path]
            }
            if run(command(4) + ["true"]) { return command }
        }
        return nil
    }()

    private static func run(_ words: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
