import FoundationEssentials
import Strata
import StrataTestModels

/// A store whose file is full: values of all kinds, references, links, orders, derived and unique values.
struct FullStore {
    private static let bookCount = 600
    private static let model = Result {
        try ManagedObjectModel {
            Entity("Author", class: ManagedObject.self) {
                Attributes(["name": .string, "born": .date, "rating": .decimal])
                Attribute("bookCount", .integer32).derived("books.@count")
                Attribute("pageSum", .integer64).derived("books.pages.@sum")
                Relationship("books", to: "Book", inverse: "author", .ordered)
                Unique("name")
            }
            Entity("Book", class: ManagedObject.self) {
                Attributes([
                    "title": .string, "summary": .string, "pages": .integer64, "price": .decimal, "weight": .double, "key": .uuid,
                    "cover": .binary, "printed": .date, "isLent": .boolean,
                ])
                Attribute("folded", .string).derived("canonical:(title)")
                Relationship("author", to: "Author", inverse: "books")
                Relationship("tags", to: "Tag", inverse: "books", .toMany)
                Relationship("sequel", to: "Book", inverse: "prequel")
                Relationship("prequel", to: "Book", inverse: "sequel")
                FetchIndex("byTitle", on: "title")
                FetchIndex("byPages", on: "pages")
            }
            Entity("Tag", class: ManagedObject.self) {
                Attribute("name", .string)
                Relationship("books", to: "Book", inverse: "tags", .toMany)
            }
        }
    }

    let site: LedgerSite

    /// Fills the store in some saves, and writes the `digest` of its content.
    func fill() throws {
        let coordinator = try open()
        defer { LedgerSite.close(coordinator) }
        let context = ManagedObjectContext(coordinator)
        func insert(_ entity: String, _ values: [String: Any]) throws -> ManagedObject {
            let object = try context.insert(entity)
            for (key, value) in values { try object.setValue(value, forKey: key) }
            return object
        }
        let tags = try (0..<20).map { try insert("Tag", ["name": "tag \($0)"]) }
        var books: [ManagedObject] = []
        for number in 0..<FullStore.bookCount {
            let bytes = (0..<16).map { UInt8(truncatingIfNeeded: (number &* 2_654_435_761) >> ($0 % 4 * 8) ^ $0 &* 37) }
            let key = bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: uuid_t.self) }
            let book = try insert(
                "Book",
                [
                    "title": "Été number \(number)", "summary": String(repeating: "About \(number). ", count: 4 + number % 5),
                    "pages": 100 + number * 7 % 900, "price": Decimal(number) / 100 + 5, "weight": Double(number) / 7,
                    "key": UUID(uuid: key), "cover": Data(bytes + bytes.reversed()),
                    "printed": Date(timeIntervalSinceReferenceDate: Double(number) * 86_400), "isLent": number % 3 == 0,
                ])
            try book.setValue(Set([tags[number % 20], tags[(number * 3 + 1) % 20]]), forKey: "tags")
            if number % 2 == 1, let last = books.last { try book.setValue(last, forKey: "prequel") }
            books.append(book)
            if number % 10 == 9 {
                let author = try insert(
                    "Author",
                    [
                        "name": "Author \(number)", "born": Date(timeIntervalSinceReferenceDate: -Double(number) * 1e6),
                        "rating": Decimal(number) / 10,
                    ])
                try author.setValue(Array(books.suffix(10).reversed()), forKey: "books")
                if number % 100 == 99 { try context.save() }
            }
        }
        Pipe.write("digest \(try digest(coordinator))")
    }

    /// Opens the store, reads everything, and verifies it: `noticed` with `open`, `read` or `verify` for the first of these that reports damage,
    /// or `never`; before it `wrong` where other content was read without an error.
    func runStages(expecting expected: String) {
        let coordinator: PersistentStoreCoordinator
        do { coordinator = try open() } catch { return Pipe.write("noticed open") }
        defer { LedgerSite.close(coordinator) }
        do { if try digest(coordinator) != expected { Pipe.write("wrong content") } } catch { return Pipe.write("noticed read") }
        let problems = coordinator.stores.map { store in
            do { return try coordinator.verify(store).count } catch { return 1 }
        }
        Pipe.write("noticed \(problems.allSatisfy { $0 == 0 } ? "never" : "verify")")
    }

    private func open() throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(model: try FullStore.model.get())
        for description in site.descriptions { try coordinator.addStore(description) }
        return coordinator
    }

    /// Returns a number for all that can be read.
    private func digest(_ coordinator: PersistentStoreCoordinator) throws -> String {
        let context = ManagedObjectContext(coordinator)
        var lines: [String] = []
        for entity in coordinator.model.entities {
            for object in try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: entity.name)) {
                let snapshot = object.snapshot()
                var line = "\(object.objectID)"
                for attribute in entity.attributes { line += "|\(snapshot.value(forKey: attribute.name) ?? .null)" }
                for relationship in entity.relationships {
                    let ids = try object.objectIDs(forRelationshipNamed: relationship.name).map { "\($0)" }
                    line += "|" + (relationship.isOrdered ? ids : ids.sorted()).joined(separator: ",")
                }
                lines.append(line)
            }
            if let error = context.lastFaultError { throw error }
        }
        let hash = lines.sorted().joined(separator: "\n").utf8.reduce(UInt64(14_695_981_039_346_656_037)) {
            ($0 ^ UInt64($1)) &* 1_099_511_628_211
        }
        return "\(hash)"
    }
}
