import FoundationEssentials
import StrataModelFiles
import StrataTestSupport
import Testing

/// Each message of a model's source that is refused.
@Suite("Messages of model sources") struct SourceMessageTests {
    private func message(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch { return (error as? ModelFileError)?.message ?? "\(error)" }
    }

    private func message(_ text: String) -> String? { message { _ = try SampleSource.file(text).model() } }

    @Test(
        "Malformed XML is refused with the reason",
        arguments: [
            ("", "the text has no element"), ("<model>", "the text ends within the element model of line 1"),
            ("<model></model><model/>", "something stands behind the root element"),
            ("<model></entity>", "the element entity ends where it did not begin"),
            ("<model a='1' a='2'/>", "the element model has the attribute a twice"),
            ("<model a='1'b='2'/>", "the element model is not closed"), ("<model a=1/>", "the attribute a has no value in quotation marks"),
            ("<model a/>", "a = is missing"), ("<1/>", "a name is missing"), ("<model a=\"<\"/>", "a value has a < that is not escaped"),
            ("<model>&unknown;</model>", "the text refers to unknown, which is not known"), ("<model>&</model>", "an & is not escaped"),
            ("<model>\u{1}</model>", "the text has a control character"), ("<model><!-- </model>", "<!-- has no end"),
            ("<model><![CDATA[ </model>", "a CDATA section has no end"),
            ("<?xml version='1.0' encoding='UTF-16'?><model/>", "the text is declared to be in another encoding than UTF-8"),
            ("<!DOCTYPE model><model/>", "a document type is not allowed"),
            ("<model><!ENTITY a \"b\"></model>", "a declaration is not allowed"),
        ]) func malformed(_ text: String, _ message: String)
    {
        #expect(self.message(text) == message)
    }

    @Test("Bytes that are not UTF-8 are refused") func encoding() {
        #expect(message { _ = try SampleSource.file([0x3C, 0x61, 0xFF, 0x2F, 0x3E]) } == "the text is not in UTF-8")
    }

    @Test(
        "A document that is not a model of this version is refused",
        arguments: [
            ("<plan/>", "the root element is plan and not model"),
            ("<model type=\"com.example.Drawing\"/>", "the document is of type com.example.Drawing"),
            ("<model documentVersion=\"2.0\"/>", "the document has version 2.0, later than 1.0"),
            ("<model documentVersion=\"new\"/>", "documentVersion cannot be \"new\""),
        ]) func documents(_ text: String, _ message: String)
    {
        #expect(self.message(text) == message)
    }

    @Test(
        "An element that lacks an attribute, or has an invalid one, is refused",
        arguments: [
            ("<entity/>", "the element entity has no name"),
            ("<entity name=\"A\"><fetchedProperty name=\"x\"/></entity>", "the fetched property has no fetchRequest"),
            ("<entity name=\"A\" isAbstract=\"perhaps\"/>", "isAbstract cannot be \"perhaps\""),
            (
                "<entity name=\"A\"><relationship name=\"x\" destinationEntity=\"A\" deletionRule=\"Shrug\"/></entity>",
                "deletionRule cannot be \"Shrug\""
            ),
            ("<fetchRequest name=\"f\" entity=\"A\" fetchLimit=\"-1\"/>", "fetchLimit cannot be \"-1\""),
            ("<entity name=\"A\"><attribute name=\"x\" attributeType=\"Shoe\"/></entity>", "attributeType cannot be " + "\"Shoe\""),
            ("<entity name=\"A\"><userInfo><entry/></userInfo></entity>", "an entry of the user info has no key"),
            ("<compositeAttribute name=\"C\"/><compositeAttribute name=\"C\"/>", "two composite attributes have this name"),
            (
                """
                <compositeAttribute name="C"><attribute name="x" attributeType="Composite" elementName="C"/></compositeAttribute>
                <entity name="A"><attribute name="c" attributeType="Composite" elementName="C"/></entity>
                """, "the composite attribute C contains itself"
            ),
        ]) func elements(_ text: String, _ message: String)
    {
        #expect(self.message(SampleSource.model(text)) == message)
    }

    @Test("A document beyond a limit is refused with the limit") func documentLimits() {
        var limits = ModelFileLimits()
        (limits.elements, limits.bytes, limits.nesting) = (3, 60, 2)
        func message(_ text: String) -> String? { self.message { _ = try ModelDocument(parsing: text.utf8, limits: limits) } }
        #expect(message("<a><b/><b/><c/></a>") == "there are more than 3 elements")
        #expect(message("<a><b><c/></b></a>") == "more than 2 elements are within each other")
        #expect(message("<a>\(String(repeating: " ", count: 60))</a>") == "the file has 67 bytes; 60 are allowed")
    }

    @Test("A model beyond a limit is refused with the limit") func modelLimits() throws {
        func message(_ text: String, _ change: (inout ModelFileLimits) -> Void) throws -> String? {
            var limits = ModelFileLimits()
            change(&limits)
            let document = try ModelDocument(parsing: SampleSource.model(text).utf8)
            return self.message { _ = try ModelFile(document: document, limits: limits).model() }
        }
        let chain = "<entity name=\"A\"/><entity name=\"B\" parentEntity=\"A\"/><entity name=\"C\" parentEntity=\"B\"/>"
        #expect(try message(chain) { $0.entities = 2 } == "there are more than 2 entities")
        #expect(try message(chain) { $0.nesting = 2 } == "the entity has more than 2 ancestors")
        let related = "<relationship name=\"r\" destinationEntity=\"A\"/><relationship name=\"s\" destinationEntity=\"A\"/>"
        #expect(try message("<entity name=\"A\">\(related)</entity>") { $0.relationships = 1 } == "there are more than 1 relationships")
        #expect(try message("<entity name=\"A\">\(related)</entity>") { $0.properties = 3 } == "there are more than 3 properties")
        let composite = """
            <compositeAttribute name="C"><attribute name="x" attributeType="Date"/><attribute name="y" attributeType="Date"/></compositeAttribute>
            <entity name="A"><attribute name="c" attributeType="Composite" elementName="C"/></entity>
            """
        #expect(try message(composite) { $0.properties = 1 } == "there are more than 1 elements of composite attributes")
    }
}
