import Foundation
import StrataConformance
import StrataHarnesses
import StrataTestSupport
import Testing

@Suite("The object graph keeps its laws", .timeLimit(.minutes(60)))
struct GraphConformanceTests {
    /// One store without a file and one with a file; a long run has all.
    private static let stores = ConformanceSelection.stores.filter {
        [.inMemory, .sqlite].contains($0) || ProcessInfo.processInfo.environment["STRATA_SOAK"] != nil
    }

    @Test(
        "The object graph keeps its laws in memory and on SQLite", arguments: ConformanceSelection.chosen(of: GraphConformance.cases),
        stores)
    func graph(_ item: ConformanceCase, _ store: TestStore) async throws {
        #expect(try await item.run(on: StoreHarness(store)) == .passed)
    }

    @Test("The names of cases are unique in both suites")
    func names() {
        let names = (StoreConformance.cases + GraphConformance.cases).map(\.name)
        #expect(Set(names).count == names.count)
    }

    @Test("Every file of cases is listed")
    func files() throws {
        #expect(try CaseFiles.unlisted(in: "Tests/GraphConformanceTests", list: "GraphConformance.swift") == [])
    }
}
