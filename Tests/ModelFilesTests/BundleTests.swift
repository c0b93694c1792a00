import FoundationEssentials
import StrataModel
import StrataModelFiles
import StrataTestSupport
import Testing

@Suite struct BundleTests {
    private let versions = [
        "Shop": SampleSource.model("<entity name=\"A\"/>"), "Shop 2": SampleSource.model("<entity name=\"B\"/>"),
        "Shop 10": SampleSource.model("<entity name=\"C\"/>"),
    ]

    private func pointer(_ name: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        	<key>_XCCurrentVersionName</key>
        	<string>\(name)</string>
        </dict>
        </plist>
        """
    }

    @Test("All versions are read, and the model is that of the current one") func allVersionsAreReadAnd() throws {
        let directory = try TemporaryDirectory()
        let path = try SampleSource.bundle(versions, current: pointer("Shop 2.xcdatamodel"), in: directory)
        let file = try ModelFile(contentsOf: path + "/")
        #expect(file.versions.map(\.name) == ["Shop", "Shop 2", "Shop 10"])
        #expect(file.currentVersionName == "Shop 2")
        #expect(try file.model().entities.map(\.name) == ["B"])
        #expect(try file.model(version: "Shop 10").entities.map(\.name) == ["C"])
        let error = #expect(throws: ModelFileError.self) { try file.model(version: "Shop 3") }
        #expect(error?.code == .unknownVersion)
    }

    // A version of long ago that could not be read made the whole bundle unusable.
    @Test("A version that cannot be read stands in the way of itself only") func oneUnreadable() throws {
        let directory = try TemporaryDirectory()
        var versions = versions
        versions["Shop 2"] = "<model><entity"
        let path = try SampleSource.bundle(versions, current: pointer("Shop 10.xcdatamodel"), in: directory)
        let file = try ModelFile(contentsOf: path)
        #expect(file.versions.map(\.name) == ["Shop", "Shop 2", "Shop 10"])
        #expect(try file.model().entities.map(\.name) == ["C"])
        let error = #expect(throws: ModelFileError.self) { try file.model(version: "Shop 2") }
        #expect(error?.path?.hasSuffix("Shop 2.xcdatamodel/contents") == true)
        #expect(error?.line != nil)
        for pointer in [pointer("Shop 2.xcdatamodel"), nil] {
            let other = try TemporaryDirectory()
            let path = try SampleSource.bundle(versions, current: pointer, in: other)
            #expect(throws: ModelFileError.self) { try ModelFile(contentsOf: path) }
        }
    }

    @Test("Of several versions none is current unless one is named", arguments: [nil, "", "<plist version=\"1.0\"><dict/></plist>"])
    func ofSeveralVersionsNoneIs(
        _ pointer: String?
    ) throws {
        let directory = try TemporaryDirectory()
        let file = try ModelFile(contentsOf: try SampleSource.bundle(versions, current: pointer, in: directory))
        #expect(file.currentVersionName == nil)
        let error = #expect(throws: ModelFileError.self) { try file.model() }
        #expect(error?.code == .noCurrentVersion)
        let single = try TemporaryDirectory()
        let one = try SampleSource.bundle(["Shop": SampleSource.model("<entity name=\"A\"/>")], current: pointer, in: single)
        #expect(try ModelFile(contentsOf: one).currentVersionName == "Shop")
    }

    @Test(
        "A current version that cannot be found or read is refused",
        arguments: [
            (
                "<plist><dict><key>_XCCurrentVersionName</key><string>Gone.xcdatamodel</string></dict></plist>",
                ModelFileError.Code.unknownVersion
            ),
            ("<plist><dict><key>_XCCurrentVersionName</key></dict></plist>", .malformedArchive),
            ("<plist><dict><key>_XCCurrentVersionName</key><integer>2</integer></dict></plist>", .invalidValue),
            ("<plist><array/></plist>", .malformedArchive), ("<plist>", .malformedXML),
            ("<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><dict/></plist>", .documentType),
        ]) func aCurrentVersionThatCannot(_ pointer: String, _ code: ModelFileError.Code) throws
    {
        let directory = try TemporaryDirectory()
        let path = try SampleSource.bundle(versions, current: pointer, in: directory)
        let error = #expect(throws: ModelFileError.self) { try ModelFile(contentsOf: path) }
        #expect(error?.code == code)
        #expect(error?.path == path + "/.xccurrentversion")
    }
}
