import Foundation
import StrataModel
import StrataModelFiles
import StrataTestSupport
import Testing

/// How many of the models and mapping models that other programs wrote can be read, with the reason of each that cannot.
@Suite("Models of the fixtures that can be read", .enabled(if: Fixtures.areAvailable)) struct FixtureCountTests {
    /// Counts the items that `body` reads, and expects that it reads all.
    private func count<Item>(_ kind: String, _ items: [Item], _ body: (Item) throws -> Void) {
        var (read, refused) = (0, [String]())
        for item in items {
            do {
                try body(item)
                read += 1
            } catch { refused.append("\(item): \(error)") }
        }
        print("\(kind) of the fixtures that can be read: \(read) of \(items.count)")
        #expect(refused == [])
    }

    static func paths(_ suffix: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: Fixtures.path(""))?.compactMap { $0 as? String } ?? []
        return all.filter { $0.hasSuffix(suffix) }.sorted().map { Fixtures.path($0) }
    }

    @Test("Every source is read as a model", arguments: [".xcdatamodel", ".mom"]) func models(_ suffix: String) {
        count(suffix, Self.paths(suffix)) { _ = try ModelFile(contentsOf: $0).model() }
    }

    @Test("Every bundle is read", arguments: [".xcdatamodeld", ".momd"]) func bundles(_ suffix: String) {
        count(suffix, Self.paths(suffix)) { _ = try ModelFile(contentsOf: $0) }
    }

    @Test("Every mapping model is read") func mappings() {
        count("mapping models", Self.paths(".xcmappingmodel")) { _ = try MappingFile(contentsOf: $0) }
    }

    @Test("Every model in a store's cache is read") func caches() {
        count("cached models", AppleStore.withCache) { _ = try $0.cached?.get() }
    }
}
