import Strata
import StrataEvaluation
import StrataInMemory
import StrataModel
import StrataStore
import StrataTestModels
import Testing

/// A store that answers what cannot be is an error, whoever wrote it: nothing that it says leads out of an array.
@Suite("Stores that answer what cannot be")
struct WrongAnswerTests {
    fileprivate enum Mistake: CaseIterable {
        case rows, references, groups, destinations, values, reservation, conflict, conflictAtCommit, tooManyInserted, fewerThanNoneInserted
    }

    private func open(_ mistake: Mistake) throws -> (PersistentStoreCoordinator, ManagedObjectContext) {
        let model = try ManagedObjectModel {
            Entity("Book") {
                Attributes(["name": .string, "pages": .integer64])
                Relationship("authors", to: "Author", inverse: "books", .toMany)
                Unique("name")
            }
            Entity("Author") { Relationship("books", to: "Book", inverse: "authors", .toMany) }
        }
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addStore(StoreDescription(WrongDriver(mistake: mistake)))
        return (coordinator, ManagedObjectContext(coordinator))
    }

    // Each of them trapped: an index that a store gave was used as it was, and a number of rows believed.
    @Test("A wrong answer is an error", arguments: Mistake.allCases)
    fileprivate func wrong(_ mistake: Mistake) throws {
        let (coordinator, context) = try open(mistake)
        let books = ObjectFetchRequest<ManagedObject>(entityName: "Book")
        let error = #expect(throws: StoreError.self) {
            switch mistake {
            case .rows: _ = try context.fetch(books)
            case .references: _ = try context.fetchObjectIDs(books)
            case .groups: _ = try context.fetch(books)
            case .values: _ = try context.fetchDictionaries(books.fetching("name", "pages")).map { $0["pages"] }
            case .destinations:
                let book = try context.insert("Book")
                try context.save()
                _ = try coordinator.destinations(of: #require(book.entity.relationship(named: "authors")), from: book.objectID)
            case .reservation, .conflict, .conflictAtCommit:
                try context.insert("Book").setValue("a", forKey: "name")
                try context.save()
            case .tooManyInserted, .fewerThanNoneInserted:
                try context.execute(BatchInsertRequest(entityName: "Book", objects: [["name": "a"], ["name": "b"]]))
            }
        }
        switch mistake {
        case .reservation: #expect(error?.code == .tooLarge)
        case .groups, .values, .tooManyInserted, .fewerThanNoneInserted: #expect(error?.code == .unsupported)
        case .rows, .references, .destinations, .conflict, .conflictAtCommit: #expect(error?.code == .corrupt)
        }
        let messages: [Mistake: String] = [
            .rows: "a store answered row 1 of an entity that the model does not have",
            .references: "the store names an object of an entity that cannot be there",
            .destinations: "the store names an object of an entity that cannot be there",
            .values: "a store answered other columns than were asked for",
            .reservation: "the store has no references left",
            .conflict: "the store names a conflict of an entity that the model does not have",
            .conflictAtCommit: "the store names a conflict of an entity that the model does not have",
            .tooManyInserted: "a store inserted other rows than it was given",
            .fewerThanNoneInserted: "a store inserted other rows than it was given",
        ]
        if let message = messages[mistake] { #expect(error?.message == message) }
    }

    // Each of them trapped: the entity of a row was believed.
    @Test("A row of an entity that the model does not have is an error, whatever reads the rows")
    func strayRows() throws {
        let (coordinator, context) = try open(.rows)
        let books = ObjectFetchRequest<ManagedObject>(entityName: "Book")
        func isCorrupt(_ body: () throws -> Void) -> Bool {
            let error = #expect(throws: StoreError.self) { try body() }
            return error?.code == .corrupt
        }
        var refreshing = books
        refreshing.shouldRefreshRefetchedObjects = true
        #expect(isCorrupt { _ = try context.fetch(refreshing) })
        var update = BatchUpdateRequest(entityName: "Book", set: ["name": "a"])
        update.isCarriedOutInCore = true
        #expect(isCorrupt { _ = try context.execute(update) })
        #expect(isCorrupt { _ = try context.execute(BatchDeleteRequest(fetchRequest: books)) })
        #expect(isCorrupt { _ = try coordinator.migrateStore(coordinator.stores[0], to: StoreDescription(.inMemory)) })
        #expect(try !coordinator.verify(coordinator.stores[0]).isEmpty)
        try context.insert("Book")
        #expect(isCorrupt { _ = try context.fetch(books) })
        #expect(isCorrupt { _ = try context.fetchObjectIDs(books) })
        try coordinator.addStore(StoreDescription(.inMemory))
        context.reset()
        #expect(isCorrupt { _ = try context.fetch(books) })
        #expect(isCorrupt { _ = try context.fetchObjectIDs(books) })
    }

    // Most of them took such an answer for that of an empty store: a conversion made one, and reported success.
    @Test("An answer of another kind than the plan's result is an error, of each request")
    func unexpectedKind() throws {
        let (coordinator, context) = try open(.groups)
        let books = ObjectFetchRequest<ManagedObject>(entityName: "Book")
        var update = BatchUpdateRequest(entityName: "Book", set: ["name": "a"])
        update.isCarriedOutInCore = true
        func expectUnexpected(_ name: String, _ body: () throws -> Void) {
            let error = #expect(throws: StoreError.self, "\(name)") { try body() }
            #expect(error?.message.hasPrefix("unexpected answer to a plan: groups instead of ") == true, "\(name): \(error as Any)")
        }
        expectUnexpected("fetch") { _ = try context.fetch(books) }
        expectUnexpected("fetchObjectIDs") { _ = try context.fetchObjectIDs(books) }
        expectUnexpected("count") { _ = try context.count(for: books) }
        expectUnexpected("fetchDictionaries") { _ = try context.fetchDictionaries(books.fetching("name")) }
        expectUnexpected("update") { _ = try context.execute(update) }
        expectUnexpected("delete") { _ = try context.execute(BatchDeleteRequest(fetchRequest: books)) }
        expectUnexpected("convert") { _ = try coordinator.migrateStore(coordinator.stores[0], to: StoreDescription(.inMemory)) }
        expectUnexpected("verify") { _ = try coordinator.verify(coordinator.stores[0]) }
    }

    @Test("A conflict that an empty store finds as another one is converted to it is an error")
    func conflictOfConversion() throws {
        let (_, context) = try open(.conflict)
        let coordinator = PersistentStoreCoordinator(model: context.model)
        let store = try coordinator.addStore(StoreDescription(.inMemory))
        let error = #expect(throws: StoreError.self) {
            try coordinator.migrateStore(store, to: StoreDescription(WrongDriver(mistake: .conflict)))
        }
        #expect(error?.message == "duplicate key: objects of the store violate a uniqueness constraint")
    }

    private struct WrongDriver: OpeningStoreDriver {
        let mistake: Mistake
        var type: StoreType { .init(rawValue: "Wrong") }
        func open(_ description: StoreDescription, model: ManagedObjectModel) throws -> any StoreBackend {
            var writer = RowWriter()
            let rows = (1...2 as ClosedRange<Int64>).map { reference in
                writer.begin(model.entities[0].layout, entityIndex: 99, reference: reference, version: 1)
                return writer.finish()
            }
            return WrongStore(base: try InMemoryDriver().open(description, model: model), mistake: mistake, rows: rows)
        }
        func metadata(at location: StoreLocation) throws -> StoreMetadata { throw StoreError(.missing, .metadata, "there is no store") }
        func setMetadata(_ metadata: StoreMetadata, at location: StoreLocation) throws {}
        func destroy(at location: StoreLocation) throws {}
        func replace(at location: StoreLocation, withStoreAt source: StoreLocation) throws {}
    }

    private final class WrongStore: StoreBackend {
        private let base: any StoreBackend
        private let mistake: Mistake
        private let rows: [Row]
        init(base: any StoreBackend, mistake: Mistake, rows: [Row]) { (self.base, self.mistake, self.rows) = (base, mistake, rows) }

        var type: StoreType { .init(rawValue: "Wrong") }
        var id: StoreID { base.id }
        var location: StoreLocation { base.location }
        var isReadOnly: Bool { false }
        var capabilities: StoreCapabilities { base.capabilities }
        func metadata() throws -> StoreMetadata { try base.metadata() }
        func read<T>(_ body: (any StoreReader) throws -> T) throws -> T {
            try base.read { try body(WrongReader(base: $0, mistake: mistake, wrongRows: rows)) }
        }
        func beginWrite(_ origin: TransactionOrigin) throws -> any StoreTransaction {
            WrongTransaction(base: try base.beginWrite(origin), mistake: mistake, rows: rows)
        }
        func close() throws { try base.close() }
    }

    private struct WrongReader: StoreReader {
        let base: any StoreReader
        let mistake: Mistake
        var wrongRows: [Row] = []

        var storeID: StoreID? { base.storeID }
        func execute(_ plan: FetchPlan) throws -> StoreAnswer {
            switch mistake {
            case .rows where !wrongRows.isEmpty: .rows(wrongRows, .nothing)
            case .references: .references([ObjectReference(entity: 99, reference: 1)])
            case .groups: .groups([])
            case .values: .values([[.string("a")]])
            default: try base.execute(plan)
            }
        }
        func row(root: EntityIndex, reference: Int64) throws -> Row? { try base.row(root: root, reference: reference) }
        func rows(root: EntityIndex, references: [Int64]) throws -> [Row] { try base.rows(root: root, references: references) }
        func destinations(of relationship: RelationshipDescription, owner: Int64) throws -> [ObjectReference] {
            mistake == .destinations
                ? [ObjectReference(entity: -1, reference: 1)] : try base.destinations(of: relationship, owner: owner)
        }
        func links(of table: LinkTable) throws -> [Link] { try base.links(of: table) }
    }

    private final class WrongTransaction: StoreTransaction {
        private let base: any StoreTransaction
        private let mistake: Mistake
        private let rows: [Row]
        init(base: any StoreTransaction, mistake: Mistake, rows: [Row]) { (self.base, self.mistake, self.rows) = (base, mistake, rows) }

        private static let conflict = StoreConflict(entity: 99, reference: 1, reason: .deleted)

        func reserveReferences(_ count: Int, root: EntityIndex) throws -> Int64 {
            mistake == .reservation ? .max : try base.reserveReferences(count, root: root)
        }
        func apply(_ changes: ChangeSet) throws -> [StoreConflict] {
            mistake == .conflict ? [WrongTransaction.conflict] : try base.apply(changes)
        }
        func insertUncontested(_ rows: [Row]) throws -> Int {
            switch mistake {
            case .tooManyInserted: rows.count + 1
            case .fewerThanNoneInserted: -1
            default: try base.insertUncontested(rows)
            }
        }
        func read<T>(_ body: (any StoreReader) throws -> T) throws -> T {
            try base.read { try body(WrongReader(base: $0, mistake: mistake, wrongRows: rows)) }
        }
        func metadata() throws -> StoreMetadata { try base.metadata() }
        func prepare() throws { try base.prepare() }
        func commit() throws {
            if mistake == .conflictAtCommit {
                throw StoreError(.conflict, .save, "the row is gone", conflicts: [WrongTransaction.conflict])
            }
            try base.commit()
        }
        func rollback() { base.rollback() }
    }
}
