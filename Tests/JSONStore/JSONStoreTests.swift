import FoundationEssentials
import Strata
import StrataConformance
import StrataInMemory
import Testing

@Suite("The store of the guide")
struct JSONStoreTests {
    private static let json = StoreHarness("json", isPersistent: true, isFileBased: true, keepsHistory: true) { directory, name in
        StoreDescription(.json, path: "\(directory)/\(name).json")
    }

    private static let inMemory = StoreHarness("in memory", isPersistent: false, isFileBased: false, keepsHistory: true) { _, _ in
        StoreDescription(.inMemory)
    }

    @Test("A JSON store does what every store does, alone and beside one in memory", arguments: StoreConformance.cases)
    func conformance(_ item: ConformanceCase) async throws {
        _ = try await item.run(on: JSONStoreTests.json, with: [JSONStoreTests.inMemory])
    }
}
