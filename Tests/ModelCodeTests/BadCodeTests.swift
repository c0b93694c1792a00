import StrataModelCode
import StrataModelFiles
import Testing

@Suite("What cannot be code") struct BadCodeTests {
    static let cases: [(String, element: String, line: Int, message: String)] = [
        (
            "<entity name=\"A\" representedClassName=\"A\" codeGenerationType=\"class\">\n"
                + "<attribute name=\"isDeleted\" optional=\"YES\" attributeType=\"Boolean\"/>\n</entity>",
            "entity A/attribute isDeleted", 4, "managed objects have a member of this name, so that no property can have it"
        ),
        (
            "<entity name=\"A\" representedClassName=\"A\" codeGenerationType=\"class\">\n"
                + "<attribute name=\"a`b\" optional=\"YES\" attributeType=\"Boolean\"/>\n</entity>",
            "entity A/attribute a`b", 4, "no property in Swift can have this name"
        ),
        (
            "<entity name=\"A\" representedClassName=\"A\" codeGenerationType=\"class\">\n"
                + "<attribute name=\"a\" optional=\"YES\" attributeType=\"Transformable\" customClassName=\"X { }; import Y\"/>\n</entity>",
            "entity A/attribute a", 4, "the class \"X { }; import Y\" is not the name of a Swift type"
        ),
        (
            "<entity name=\"A\" representedClassName=\"Shop.Outer.A\" codeGenerationType=\"class\"/>", "entity A", 3,
            "a class Outer.A cannot be generated: it is no name of a class at the top of a module"
        ),
        (
            "<entity name=\"A\" representedClassName=\"A { }\" codeGenerationType=\"class\"/>", "entity A", 3,
            "a class `A { }` cannot be generated: it is no name of a class at the top of a module"
        ),
        ("<entity name=\"A\" representedClassName=\"A`\"/>", "entity A", 3, "A` is not the name of a class in Swift"),
        (
            "<entity name=\"A\" representedClassName=\"A\" codeGenerationType=\"class\"/>\n"
                + "<entity name=\"B\" representedClassName=\"A\" codeGenerationType=\"class\"/>",
            "entity B", 4, "the class A would be generated for the entity A too"
        ),
        (
            "<entity name=\"A\" representedClassName=\"A\" codeGenerationType=\"magic\"/>", "entity A", 3,
            "the code generation \"magic\" is not known"
        ),
        (
            "<entity name=\"A\" representedClassName=\"ShopModel\" codeGenerationType=\"class\"/>", "entity A", 3,
            "the class ShopModel has the name of the declaration of the model"
        ),
        (
            "<entity name=\"A\" representedClassName=\"A\" codeGenerationType=\"class\"/>\n<fetchRequest name=\"a`b\" entity=\"A\"/>",
            "entity A", 3, "no function can be named as the fetch request a`b"
        ),
        (
            "<entity name=\"A\" representedClassName=\"A\" codeGenerationType=\"class\"/>\n"
                + "<fetchRequest name=\"all\" entity=\"A\"/><fetchRequest name=\"All\" entity=\"A\"/>",
            "entity A", 3, "two fetch requests would be functions all"
        ),
        (
            "<entity name=\"A\" representedClassName=\"A\" codeGenerationType=\"class\"/>\n"
                + "<fetchRequest name=\"all\" entity=\"A\" predicateString=\"x == $#&quot;a`b&quot;\"/>",
            "entity A", 3, "the fetch request all has a variable a`b, which no parameter can be named"
        ),
    ]

    @Test("An error names the entity, the property and the line", arguments: cases)
    func anErrorNames(_ elements: String, _ element: String, _ line: Int, _ message: String) throws {
        let error = try #require(throws: ModelFileError.self) { try CodeSamples.code(elements) }
        #expect(error.code == .noCode)
        #expect(error.element == element)
        #expect(error.line == line)
        #expect(error.message == message)
    }

    @Test("A model that contradicts itself has no code") func contradictions() throws {
        let error = try #require(throws: ModelFileError.self) {
            try CodeSamples.code("<entity name=\"A\" parentEntity=\"Nobody\" representedClassName=\"A\" codeGenerationType=\"class\"/>")
        }
        #expect(error.code == .inconsistent)
    }

    @Test("A class with the name of the declaration of the model is refused") func theNameOfTheModel() throws {
        let error = try #require(throws: ModelFileError.self) {
            try CodeSamples.code("<entity name=\"A\" representedClassName=\"ShopModel\"/>")
        }
        #expect(error.message == "an entity's class has the name ShopModel, that of the model's declaration")
    }
}
