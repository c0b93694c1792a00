import StrataModel

enum Models {
    /// Inheritance, clashing names, every kind of relationship.
    static func shop() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Author") {
                Attribute("name", .string)
                Relationship("books", to: "Book", inverse: "author", .ordered)
                Relationship("friends", to: "Author", inverse: "friends", .toMany)
            }
            Entity("Book") {
                Attribute("isbn", .string)
                Attribute("pages", .integer32)
                Attribute("price", .decimal)
                Attribute("printed", .date)
                Attribute("weight", .double)
                Attribute("link", .uri)
                Attribute("id", .uuid)
                Attribute("cover", .transformable)
                Attribute("scan", .binary).externalStorage
                Relationship("author", to: "Author", inverse: "books")
                Relationship("tags", to: "Tag", inverse: "books", .ordered)
                Unique("isbn")
                FetchIndex("byPages", on: "pages", .init("weight", ascending: false))
            }
            Entity("Comic", parent: "Book") {
                Attribute("isColoured", .boolean)
                Attribute("text", .string)
                Relationship("sequel", to: "Novel", inverse: "prequel")
                Unique("pages")
            }
            Entity("Novel", parent: "Book") {
                Attribute("Text", .string)
                Relationship("prequel", to: "Comic", inverse: "sequel")
            }
            Entity("Tag") {
                Attribute("word", .string)
                Relationship("books", to: "Book", inverse: "tags", .toMany)
                Relationship("favourite", to: "Book")
            }
            Entity("Shelf") {
                Relationship("stock", to: "Book", .toMany)
            }
        }
    }
}
