import Strata
import StrataTestModels
import Testing

@Suite("Undoing steps that met what another context saved")
struct UndoMeetingTests {
    private let coordinator: PersistentStoreCoordinator
    private let other: ManagedObjectContext
    private let context: ManagedObjectContext

    init() throws {
        let model = try ManagedObjectModel {
            Entity("Shelf") { Relationship("books", to: "Book", inverse: "shelf", .ordered) }
            Entity("Book") {
                Attribute("title", .string)
                Relationships([
                    "shelf": .toOne("Shelf.books"), "sequel": .toOne("Book.prequel"), "prequel": .toOne("Book.sequel"),
                    "sources": .ordered("Book.citations"), "citations": .ordered("Book.sources"),
                ])
            }
        }
        coordinator = try PersistentStoreCoordinator(inMemory: model)
        other = ManagedObjectContext(coordinator)
        context = ManagedObjectContext(coordinator)
    }

    /// Saves books by the other context.
    private func books(_ titles: String...) throws -> [ManagedObject] {
        let books = try titles.map { title in
            let book = try other.insert("Book")
            try book.setValue(title, forKey: "title")
            return book
        }
        try other.save()
        return books
    }

    /// The objects in the context that undoes.
    private func mine(_ objects: [ManagedObject]) throws -> [ManagedObject] {
        try objects.map { try context.existingObject(with: $0.objectID) }
    }

    private func titles(_ object: ManagedObject, _ key: String) throws -> [String] {
        try #require(try object.value(forKey: key) as? [ManagedObject]).map { try #require(try $0.value(forKey: "title") as? String) }
    }

    /// The save forgot the place of the member that it took away.
    @Test("A member comes back to its place after a save that met a longer order")
    func placeInLongerOrder() throws {
        let theirs = try books("a", "b", "c", "d")
        let shelf = try other.insert("Shelf")
        try shelf.setValue(Array(theirs[..<3]), forKey: "books")
        try other.save()
        let (books, mineShelf) = (try mine(theirs), try mine([shelf])[0])
        context.undoManager = UndoManager()
        try context.undoManager?.group { try books[1].setValue(nil, forKey: "shelf") }
        try theirs[3].setValue(shelf, forKey: "shelf")
        try other.save()
        context.refreshAllObjects()
        try context.save()
        try context.undo()
        #expect(try titles(mineShelf, "books") == ["a", "b", "c", "d"])
        try context.save()
        let reader = ManagedObjectContext(coordinator)
        #expect(try titles(reader.existingObject(with: shelf.objectID), "books") == ["a", "b", "c", "d"])
    }

    /// What the save did to the partner that another context had given was a step of its own, which the undo took back instead.
    @Test("A step is undone at once after a save that took a partner from another one")
    func takenPartner() throws {
        let theirs = try books("a", "b", "c")
        let books = try mine(theirs)
        context.undoManager = UndoManager()
        try context.undoManager?.group {
            try books[0].setValue(books[1], forKey: "sequel")
            try books[1].setValue("changed", forKey: "title")
        }
        try theirs[2].setValue(theirs[1], forKey: "sequel")
        try other.save()
        context.mergePolicy = .mergeByPropertyObjectTrump
        try context.save()
        #expect(context.undoManager?.undoCount == 1)
        try context.undo()
        #expect(try books[1].value(forKey: "title") as? String == "b")
        #expect(try books[2].value(forKey: "sequel") as? ManagedObject === books[1])
    }

    /// Loading the end of the deleted object had others lose it, after the undo had looked at what it takes back.
    @Test("Links that another context saved are there when a deletion is undone, also one of the object to itself")
    func linkToItself() throws {
        let theirs = try books("a", "b")
        let books = try mine(theirs)
        context.undoManager = UndoManager()
        context.delete(books[1])
        try context.processPendingChanges()
        try theirs[1].setValue([theirs[1], theirs[0]], forKey: "citations")
        try other.save()
        context.refreshAllObjects()
        try context.undo()
        #expect(try titles(books[1], "citations") == ["b", "a"])
        #expect(try titles(books[0], "sources") + titles(books[1], "sources") == ["b", "b"])
        #expect(!context.hasChanges)
    }
}
