import Strata
import StrataTestModels
import Testing

@Suite("Undoing what was saved meanwhile")
struct UndoneSaveTests {
    private static let model = Result.declared {
        Entity("Shelf") { Relationship("books", to: "Book", inverse: "shelf", .ordered) }
        Entity("Book", attributes: ["title": .string], relationships: ["shelf": .toOne("Shelf.books"), "sequel": .toOne("Book")])
    }

    private let coordinator: PersistentStoreCoordinator
    private let context: ManagedObjectContext
    private let shelfID: ObjectID
    private let books: [ManagedObject]

    /// A shelf with the books a, b and c, which only those are read of.
    init() throws {
        coordinator = try PersistentStoreCoordinator(inMemory: Self.model.get())
        let writer = ManagedObjectContext(coordinator)
        let shelf = try writer.insert("Shelf")
        let written = try ["a", "b", "c"].map { title in
            let book = try writer.insert("Book")
            try book.setValue(title, forKey: "title")
            return book
        }
        try shelf.setValue(written, forKey: "books")
        try written[0].setValue(written[1], forKey: "sequel")
        try writer.save()
        shelfID = shelf.objectID
        context = ManagedObjectContext(coordinator)
        context.undoManager = UndoManager()
        books = try written.map { [context] in try context.existingObject(with: $0.objectID) }
    }

    private func titles(_ context: ManagedObjectContext) throws -> [String] {
        let books = try #require(try context.existingObject(with: shelfID).value(forKey: "books") as? [ManagedObject])
        return try books.map { try #require(try $0.value(forKey: "title") as? String) }
    }

    // The order was not known where nobody had read it, and what came back was the last.
    @Test("The position in an ordered relationship comes back", arguments: ["delete", "remove"], [0, 1, 2])
    func positions(how: String, position: Int) throws {
        if how == "delete" { context.delete(books[position]) } else { try books[position].setValue(nil, forKey: "shelf") }
        try context.save()
        #expect(
            try titles(ManagedObjectContext(coordinator)) == ["a", "b", "c"].enumerated().filter { $0.offset != position }.map(\.element))
        try context.undo()
        #expect(try titles(context) == ["a", "b", "c"])
        try context.save()
        #expect(try titles(ManagedObjectContext(coordinator)) == ["a", "b", "c"])
        try context.redo()
        #expect(try titles(context).count == 2)
    }

    // Only the save found who led to what was deleted, and what it made of that was nobody's step.
    @Test("A reference without inverse to what was deleted comes back", arguments: [false, true])
    func reference(isProcessed: Bool) throws {
        context.delete(books[1])
        if isProcessed { try context.processPendingChanges() }
        try context.save()
        #expect(try books[0].value(forKey: "sequel") == nil)
        try context.undo()
        #expect(try books[0].value(forKey: "sequel") as? ManagedObject === books[1])
        try context.save()
        let reader = ManagedObjectContext(coordinator)
        let other = try reader.existingObject(with: books[0].objectID)
        #expect(try (other.value(forKey: "sequel") as? ManagedObject)?.value(forKey: "title") as? String == "b")
        try context.redo()
        try context.save()
        #expect(try books[0].value(forKey: "sequel") == nil)
    }

    // The save cleared it in a step of its own, which an undo went back first.
    @Test("A reference that was not saved yet comes back in the step of the deletion", arguments: [false, true])
    func pendingReference(isSaved: Bool) throws {
        try books[0].setValue(books[2], forKey: "sequel")
        try context.save()
        context.undoManager = UndoManager()
        context.undoManager?.disableUndoRegistration()
        try books[0].setValue(books[1], forKey: "sequel")
        context.undoManager?.enableUndoRegistration()
        context.delete(books[1])
        try context.processPendingChanges()
        if isSaved { try context.save() } else { _ = try context.saveChangesRequest() }
        #expect(try books[0].value(forKey: "sequel") == nil)
        #expect(context.undoManager?.undoCount == 1)
        try context.undo()
        #expect(!books[1].isDeleted)
        #expect(try books[0].value(forKey: "sequel") as? ManagedObject === books[1])
        try context.redo()
        try context.save()
        #expect(try books[0].value(forKey: "sequel") == nil)
    }

    // What the owner led to was not there yet when it was told of it, and was forgotten.
    @Test(
        "An owner that denies its deletion has its members back, whichever went first", arguments: ["one", "many", "set"], [false, true])
    func denied(key: String, isOwnerFirst: Bool) throws {
        let model = try ManagedObjectModel {
            Entity("Owner") {
                Relationship("one", to: "Part", inverse: "oneOwner", deleteRule: .deny)
                Relationship("many", to: "Part", inverse: "manyOwner", .toMany, deleteRule: .deny)
                Relationship("set", to: "Part", inverse: "setOwners", .toMany, deleteRule: .deny)
            }
            Entity("Part") {
                Relationships([
                    "oneOwner": .toOne("Owner.one"), "manyOwner": .toOne("Owner.many"), "setOwners": .toMany("Owner.set"),
                ])
            }
        }
        let coordinator = try PersistentStoreCoordinator(inMemory: model)
        let context = ManagedObjectContext(coordinator)
        let (owner, part) = (try context.insert("Owner"), try context.insert("Part"))
        try owner.setValue(key == "one" ? part : Set([part]), forKey: key)
        try context.save()
        context.undoManager = UndoManager()
        context.delete(isOwnerFirst ? owner : part)
        try context.processPendingChanges()
        context.delete(isOwnerFirst ? part : owner)
        try context.save()
        for _ in 1...2 {
            try context.undo()
            try context.undo()
            let members: Set<ManagedObject>? =
                key == "one"
                ? try (owner.value(forKey: key) as? ManagedObject).map { [$0] } : try owner.value(forKey: key) as? Set<ManagedObject>
            #expect(members == [part])
            try context.save()
            let reader = ManagedObjectContext(coordinator)
            let stored = try reader.existingObject(with: owner.objectID)
            #expect(try (key == "one" ? stored.value(forKey: key) != nil : (stored.value(forKey: key) as? Set<ManagedObject>)?.count == 1))
            try context.redo()
            try context.redo()
            try context.save()
            #expect(try ManagedObjectContext(coordinator).count(for: ObjectFetchRequest<ManagedObject>(entityName: "Owner")) == 0)
        }
    }

    @Test("A reference that leads elsewhere by then stays")
    func laterReference() throws {
        context.delete(books[1])
        try context.save()
        context.undoManager?.disableUndoRegistration()
        try books[0].setValue(books[2], forKey: "sequel")
        try context.save()
        context.undoManager?.enableUndoRegistration()
        try context.undo()
        #expect(try books[0].value(forKey: "sequel") as? ManagedObject === books[2])
    }
}
