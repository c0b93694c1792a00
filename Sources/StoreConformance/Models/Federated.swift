import Strata
import StrataTestModels

extension Models {
    /// Authors with their books, and readers, in configurations of their own; notes are in all of them.
    static let library = ModelResult.declared {
        Entity("Author", attributes: ["name": .string], relationships: ["books": .toMany("Book.author")])
        Entity("Book") {
            Attribute("name", .string)
            Relationships(["author": .toOne("Author.books"), "readers": .toMany("Reader.books")])
        }
        Entity("Reader") {
            Attributes(["name": .string, "card": .string])
            Relationships(["books": .toMany("Book.readers"), "favourite": .toOne("Author")])
            Unique("card")
        }
        Entity("Note") {
            Attributes(["name": .string, "n": .integer64, "x": .double])
            Relationships(["next": .toOne("Note.previous"), "previous": .toOne("Note.next")])
            FetchIndex("byN", on: "n")
        }
        EntityConfiguration("books", "Author", "Book", "Note")
        EntityConfiguration("people", "Reader", "Note")
        EntityConfiguration("notes", "Note")
    }
}

extension ConformanceEnvironment {
    /// Authors and books in a store of the harness, readers in a store of its partner.
    func library() throws -> ConformanceStack {
        try stack(
            try Models.library.get(),
            stores: [description("first", configuration: "books"), description("second", of: partner, configuration: "people")]
        )
    }

    /// The harness and its partners, two stores at least.
    var members: [StoreHarness] { partners.isEmpty ? [harness, harness] : [harness] + partners }

    /// Notes in a store of the harness and one of each partner.
    func notes() throws -> ConformanceStack {
        let stores = members.enumerated().map { description("store \($0)", of: $1, configuration: "notes") }
        return try stack(try Models.library.get(), stores: stores)
    }
}

extension ConformanceStack {
    /// Notes 0, 1, 2 … dealt out to the stores in turn, with their numbers as `n` and half of them as `x`.
    func deal(_ count: Int) throws -> ManagedObjectContext {
        let context = context()
        let stores = coordinator.stores
        for index in 0..<count {
            let note = try context.add("Note", "note \(index)")
            try note.setValue(index, forKey: "n")
            if index % 5 != 4 { try note.setValue(Double(index / 2), forKey: "x") }
            try context.assign(note, to: stores[index % stores.count])
        }
        try context.save()
        return context
    }
}
