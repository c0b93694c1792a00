import Strata
import StrataTestModels

extension Models {
    /// Libraries with books, whose attributes are derived of themselves and of each other.
    static let derived = ModelResult.declared {
        Entity("Library") {
            Attribute("name", .string)
            Attribute("bookCount", .integer32).derived("books.@count")
            Attribute("pageSum", .integer64).derived("books.pages.@sum")
            Attribute("weightSum", .double).derived("books.weight.@sum")
            Attribute("heaviest", .double).derived("@max.books.weight")
            Attribute("readerCount", .integer32).derived("readers.@count")
            Attribute("ageSum", .integer64).derived("readers.age.@sum")
            Relationships([
                "books": .toMany("Book.library"), "readers": .toMany("Reader.libraries"), "city": .toOne("City.libraries"),
            ])
        }
        Entity("City") {
            Attribute("name", .string)
            Attribute("bookSum", .integer64).derived("libraries.bookCount.@sum")
            Relationship("libraries", to: "Library", inverse: "city", .toMany)
        }
        Entity("Book") {
            Attributes(["name": .string, "pages": .integer64, "weight": .double])
            Attribute("folded", .string).derived("canonical:(name)")
            Attribute("loud", .string).derived("uppercase:(name)")
            Attribute("quiet", .string).derived("lowercase:(name)")
            Attribute("copy", .string).derived("name")
            Attribute("area", .double).derived("pages * weight")
            Attribute("libraryName", .string).derived("library.name")
            Attribute("upperLibraryName", .string).derived("uppercase:(libraryName)")
            Attribute("town", .string).derived("library.city.name")
            Attribute("savedAt", .date).derived("now()")
            Relationship("library", to: "Library", inverse: "books")
        }
        Entity("Atlas", parent: "Book") {
            Attribute("scale", .integer32)
            Attribute("detail", .integer64).derived("scale * pages")
        }
        Entity("Reader") {
            Attributes(["name": .string, "age": .integer16])
            Attribute("libraryCount", .integer32).derived("libraries.@count")
            Relationship("libraries", to: "Library", inverse: "readers", .toMany)
        }
    }
}
