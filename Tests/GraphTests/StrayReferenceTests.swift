import Strata
import StrataInMemory
import StrataModel
import StrataStore
import StrataTestModels
import StrataTestSupport
import Testing

@Suite("References that no store gives out")
struct StrayReferenceTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Book") {
                Attribute("name", .string)
                Relationships(["author": .toOne("Author.books"), "tags": .toMany("Tag.books")])
            }
            Entity("Author", attributes: ["name": .string], relationships: ["books": .toMany("Book.author")])
            Entity("Tag") { Relationship("books", to: "Book", inverse: "tags", .toMany) }
        }
    }

    /// Has a store hold a book, and a link to a tag, with some reference.
    private func put(_ reference: Int64, into store: any PersistentStore, _ model: ManagedObjectModel) throws {
        let book = try #require(model.entity(named: "Book"))
        guard case .toOne(let slot, _, _)? = book.relationship(named: "author")?.storage,
            case .links(let table, let side)? = book.relationship(named: "tags")?.storage
        else { return }
        var writer = RowWriter()
        let transaction = try store.backend.beginWrite()
        let own = try transaction.reserveReferences(1, root: book.root)
        writer.begin(book, reference: own, version: 1)
        writer.set(integer: reference, at: slot)
        var changes = ChangeSet()
        changes.inserted = [writer.finish()]
        let link = side == .first ? Link(first: own, second: reference) : Link(first: reference, second: own)
        changes.links = [LinkChange(table: table, kind: .put, link: link)]
        #expect(try transaction.apply(changes).isEmpty)
        try transaction.prepare()
        try transaction.commit()
    }

    private enum Reference: CaseIterable {
        case least, minusOne, none, ofNewObject
    }

    @Test(
        "One in a row or a link leads to nothing, traps nowhere, and is never taken for that of a new object", arguments: Reference.allCases
    )
    private func stray(_ kind: Reference) throws {
        let model = try StrayReferenceTests.model()
        let coordinator = PersistentStoreCoordinator(model: model)
        let store = try coordinator.addStore(StoreDescription(.inMemory))
        let context = ManagedObjectContext(coordinator)
        let author = try context.insert("Author")
        try author.setValue("new", forKey: "name")
        let reference: Int64 =
            switch kind {
            case .least: .min
            case .minusOne: -1
            case .none: 0
            case .ofNewObject: author.objectID.reference
            }
        try put(reference, into: store, model)

        let book = try #require(try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Book")).first)
        try book.setValue("changed", forKey: "name")
        try context.save()
        let other = ManagedObjectContext(coordinator)
        for reader in [context, other] {
            let found = try #require(try reader.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Book")).first)
            #expect(try found.value(forKey: "name") as? String == "changed")
            let destination = try found.value(forKey: "author") as? ManagedObject
            #expect(try destination?.value(forKey: "name") == nil)
            #expect(try (found.value(forKey: "tags") as? Set<ManagedObject> ?? []).allSatisfy { $0.objectID != author.objectID })
        }
        let saved = try #require(try other.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Author")).first)
        #expect(try (saved.value(forKey: "books") as? Set<ManagedObject>)?.isEmpty == true)
    }
}
