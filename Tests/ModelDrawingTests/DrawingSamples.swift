import StrataModel

/// Models that are drawn and compared.
enum DrawingSamples {
    static func library() throws -> ManagedObjectModel {
        try ManagedObjectModel(versionIdentifiers: ["1"]) {
            Entity("Person", isAbstract: true) {
                Attribute("name", .string).required
                Attribute("age", .integer16, default: 7, validation: [.range(0...150)])
                Unique("name")
            }
            Entity("Author", parent: "Person") { Relationship("books", to: "Book", inverse: "author", .ordered, deleteRule: .cascade) }
            Entity("Book") {
                Attribute("title", .string)
                Relationship("author", to: "Author", inverse: "books").required
                Relationship("sequels", to: "Book", .toMany)
                FetchIndex("byTitle", on: .init("title", ascending: false))
            }
            EntityConfiguration("Shelf", "Book")
            FetchTemplate("titled", entity: "Book", predicate: "title == $TITLE", limit: 3)
        }
    }

    /// A model whose texts are all that a drawing must not take as its own.
    static func hostile() throws -> ManagedObjectModel {
        let name = "<script>\"&'</svg>\n]--> }{ \u{1} 名前"
        return try ManagedObjectModel {
            Entity(name) {
                Attribute(name, .string)
                Relationship("a \" : b", to: name, .toMany)
            }
        }
    }

    /// A model of many entities, each of which leads to some of those before it.
    static func large(_ count: Int) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: (0..<count).map { number in
                Entity("Entity\(number)") {
                    for attribute in 0..<(number % 7 + 1) { Attribute("attribute\(attribute)", .string) }
                    if number > 0 { Relationship("parent", to: "Entity\((number - 1) / 3)") }
                    if number > 7 { Relationship("other", to: "Entity\(number - 7)", .toMany) }
                }
            })
    }
}
