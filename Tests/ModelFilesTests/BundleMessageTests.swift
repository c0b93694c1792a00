import FoundationEssentials
import StrataModelFiles
import StrataPlatform
import StrataTestSupport
import Testing

/// Each message of a path where there is no model, and of a bundle whose versions are not told apart.
@Suite("Messages of paths and bundles") struct BundleMessageTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func message(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch { return (error as? ModelFileError)?.message ?? "\(error)" }
    }

    @Test("A path without a model is refused with the reason") func paths() throws {
        func message(_ name: String) -> String? { self.message { _ = try ModelFile(contentsOf: directory.file(name)) } }
        for name in ["Empty.xcdatamodel", "Empty.xcdatamodeld", "Empty.folder", "Directory.mom"] {
            try FileManager.default.createDirectory(atPath: directory.file(name), withIntermediateDirectories: false)
        }
        for name in ["File.xcdatamodel", "File.xcdatamodeld"] { try Data().write(to: URL(filePath: directory.file(name))) }
        #expect(message("None.mom") == "there is no such file or directory")
        #expect(message("Directory.mom") == "not a regular file")
        #expect(message("Empty.xcdatamodel") == "the model has no contents")
        #expect(message("Empty.xcdatamodeld") == "the bundle has no version")
        #expect(message("Empty.folder") == "a file with the extension \"folder\" is no model")
        #expect(message("File.xcdatamodel") == "a model is a directory")
        #expect(
            message("File.xcdatamodeld")
                == "the directory cannot be read: list \(directory.file("File.xcdatamodeld")): Not a directory (20)")
        #expect(self.message { _ = try ModelDocument(contentsOf: directory.file("None")) } == "there is no such file")
        try Data(repeating: 0, count: 10).write(to: URL(filePath: directory.file("Long.mom")))
        var limits = ModelFileLimits()
        limits.bytes = 9
        #expect(
            self.message { _ = try ModelFile(contentsOf: directory.file("Long.mom"), limits: limits) }
                == "the file has 10 bytes; 9 are allowed")
    }

    @Test("A file that cannot be opened is refused with the reason") func opening() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let path = directory.file("Shop.mom")
            try Data([1]).write(to: URL(filePath: path))
            // No descriptor is left.
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let left = limit.rlim_cur
            limit.rlim_cur = 0
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var message: String?
            do throws(ModelFileError) { _ = try ModelFile(contentsOf: path) } catch { message = error.message }
            limit.rlim_cur = left
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            #expect(message == "the file cannot be read: open \(path): Too many open files (24)")
        }
    }

    @Test("A directory without a mapping model is refused with the reason") func mappings() throws {
        let path = directory.file("Empty.xcmappingmodel")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(message { _ = try MappingFile(contentsOf: path) } == "the directory has no xcmapping.xml")
    }

    @Test("A version that is not there, or is one of too many, is refused with its name") func versions() throws {
        let model = SampleSource.model("<entity name=\"A\"/>")
        let path = try SampleSource.bundle(["Shop": model, "Shop 2": model], current: nil, in: directory)
        let file = try ModelFile(contentsOf: path)
        #expect(message { _ = try file.model() } == "none of the versions Shop, Shop 2 is said to be the current one")
        #expect(message { _ = try file.model(version: "Shop 3") } == "there is no version Shop 3 among Shop, Shop 2")
        var limits = ModelFileLimits()
        limits.versions = 1
        #expect(message { _ = try ModelFile(contentsOf: path, limits: limits) } == "the bundle has more than 1 versions")
    }

    @Test(
        "A property list that names no version of the bundle is refused with the reason",
        arguments: [
            (
                "<plist><dict><key>_XCCurrentVersionName</key><string>Gone.xcdatamodel</string></dict></plist>",
                "the current version Gone is not in the bundle"
            ),
            (
                "<plist><dict><key>_XCCurrentVersionName</key></dict></plist>",
                "a dictionary of the property list lacks a key or a value"
            ),
            ("<plist><dict><key>_XCCurrentVersionName</key><integer>2</integer></dict></plist>", "_XCCurrentVersionName is no text"),
            ("<plist><array/></plist>", "the property list is no dictionary"),
            ("bplist00", "the property list is damaged, or no dictionary"),
        ]) func pointers(_ pointer: String, _ message: String) throws
    {
        let path = try SampleSource.bundle(["Shop": SampleSource.model("<entity name=\"A\"/>")], current: pointer, in: directory)
        #expect(self.message { _ = try ModelFile(contentsOf: path) } == message)
    }
}
