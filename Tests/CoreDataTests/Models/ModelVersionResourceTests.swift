import CoreData
import Testing

@Suite("Versions of a model among resources")
struct ModelVersionResourceTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    private func makeVersions() throws {
        for version in ["Shop", "Shop 2"] {
            let directory = folder.appendingPathComponent("Shop.xcdatamodeld/\(version).xcdatamodel")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try Data("<model><entity name=\"Article\"/></model>".utf8).write(to: directory.appendingPathComponent("contents"))
        }
    }

    /// `Bundle.url(forResource:withExtension:subdirectory:)` found no version in the folder of a model whose source was copied: most migrators ask so.
    @Test("The versions of a model are found in its folder, by the names of compiled ones")
    func versions() throws {
        try makeVersions()
        defer { try? FileManager.default.removeItem(at: folder) }
        let mapping = folder.appendingPathComponent("Shop.xcmappingmodel")
        try FileManager.default.createDirectory(at: mapping, withIntermediateDirectories: true)
        let bundle = try #require(Bundle(path: folder.path))
        #expect(bundle.urls(forResourcesWithExtension: "momd", subdirectory: nil)?.map(\.lastPathComponent) == ["Shop.xcdatamodeld"])
        #expect(
            bundle.paths(forResourcesOfType: "momd", inDirectory: nil).map { ($0 as NSString).lastPathComponent } == ["Shop.xcdatamodeld"])
        #expect(bundle.urls(forResourcesWithExtension: "cdm", subdirectory: nil)?.map(\.lastPathComponent) == ["Shop.xcmappingmodel"])
        #expect(bundle.url(forResource: "Shop", withExtension: "cdm")?.lastPathComponent == "Shop.xcmappingmodel")
        #expect(bundle.urls(forResourcesWithExtension: "mom", subdirectory: nil)?.isEmpty != false)
        let second = try #require(bundle.url(forResource: "Shop 2", withExtension: "mom", subdirectory: "Shop.momd"))
        #expect(NSManagedObjectModel(contentsOf: second)?.entitiesByName.keys.sorted() == ["Article"])
        #expect(bundle.urls(forResourcesWithExtension: "mom", subdirectory: "Shop.momd")?.count == 2)
        #expect(bundle.url(forResource: "Shop 3", withExtension: "mom", subdirectory: "Shop.momd") == nil)
    }

    /// A name in an optional variable took Foundation's method, which finds no model.
    @Test("A model is found by an optional name, and the first one by none", arguments: ["Shop", nil])
    func optionalName(name: String?) throws {
        try makeVersions()
        defer { try? FileManager.default.removeItem(at: folder) }
        let bundle = try #require(Bundle(path: folder.path))
        let (none, models): (String?, String?) = (nil, "Shop.momd")
        let model = try #require(bundle.url(forResource: name, withExtension: "momd"))
        #expect(model.lastPathComponent == "Shop.xcdatamodeld")
        #expect(bundle.path(forResource: name, ofType: "momd") == model.path)
        #expect(bundle.url(forResource: name, withExtension: "momd", subdirectory: none) == model)
        #expect(bundle.path(forResource: name, ofType: "momd", inDirectory: none) == model.path)
        let version = try #require(bundle.url(forResource: name, withExtension: "mom", subdirectory: models))
        #expect(NSManagedObjectModel(contentsOf: version) != nil)
        #expect(bundle.path(forResource: name, ofType: "mom", inDirectory: models) == version.path)
        #expect(bundle.url(forResource: name, withExtension: "json") == nil)
    }
}
