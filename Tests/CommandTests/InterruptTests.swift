import Foundation
import StrataPlatform
import StrataTestRandom
import StrataTestSupport
import Testing

/// Commands that are ended at random moments, by signals that they may answer and by one that they may not.
@Suite("The command: interrupts") struct InterruptTests {
    private static let kinds = ["sqlite", "lmdb", "binary", "xml"]
    private static let signals = Array(
        repeating: [SIGINT, SIGTERM, SIGKILL], count: ProcessInfo.processInfo.environment["STRATA_SOAK"] == nil ? 1 : 10
    ).flatMap(\.self)

    /// A store of some kind with objects whose sum is known, and the commands that are interrupted.
    private struct Bench {
        let shop: Shop
        let store: String
        /// How many customers are in the store.
        let count = 1_500
        private var random: SeededGenerator

        init(_ kind: String) throws {
            shop = try Shop()
            store = shop.directory.file("store.\(kind)")
            random = SeededGenerator(seed: UInt64(kind.utf8.reduce(0) { $0 &+ Int($1) }))
            let rows = (4...count).map { "\($0),\(String(repeating: "x", count: 40))\n" }.joined()
            try #require(try shop.run("import", shop.path, "Customer", "-", input: "number,name\n" + rows).status == 0)
            try #require(try shop.run("convert", shop.path, "--to", kind, store).status == 0)
        }

        /// Runs a command and sends it a signal after a random time, in which it may have ended.
        mutating func interrupt(_ arguments: [String], by number: Int32, longest: Double) throws -> (status: Int32, errors: String) {
            let process = Process()
            process.executableURL = URL(filePath: try ChildProcess.executable("strata"))
            process.arguments = arguments
            let errors = Pipe()
            (process.standardError, process.standardOutput) = (errors, FileHandle.nullDevice)
            try process.run()
            usleep(UInt32.random(in: 0..<UInt32(longest * 1e6), using: &random))
            kill(process.processIdentifier, number)
            let text = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            guard process.terminationReason == .exit else { return (-process.terminationStatus, text) }
            return (process.terminationStatus, text)
        }

        /// Returns how long a command takes in seconds, which has to end well.
        func duration(_ arguments: [String]) throws -> Double {
            let start = ContinuousClock.now
            let run = try CommandRun(arguments)
            try #require(run.status == 0, "\(arguments) \(run.errors)")
            return (ContinuousClock.now - start) / .seconds(1)
        }

        /// Returns whether a store has all objects, and is sound.
        func isWhole(_ path: String) throws -> Bool {
            let (verified, counted) = (try shop.run("verify", path), try shop.run("count", path, "Customer"))
            if verified.status == 0, counted.output == "\(count)\n" { return true }
            Issue.record("\(path): \(verified.output)\(verified.errors)\(counted.output)\(counted.errors)")
            return false
        }

        func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
        func remove(_ path: String) {
            for end in ["", "-wal", "-shm", "-lock"] { try? FileManager.default.removeItem(atPath: path + end) }
        }
    }

    /// Expects the exit code of a command that a signal ended, or that was done before, and a text where it could print one.
    private func expectEnd(_ end: (status: Int32, errors: String), _ number: Int32) {
        // A signal that comes before the step begins ends the process as any other.
        #expect([0, 128 + number, -number].contains(end.status), "\(end)")
        if end.status == 128 + number { #expect(end.errors.contains("interrupted"), "\(end)") }
    }

    @Test("A copy or conversion that is ended leaves its source and a whole target or none, and the next one succeeds", arguments: kinds)
    func copies(kind: String) throws {
        var bench = try Bench(kind)
        let target = bench.shop.directory.file("target")
        let commands = [
            ["backup", bench.store, target],
            ["convert", bench.store, "--to", kind == "sqlite" ? "lmdb" : "sqlite", target],
            ["convert", bench.store, "--to", kind, target],
        ]
        for command in commands {
            let longest = try bench.duration(command)
            for number in InterruptTests.signals {
                bench.remove(target)
                expectEnd(try bench.interrupt(command, by: number, longest: longest), number)
                #expect(try bench.isWhole(bench.store))
                if bench.exists(target) {
                    #expect(try bench.isWhole(target))
                    bench.remove(target)
                }
                #expect(try CommandRun(command).status == 0)
                #expect(try bench.isWhole(target))
            }
            bench.remove(target)
            let names = try FileManager.default.contentsOfDirectory(atPath: bench.shop.directory.path)
            #expect(names.filter { $0.contains("unfinished") || $0.hasSuffix(".tmp") } == [])
        }
    }

    @Test("A replacement that is ended leaves the former store or the copy, and the next one succeeds", arguments: kinds)
    func replacements(kind: String) throws {
        var bench = try Bench(kind)
        let copy = bench.shop.directory.file("copy")
        try #require(try bench.shop.run("backup", bench.store, copy).status == 0)
        for command in [["restore", copy, bench.store], ["backup", bench.store, copy, "--replace"], ["compact", bench.store]] {
            let longest = try bench.duration(command)
            for number in InterruptTests.signals {
                expectEnd(try bench.interrupt(command, by: number, longest: longest), number)
                #expect(try bench.isWhole(bench.store))
                #expect(try bench.isWhole(copy))
                #expect(try CommandRun(command).status == 0)
            }
        }
        #expect(try bench.isWhole(bench.store))
    }

    @Test("An import that is ended leaves whole transactions, and prints how many rows they are", arguments: kinds)
    func imports(kind: String) throws {
        var bench = try Bench(kind)
        let rows = (0..<12_000).map { "\($0)\n" }.joined()
        let file = try bench.shop.write("total\n" + rows, to: "orders.csv")
        func count() throws -> Int { Int(try bench.shop.run("count", bench.store, "Order").output.dropLast()) ?? -1 }
        let longest = try bench.duration(["import", bench.store, "Order", file])
        for number in InterruptTests.signals {
            let before = try count()
            let end = try bench.interrupt(["import", bench.store, "Order", file, "--json"], by: number, longest: longest)
            expectEnd(end, number)
            let imported = try count() - before
            // A signal that ends it before its first row is not answered; others let it finish the rows that it has read.
            if number == SIGKILL { #expect([0, 5_000, 10_000, 12_000].contains(imported), "\(imported)") }
            if end.status == 0 { #expect(imported == 12_000) }
            #expect(try bench.isWhole(bench.store))
        }
    }

    @Test("A migration that is ended leaves a store of one of the two versions, and the next one succeeds", arguments: kinds)
    func migrations(kind: String) throws {
        var bench = try Bench(kind)
        let model = try VersionTests.secondVersion(in: bench.shop)
        let kept = bench.shop.directory.file("kept")
        try #require(try bench.shop.run("backup", bench.store, kept).status == 0)
        let command = ["migrate", bench.store, "--to", model, "--apply", "--lose-data"]
        let longest = try bench.duration(command)
        for number in InterruptTests.signals {
            try #require(try bench.shop.run("restore", kept, bench.store).status == 0)
            expectEnd(try bench.interrupt(command, by: number, longest: longest), number)
            #expect(try bench.isWhole(bench.store))
            #expect(try CommandRun(command).status == 0)
            #expect(try bench.isWhole(bench.store))
            #expect(try bench.shop.run("check", bench.store, "--model", model).status == 0)
        }
    }
}
