import StrataModel
import StrataModelDrawing
import Testing

@Suite("Models as text") struct TextTests {
    @Test("An outline has all that a model says") func outline() throws {
        #expect(
            ModelOutline(try DrawingSamples.library()).description == """
                entity Book
                    index byTitle (title descending)
                    attribute title: string, optional
                    relationship author: to-one Author, required, inverse books, delete rule nullify
                    relationship sequels: to-many Book, optional, delete rule nullify

                entity Person
                    abstract
                    unique (name)
                    attribute age: integer16, optional, default 7, range 0...150
                    attribute name: string, required

                entity Author
                    parent Person
                    relationship books: ordered to-many Book, optional, inverse author, delete rule cascade

                version identifier 1
                configuration Shelf: Book
                fetch request titled: Book where title == $TITLE, at most 3
                """)
    }

    @Test("A class diagram of Mermaid has entities, attributes, parents and relationships") func classDiagram() throws {
        #expect(
            MermaidDrawing.classDiagram(try DrawingSamples.library()) == """
                classDiagram
                    class E0["Book"]
                    E0 : string? title
                    class E1["Person"]
                    <<abstract>> E1
                    E1 : integer16? age
                    E1 : string name
                    class E2["Author"]
                    E1 <|-- E2
                    E0 "*" -- "1" E2 : author / books
                    E0 " " --> "*" E0 : sequels

                """)
    }

    @Test("An entity relationship diagram of Mermaid has crow's feet") func entityRelationshipDiagram() throws {
        #expect(
            MermaidDrawing.entityRelationshipDiagram(try DrawingSamples.library()) == """
                erDiagram
                    E0["Book"] {
                        string title "optional"
                    }
                    E1["Person"] {
                        integer16 age "optional"
                        string name
                    }
                    E2["Author"] {
                    }
                    E1 ||..o| E2 : "is"
                    E0 }o--|| E2 : "author / books"
                    E0 }o--o{ E0 : "sequels"

                """)
    }

    @Test("Texts of a model cannot end a line or a label") func hostileTexts() throws {
        let model = try DrawingSamples.hostile()
        let entity = try #require(model.entities.first)
        for text in [MermaidDrawing.classDiagram(model), MermaidDrawing.entityRelationshipDiagram(model)] {
            #expect(!text.contains("<script>"))
            #expect(!text.contains("a \" : b"))
            #expect(!text.contains(entity.name))
        }
        #expect(ModelOutline(model).description.split(separator: "\n").count == 3)
    }
}
