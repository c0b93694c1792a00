import Foundation
import StrataTestSupport
import Testing

/// What an object may cost, in calls of the runtime and of the heap: they are the same on every machine, whatever else that does.
///
/// The ceilings are a few percent above what was counted in a debug build as `make test` makes it; who lowers a cost lowers them.
@Suite(.serialized, .enabled(if: isCountedBuild && CountLibrary.path != nil))
struct CountTests {
    @Test("No step of the in-memory store counts references, or allocates, above its ceiling for an object")
    func inMemory() throws { try check("in-memory", Ceiling.inMemory) }

    @Test("No step of the SQLite store counts references, or allocates, above its ceiling for an object")
    func sqlite() throws { try check("sqlite", Ceiling.sqlite) }

    @Test("No step of the LMDB store counts references, or allocates, above its ceiling for an object")
    func lmdb() throws { try check("lmdb", Ceiling.lmdb) }

    private func check(_ store: String, _ ceilings: [String: Ceiling]) throws {
        let counts = try PerObject.counted(store)
        #expect(Set(counts.keys) == Set(ceilings.keys))
        for (step, counted) in counts.sorted(by: { $0.key < $1.key }) {
            let ceiling = try #require(ceilings[step], "no ceiling for \(step): \(counted)")
            #expect(counted.references <= ceiling.references, "retains and releases of \(step): \(counted)")
            #expect(counted.allocations <= ceiling.allocations, "allocations of \(step): \(counted)")
        }
    }
}

/// Whether the modules are optimized as `make test` has them.
private let isCountedBuild = ProcessInfo.processInfo.environment["STRATA_TEST_BUILD"] == "debug"

/// The library that counts, preloaded into the worker.
enum CountLibrary {
    /// The path of the library; `nil`, after a line that says why, where no compiler makes it.
    static let path: String? = build()

    private static let directory = Result { try TemporaryDirectory.ofProcess("strata-counts") }

    private static func build() -> String? {
        guard let directory = try? directory.get() else { return nil }
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path
        return PreloadedLibrary.compile(
            ["\(tests)/CountShim/counts.c"], as: "libstratacounts.so", in: directory, without: "References and allocations are not counted")
    }
}

/// What one object cost in a step.
struct PerObject {
    let retains: Double
    let releases: Double
    let allocations: Double
    let bytes: Double

    var references: Double { retains + releases }

    /// Runs the worker; returns what it counted, by step.
    static func counted(_ store: String) throws -> [String: PerObject] {
        let directory = try TemporaryDirectory()
        var environment = ["SWIFT_DETERMINISTIC_HASHING": "1"]
        environment["LD_PRELOAD"] = CountLibrary.path
        let worker = try ChildProcess("StrataCountWorker", [store, directory.path], environment: environment)
        var counts: [String: PerObject] = [:]
        while let line = try worker.nextLine(), line != "end" {
            let words = line.split(separator: "\t").map(String.init)
            let numbers = words.dropFirst().compactMap(Double.init)
            try #require(numbers.count == 6, "the worker says \(line)")
            let per = numbers.dropFirst().map { $0 / numbers[0] }
            counts[words[0]] = PerObject(retains: per[0], releases: per[1], allocations: per[2], bytes: per[4])
        }
        return counts
    }
}
