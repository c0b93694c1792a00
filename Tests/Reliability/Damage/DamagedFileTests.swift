import Foundation
import StrataCrashWorker
import StrataTestRandom
import Testing

extension Reliability {
    /// Finds what trusts its file: bits are flipped and bytes cut off in every file of a store, those of large values and of an unfinished
    /// save too.
    @Suite("A damaged file")
    struct DamagedFileTests {
        @Test("of a store gives what was saved or a typed error, never other content", arguments: CrashMode.allCases)
        func closed(_ mode: CrashMode) throws {
            let directory = try LedgerDirectory(mode, options: ["checksums"])
            let report = try WorkerClient().run("ledger", directory.arguments("4"))
            #expect(report.has("saved 4"), "\(report.lines)")
            try damage(directory, "closed", 4...4, Effort.count(mode.isFederated ? 15 : 25, soak: 3000))
        }

        @Test(
            "beside a store that its process did not close does the same",
            .enabled(if: FaultShim.path != nil, "no compiler makes the preloaded library"), arguments: [CrashMode.sqlite, .lmdb])
        func killed(_ mode: CrashMode) throws {
            let directory = try killedSite(mode, at: { $0.contains("sync") })
            try damage(directory, "killed", 1...4, Effort.count(20, soak: 2000))
        }

        @Test(
            "of an unfinished save does the same", .enabled(if: FaultShim.path != nil, "no compiler makes the preloaded library"),
            arguments: [CrashMode.trio, .scattered], [true, false])
        func pending(_ mode: CrashMode, isDecided: Bool) throws {
            // The last file that is renamed to its name decides.
            let directory = try killedSite(mode, before: !isDecided, at: { $0.contains("rename") && $0.hasSuffix(".pending") })
            #expect(try directory.files().contains { $0.hasSuffix(".pending") })
            let state = isDecided ? 4 : 3
            try damage(directory, isDecided ? "decided" : "undecided", state...state, Effort.count(15, soak: 1000)) {
                $0.hasSuffix(".pending") || Bool.random(using: &$1)
            }
        }

        private func damage(
            _ directory: LedgerDirectory, _ name: String, _ states: ClosedRange<Int>, _ count: Int,
            where isChosen: (String, inout SeededGenerator) -> Bool = { _, _ in true }
        ) throws {
            var random = Effort.random("damage \(directory.mode) \(name)")
            // What processes share while they run, and what was not finished, is nothing that anybody reads.
            let files = try directory.files().filter { path in
                try !["-shm", "-lock", ".tmp"].contains(where: path.hasSuffix) && !directory.content(of: path).isEmpty
            }
            var cases: [DamageCase] = []
            while cases.count < count, let path = files.randomElement(using: &random) {
                // The files of large values are many, and alike.
                guard isChosen(path, &random), !path.contains("_EXTERNAL_DATA") || Int.random(in: 0..<3, using: &random) == 0 else {
                    continue
                }
                let size = try directory.content(of: path).count
                cases.append(DamageCase(directory: directory, path: path, damage: Damage(size: size, &random), states: states))
            }
            tryEach("damage of \(directory.mode), \(name)", cases) { try $1.violations($0) }
        }

        /// Stores whose process was killed at the last call of a kind in its fourth save.
        private func killedSite(_ mode: CrashMode, before: Bool = true, at isMeant: (String) -> Bool) throws -> LedgerDirectory {
            let calls = try CallList(of: mode, generations: 4, options: ["checksums"])
            let found = calls.lines.lastIndex(where: isMeant)
            let last = try #require(found)
            let directory = try LedgerDirectory(mode, options: ["checksums"])
            let plan = calls.plan(at: last, before ? .kill : .killAfter, count: 1, isWide: false)
            let report = try WorkerClient().run("ledger", directory.arguments("4"), plan: plan.text(directory.path))
            #expect(report.end == "signal 9", "\(report.lines)")
            return directory
        }
    }
}

/// One file with some damage.
private struct DamageCase: Sendable, CustomStringConvertible {
    let directory: LedgerDirectory
    let path: String
    let damage: Damage
    /// The generations that may be found.
    let states: ClosedRange<Int>

    var description: String { "\(directory.mode): \(path), \(damage)" }

    /// What may be said of a damaged file.
    private static let codes: Set<String> = [
        "corrupt", "foreign", "wrongType", "unsupportedVersion", "incompatibleModel", "inDoubt", "io", "tooLarge",
    ]

    func violations(_ client: WorkerClient) throws -> [String] {
        let copy = try LedgerDirectory(copying: directory)
        try copy.write(damage.applied(to: try copy.content(of: path)), to: path)
        let report = try client.run("verify", copy.arguments())
        guard report.end == "exit 0" else { return ["\(report.end): \(report.lines.suffix(3).joined(separator: " | "))"] }
        if let found = report.last("found").flatMap({ Int($0) }), !states.contains(found) { return ["found \(found)"] }
        if report.has("sound") || report.last("unsound") != nil { return [] }
        if let code = report.last("refused")?.split(separator: " ").first, DamageCase.codes.contains(String(code)) { return [] }
        return [report.lines.suffix(2).joined(separator: " | ")]
    }
}
