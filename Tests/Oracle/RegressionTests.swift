import Foundation
import StrataTestSupport
import Testing

/// Walks that failed once, shrunken: each file in `Regressions` is one, named after what went wrong.
@Suite("Walks that failed once")
struct RegressionTests {
    private static let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Regressions")

    static let names: [String] =
        ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []).filter { $0.hasSuffix(".json") }.sorted()

    @Test("A walk that failed once comes to what the oracle says", arguments: names, TestStore.allCases)
    func regression(_ name: String, _ store: TestStore) throws {
        let walk = try JSONDecoder().decode(Walk.self, from: Data(contentsOf: Self.directory.appending(path: name)))
        let failure = WalkRun.failure(walk, store)
        #expect(failure == nil)
    }
}
