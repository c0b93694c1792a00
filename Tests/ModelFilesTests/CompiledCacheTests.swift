import FoundationEssentials
import StrataModel
import StrataModelFiles
import StrataTestSupport
import Testing

/// Core Data's caches of compiled models, `.omo`, of which nothing is read.
@Suite("Caches of compiled models") struct CompiledCacheTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func bundle(_ files: [String], current: String) throws -> String {
        let path = directory.file("Shop.momd")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        for file in files {
            let bytes = file.hasSuffix(".mom") ? XcodeToleranceTests.archive([:]) : Array("momv2$".utf8)
            try Data(bytes).write(to: URL(filePath: "\(path)/\(file)"))
        }
        let list = "<plist><dict><key>NSManagedObjectModel_CurrentVersionName</key><string>\(current)</string></dict></plist>"
        try Data(list.utf8).write(to: URL(filePath: "\(path)/VersionInfo.plist"))
        return path
    }

    @Test("A cache beside a compiled version changes nothing, and its path is that of the version, with a warning")
    func caches() throws {
        let path = try bundle(["Shop.mom", "Shop 2.mom", "Shop 2.omo"], current: "Shop 2")
        let file = try ModelFile(contentsOf: path)
        #expect(file.versions.map(\.name) == ["Shop", "Shop 2"])
        #expect(file.currentVersionName == "Shop 2")
        #expect(file.warnings.isEmpty)
        #expect(try file.model().entities.map(\.name) == ["A"])
        let cached = try ModelFile(contentsOf: path + "/Shop 2.omo")
        #expect(try cached.model().entities.map(\.name) == ["A"])
        #expect(cached.warnings.map(\.kind) == [.leftOut])
        #expect(cached.warnings.map(\.version) == ["Shop 2"])
    }

    @Test("A version that has only a cache is known by name, and the other versions are read") func onlyCaches() throws {
        let path = try bundle(["Shop.mom", "Shop 2.omo"], current: "Shop 2.omo")
        let file = try ModelFile(contentsOf: path)
        #expect(file.versions.map(\.name) == ["Shop", "Shop 2"])
        #expect(file.currentVersionName == "Shop 2")
        #expect(try file.model(version: "Shop").entities.map(\.name) == ["A"])
        #expect(file.warnings.map(\.version) == ["Shop 2"])
        #expect(file.warnings.map(\.element) == ["model"])
        let message = "the version has no .mom, only Core Data's cache of it, whose format is not known"
        for body in [{ _ = try file.model() }, { _ = try ModelFile(contentsOf: path + "/Shop 2.omo") }] as [() throws -> Void] {
            let error = #expect(throws: ModelFileError.self, performing: body)
            #expect(error?.code == .missingContents)
            #expect(error?.message == message)
            #expect(error?.path?.hasSuffix("Shop.momd/Shop 2.omo") == true)
        }
    }
}
