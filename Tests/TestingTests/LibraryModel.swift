#if Macros
    import Foundation
    import Strata

    @Model final class Shelf: ManagedObject {
        var name: String
        @Relationship(inverse: \Book.shelf) var books: Set<Book> = []

        init(name: String) { self.name = name }
    }

    @Model final class Book: ManagedObject {
        var title: String
        var pages = 0
        var price: Decimal?
        var printed: Date?
        var key: UUID?
        var shelf: Shelf?
        @Relationship(.ordered, inverse: \Reader.books) var readers: [Reader] = []

        init(title: String) { self.title = title }
    }

    @Model final class Reader: ManagedObject {
        var name: String
        var books: Set<Book> = []

        init(name: String) { self.name = name }
    }
#endif
