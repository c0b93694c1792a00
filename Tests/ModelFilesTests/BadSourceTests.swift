import FoundationEssentials
import StrataModel
import StrataModelFiles
import StrataTestSupport
import Testing

@Suite struct BadSourceTests {
    private func refusal(_ text: String) -> ModelFileError? { refusal { _ = try SampleSource.file(text).model() } }

    private func refusal(_ body: () throws -> Void) -> ModelFileError? {
        do {
            try body()
            return nil
        } catch { return error as? ModelFileError }
    }

    @Test(
        "XML that is not well formed is refused, with its line",
        arguments: [
            ("", 1), ("<model>", 1), ("<model>\n<entity name=\"A\">\n</model>", 3), ("<model></model><model/>", 1),
            ("<model a='1' a='2'/>", 1),
            ("<model>\n\n&unknown;</model>", 3), ("<model a=\"<\"/>", 1), ("<model\na=1/>", 2), ("text", 1), ("<model a='1'b='2'/>", 1),
            ("<model a='&#0;'/>", 1), ("<model>\u{1}</model>", 1), ("<?xml version='1.0' encoding='UTF-16'?><model/>", 1), ("<1/>", 1),
            ("<model><!-- </model>", 1), ("<model><![CDATA[ </model>", 1), ("<model a='\n\n1", 3),
        ]) func xmlThatIsNotWell(_ text: String, _ line: Int)
    {
        let error = refusal(text)
        #expect(error?.code == .malformedXML)
        #expect(error?.line == line)
    }

    @Test("Bytes that are no UTF-8 are refused") func bytesThatAreNoUtf() {
        #expect(refusal { _ = try SampleSource.file([0x3C, 0x61, 0xFF, 0x2F, 0x3E]) }?.code == .malformedXML)
    }

    @Test(
        "Document types and declared entities are refused",
        arguments: [
            "<!DOCTYPE model><model/>", "<!DOCTYPE model [<!ENTITY a \"b\">]><model name=\"&a;\"/>",
            "<!DOCTYPE model SYSTEM \"file:///etc/passwd\"><model/>", "<model><!ENTITY a \"b\"></model>",
        ]) func documentTypesAndDeclaredEntities(_ text: String)
    {
        #expect(refusal(text)?.code == .documentType)
    }

    @Test("Nesting, elements, bytes, entities and ancestors are limited") func nestingElementsBytesEntitiesAnd() {
        let deep = String(repeating: "<a>", count: 100_000) + String(repeating: "</a>", count: 100_000)
        #expect(refusal(deep)?.code == .limitExceeded)
        var limits = ModelFileLimits()
        (limits.elements, limits.bytes) = (2, 40)
        #expect(refusal { _ = try ModelDocument(parsing: "<a><b/><c/></a>".utf8, limits: limits) }?.code == .limitExceeded)
        #expect(
            refusal { _ = try ModelDocument(parsing: "<a>\(String(repeating: " ", count: 40))</a>".utf8, limits: limits) }?.code
                == .limitExceeded)
        let entities = (0...10_000).map { "<entity name=\"E\($0)\"/>" }.joined()
        #expect(refusal(SampleSource.model(entities))?.code == .limitExceeded)
        let chain = (1...1_000).map { "<entity name=\"E\($0)\" parentEntity=\"E\($0 - 1)\"/>" }.joined()
        #expect(refusal(SampleSource.model("<entity name=\"E0\"/>" + chain))?.code == .limitExceeded)
    }

    @Test("Relationships are limited") func relationships() {
        let relationships = (0...4_000).map { "<relationship name=\"r\($0)\" destinationEntity=\"A\"/>" }.joined()
        #expect(refusal(SampleSource.model("<entity name=\"A\">\(relationships)</entity>"))?.code == .limitExceeded)
    }

    @Test("Inherited properties are counted in each entity") func inheritedPropertiesAreCountedIn() {
        let attributes = (0..<2_000).map { "<attribute name=\"a\($0)\" attributeType=\"String\"/>" }.joined()
        let heirs = (0..<500).map { "<entity name=\"E\($0)\" parentEntity=\"E\"/>" }.joined()
        #expect(refusal(SampleSource.model("<entity name=\"E\">\(attributes)</entity>" + heirs))?.code == .limitExceeded)
    }

    @Test(
        "Declarations that contradict each other are refused, with their place",
        arguments: [
            ("<entity name=\"A\" parentEntity=\"B\"/>", ModelError.Reason.unknownParent, "entity A"),
            ("<entity name=\"A\" parentEntity=\"B\"/>\n<entity name=\"B\" parentEntity=\"A\"/>", .inheritanceCycle, "entity A"),
            ("<entity name=\"A\"/><entity name=\"A\"/>", .duplicateName, "entity A"),
            (
                "<entity name=\"A\"><attribute name=\"x\" attributeType=\"Date\"/><attribute name=\"x\" attributeType=\"Date\"/></entity>",
                .duplicateName, "entity A/attribute x"
            ),
            ("<entity name=\"A\"/><configuration name=\"c\"/><configuration name=\"c\"/>", .duplicateName, "configuration c"),
            (
                "<entity name=\"A\"/><fetchRequest name=\"f\" entity=\"A\"/><fetchRequest name=\"f\" entity=\"A\"/>", .duplicateName,
                "fetchRequest f"
            ),
            (
                "<entity name=\"A\"><relationship name=\"x\" destinationEntity=\"B\"/></entity>", .unknownDestination,
                "entity A/relationship x"
            ),
            (
                "<entity name=\"A\"><relationship name=\"x\" destinationEntity=\"A\" inverseName=\"y\"/></entity>", .unknownInverse,
                "entity A/relationship x"
            ),
            ("<entity name=\"A\"><attribute name=\"x\"/></entity>", .undefinedType, "entity A/attribute x"),
            (
                "<entity name=\"A\"><relationship name=\"x\" toMany=\"YES\" minCount=\"5\" maxCount=\"3\" destinationEntity=\"A\"/></entity>",
                .illegalCount, "entity A/relationship x"
            ),
            (
                "<entity name=\"A\"><fetchIndex name=\"x\"><fetchIndexElement property=\"y\"/></fetchIndex></entity>", .unknownProperty,
                "entity A/y"
            ),
            (
                "<entity name=\"A\"><attribute name=\"x\" attributeType=\"Double\" minValueString=\"5\" maxValueString=\"3\"/></entity>",
                .illegalRule, "entity A/attribute x"
            ),
        ]) func declarationsThatContradictEachOther(_ text: String, _ reason: ModelError.Reason, _ place: String)
    {
        let error = refusal(SampleSource.model(text))
        #expect(error?.code == .inconsistent)
        #expect(error?.reason == reason)
        #expect(error?.element == place)
        #expect(error?.line == 3)
        #expect(error?.path?.hasSuffix("Shop.xcdatamodel/contents") == true)
    }

    @Test(
        "Values that mean nothing are refused",
        arguments: [
            ("<entity/>", ModelFileError.Code.missingAttribute), ("<entity name=\"\"/>", .missingAttribute),
            ("<entity name=\"A\"><relationship name=\"x\"/></entity>", .missingAttribute),
            ("<entity name=\"A\"><fetchedProperty name=\"x\"/></entity>", .missingAttribute),
            ("<entity name=\"A\" isAbstract=\"perhaps\"/>", .invalidValue),
            ("<entity name=\"A\"><attribute name=\"x\" attributeType=\"Quaternion\"/></entity>", .invalidValue),
            ("<entity name=\"A\"><attribute name=\"x\" attributeType=\"Date\" minDateTimeInterval=\"nan\"/></entity>", .invalidValue),
            ("<entity name=\"A\"><attribute name=\"x\" attributeType=\"Double\" minValueString=\"nan\"/></entity>", .invalidValue),
            ("<entity name=\"A\"><relationship name=\"x\" destinationEntity=\"A\" deletionRule=\"Shrug\"/></entity>", .invalidValue),
            (
                "<entity name=\"A\"><relationship name=\"x\" destinationEntity=\"A\" minCount=\"99999999999999999999\"/></entity>",
                .invalidValue
            ),
        ]) func valuesThatMeanNothingAre(_ text: String, _ code: ModelFileError.Code)
    {
        #expect(refusal(SampleSource.model(text))?.code == code)
    }

    @Test("A document of a later version, and one of another kind, are refused") func aDocumentOfALater() {
        #expect(refusal("<model documentVersion=\"2.0\"/>")?.code == .newerDocument)
        #expect(refusal("<model type=\"com.example.Drawing\"/>")?.code == .notAModel)
        #expect(refusal("<plan/>")?.code == .notAModel)
    }

    @Test("A path without a model is refused") func aPathThatLeadsTo() throws {
        let directory = try TemporaryDirectory()
        for (path, code) in [
            ("None.xcdatamodel", ModelFileError.Code.unreadable), ("Empty.xcdatamodel", .missingContents),
            ("Empty.xcdatamodeld", .missingContents), ("Empty.folder", .notAModel),
        ] {
            if path.hasPrefix("Empty") {
                try FileManager.default.createDirectory(atPath: directory.file(path), withIntermediateDirectories: false)
            }
            #expect(refusal { _ = try ModelFile(contentsOf: directory.file(path)) }?.code == code)
        }
    }

    @Test("An error has its position, and is an NSError") func anErrorTellsItsPlace() throws {
        let error = try #require(refusal(SampleSource.model("<entity name=\"A\"><attribute name=\"x\"/></entity>")))
        #expect(error.description.hasSuffix("contents:3: entity A/attribute x: a persistent attribute has a type"))
        #expect(error.errorCode == 134060)
        #expect(ModelFileError.errorDomain == "NSCocoaErrorDomain")
    }
}
