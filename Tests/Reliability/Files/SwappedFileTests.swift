import Foundation
import StrataCrashWorker
import Testing

extension Reliability {
    /// Finds what is saved into a file that is not there any more, and what destroys a file that took its place.
    @Suite("The file of an open store")
    struct SwappedFileTests {
        @Test("that is deleted or moved away takes no save that is lost", arguments: CrashMode.allCases, ["delete", "move"])
        func gone(_ mode: CrashMode, how: String) throws {
            for index in stores(mode) {
                let directory = try site(mode)
                let report = try swap(directory, index, how)
                #expect(!saves(report).contains { $0 > 3 }, "\(mode) \(how) \(index): \(report.lines)")
                guard how == "move" else { continue }
                let file = "\(directory.path)/\(mode.paths[index])"
                try? FileManager.default.removeItem(atPath: file)
                try FileManager.default.moveItem(atPath: file + ".moved", toPath: file)
                try expect(directory, 3, "\(mode) \(how) \(index): \(report.lines)")
            }
        }

        @Test("that another one replaces leaves that as it is", arguments: [CrashMode.sqlite, .xml, .binary, .lmdb])
        func replaced(_ mode: CrashMode) throws {
            let directory = try site(mode)
            let report = try swap(directory, 0, "replace")
            #expect(!saves(report).contains { $0 > 3 }, "\(mode): \(report.lines)")
            try expect(directory, 1, "\(mode): \(report.lines)")
        }

        @Test("that something foreign replaces leaves that as it is", arguments: CrashMode.allCases)
        func overwritten(_ mode: CrashMode) throws {
            for index in stores(mode) {
                let directory = try site(mode)
                let report = try swap(directory, index, "overwrite")
                #expect(!saves(report).contains { $0 > 3 }, "\(mode) \(index): \(report.lines)")
                #expect(
                    try directory.content(of: mode.paths[index]) == Array("this is no store\n".utf8), "\(mode) \(index): \(report.lines)")
            }
        }

        @Test("that is cut ends no process", arguments: CrashMode.allCases, ["cut", "empty"])
        func cut(_ mode: CrashMode, how: String) throws {
            for index in stores(mode) {
                let directory = try site(mode)
                let report = try swap(directory, index, how)
                #expect(report.end == "exit 0", "\(mode) \(how) \(index): \(report.end) \(report.lines)")
                #expect(report.last("violation") == nil, "\(mode) \(how) \(index): \(report.end) \(report.lines)")
            }
        }

        @Test("that gets a second name is the same", arguments: CrashMode.allCases, ["link"])
        func linked(_ mode: CrashMode, how: String) throws {
            for index in stores(mode) {
                let directory = try site(mode)
                let report = try swap(directory, index, how)
                #expect(saves(report) == [3, 4, 5], "\(mode) \(how) \(index): \(report.lines)")
                #expect(report.last("read") == "5", "\(mode) \(how) \(index): \(report.lines)")
                try? FileManager.default.removeItem(atPath: "\(directory.path)/\(mode.paths[index]).linked")
                try expect(directory, 5, "\(mode) \(how) \(index)")
            }
        }

        @Test("may be reached by a symbolic link, again and again", arguments: [CrashMode.sqlite, .xml, .binary, .lmdb])
        func symbolicLink(_ mode: CrashMode) throws {
            let directory = try LedgerDirectory(mode)
            let file = "\(directory.path)/\(mode.paths[0])"
            try FileManager.default.createDirectory(atPath: "\(directory.path)/elsewhere", withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "elsewhere/data")
            let client = try WorkerClient()
            for generation in [2, 4] {
                let report = try client.run("ledger", directory.arguments("\(generation)"))
                #expect(report.has("saved \(generation)"), "\(mode): \(report.lines)")
                #expect(report.last("failed") == nil, "\(mode): \(report.lines)")
            }
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file) == "elsewhere/data")
            try expect(directory, 4, "\(mode)")
        }

        // MARK: -

        /// The stores that are tried: one of several, which the seed chooses, or all.
        private func stores(_ mode: CrashMode) -> [Int] {
            var random = Effort.random("stores of \(mode)")
            return Effort.isSoak ? Array(mode.paths.indices) : [Int.random(in: mode.paths.indices, using: &random)]
        }

        /// Stores at the second generation, and a copy of them at the first.
        private func site(_ mode: CrashMode) throws -> LedgerDirectory {
            let directory = try LedgerDirectory(mode)
            let client = try WorkerClient()
            #expect(try client.run("ledger", directory.arguments("1")).has("saved 1"))
            try FileManager.default.copyItem(atPath: directory.path, toPath: directory.backup)
            #expect(try client.run("ledger", directory.arguments("2")).has("saved 2"))
            return directory
        }

        private func swap(_ directory: LedgerDirectory, _ index: Int, _ how: String) throws -> WorkerReport {
            let report = try WorkerClient().run("swap", directory.arguments("\(index)", how))
            #expect(report.has("done"), "\(directory.mode) \(how): \(report.end) \(report.lines)")
            #expect(report.end == "exit 0", "\(directory.mode) \(how): \(report.end) \(report.lines)")
            return report
        }

        private func saves(_ report: WorkerReport) -> [Int] {
            report.lines.filter { $0.hasPrefix("saved ") }.compactMap { Int($0.dropFirst(6)) }
        }

        private func expect(_ directory: LedgerDirectory, _ generation: Int, _ story: String) throws {
            let report = try WorkerClient().run("verify", directory.arguments())
            #expect(report.last("found") == "\(generation)", "\(story) -> \(report.end) \(report.lines)")
            #expect(report.has("sound"), "\(story) -> \(report.end) \(report.lines)")
        }
    }
}
