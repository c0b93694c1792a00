import FoundationEssentials
import StrataModel
import StrataModelFiles
import StrataTestSupport
import Testing

/// Each message of a mapping model's file that is refused.
@Suite("Messages of mapping models in files") struct MappingFileMessageTests {
    private func model(_ attribute: String) throws -> ManagedObjectModel {
        try ManagedObjectModel { Entity("Person") { Attribute(attribute, .string) } }
    }

    private func message(_ text: String) throws -> String? {
        let (source, destination) = (try model("name"), try model("label"))
        do throws(ModelFileError) {
            _ = try MappingFile(parsing: Array(text.utf8)).mapping(from: source, to: destination)
            return nil
        } catch { return error.message }
    }

    private static func replacing(_ text: String, _ other: String) -> String { MappingText.named.replacing(text, with: other) }

    @Test(
        "A file that is not a mapping model, or a damaged one, is refused with the reason",
        arguments: [
            ("<model/>", "the file is no mapping model: its root is no database"),
            ("<database></database>", "the file is no mapping model: it has 0 objects of the type XDDEVMAPPINGMODEL"),
            ("<database><object type=\"XDDEVMAPPINGMODEL\"/></database>", "an object has no id, or no type"),
            ("<database><object type=\"A\" id=\"z1\"><attribute/></object></database>", "it has no name"),
            (replacing("idrefs=\"z102\"", "idrefs=\"z9\""), "there is no object z9 of the type XDDEVATTRIBUTEMAPPING"),
            (replacing("id=\"z104\"", "id=\"z103\""), "two objects have the id z103"),
            (replacing("<attribute name=\"name\" type=\"string\">label</attribute>", ""), "a property mapping has no name"),
            (
                replacing("name=\"sourcefilterpredicatestring\"", "name=\"sourceexpressiondata\"")
                    .replacing("type=\"bool\">1<", with: "type=\"bool\">0<"),
                "it has an expression of its own for the objects of the source; a condition can be read, and a fetch cannot"
            ),
            (MappingText.text(expression: "A"), "valueexpressiondata is not in base64"),
            (MappingText.text(expression: "AAAA"), "the bytes are no binary property list"),
            (
                MappingText.text(expression: Data(Archived.text("x").archive).base64EncodedString()),
                "the archive has no root"
            ),
            (MappingText.text(expression: "", entity: "Cat"), "the source has no entity Cat"),
            (
                MappingText.text(expression: "").replacing(">Person</attribute>", with: ">Dog</attribute>")
                    .replacing("name=\"sourcename\" type=\"string\">Dog", with: "name=\"sourcename\" type=\"string\">Person"),
                "the destination has no entity Dog"
            ),
            (MappingText.text(expression: "", attribute: "title"), "the destination's entity Person has no property title"),
        ]) func files(_ text: String, _ message: String) throws
    {
        #expect(try self.message(text) == message)
    }
}
