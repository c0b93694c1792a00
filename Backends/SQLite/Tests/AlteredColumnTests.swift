import Foundation
import Strata
import StrataSQLite
import StrataTestModels
import StrataTestSupport
import Testing

/// Values that a program without Strata, or a fault of the disk, put into the tables.
@Suite("Verifying a store with an altered column", .timeLimit(.minutes(60)))
struct AlteredColumnTests {
    private let directory: TemporaryDirectory
    private let model: ManagedObjectModel
    private var description: StoreDescription { StoreDescription(.sqlite, path: directory.file("store.sqlite")) }

    init() throws {
        directory = try TemporaryDirectory()
        model = try ManagedObjectModel {
            Entity("Author") {
                Attribute("name", .string).required
                Attribute("bookCount", .integer32).derived("books.@count")
                Relationship("books", to: "Book", inverse: "author", .ordered)
                Unique("name")
            }
            Entity("Book") {
                Attribute("title", .string).required
                Attributes([
                    "pages": .integer16, "sold": .integer64, "price": .decimal, "weight": .double, "key": .uuid, "cover": .binary,
                    "printed": .date, "isLent": .boolean, "page": .uri,
                ])
                Attribute("folded", .string).derived("canonical:(title)")
                Relationship("author", to: "Author", inverse: "books")
                Relationship("tags", to: "Tag", inverse: "books", .ordered)
                Relationship("sequel", to: "Book", inverse: "prequel")
                Relationship("prequel", to: "Book", inverse: "sequel")
            }
            Entity("Tag") {
                Attribute("name", .string)
                Relationship("books", to: "Book", inverse: "tags", .toMany)
            }
        }
        let container = try PersistentContainer(model: model, stores: [description])
        let context = container.newContext(isolation: nil)
        func insert(_ entity: String, _ values: [String: Any]) throws -> ManagedObject {
            let object = try context.insert(entity)
            for (key, value) in values { try object.setValue(value, forKey: key) }
            return object
        }
        let tags = try (0..<3).map { try insert("Tag", ["name": "tag \($0)"]) }
        let books = try (0..<4).map { number in
            try insert(
                "Book",
                [
                    "title": "Book \(number)", "pages": Int16(number), "sold": number, "price": Decimal(number) / 8, "weight": 1.5,
                    "key": UUID(), "cover": Data([1, 2]), "printed": Date(), "isLent": true,
                    "page": URL(string: "https://strata.example/\(number)") as Any, "tags": tags,
                ])
        }
        for number in [1, 3] { try books[number].setValue(books[number - 1], forKey: "prequel") }
        for (number, part) in [books[..<2], books[2...]].enumerated() {
            try insert("Author", ["name": "Author \(number)"]).setValue(Array(part), forKey: "books")
        }
        try context.save()
        try container.close()
    }

    private static let unnoticed = [
        // Another value that is as good.
        "UPDATE ZBOOK SET ZPAGES = 7, ZPAGE = 5 WHERE Z_PK = 2", "UPDATE ZBOOK SET ZWEIGHT = 2 WHERE Z_PK = 2",
        "UPDATE ZBOOK SET ZCOVER = x'05' WHERE Z_PK = 2",
        "UPDATE ZBOOK SET ZWEIGHT = 'NaN', ZPRICE = 'NaN' WHERE Z_PK = 2",
        "UPDATE ZBOOK SET ZPRICE = CAST('-12345678901234567890.5e-3' AS BLOB) WHERE Z_PK = 2",
        // A member of an ordered relationship is moved, and a link is missing at both ends.
        "UPDATE ZBOOK SET Z_FOK_AUTHOR = 77777 WHERE Z_PK = 2", "DELETE FROM Z_2TAGS WHERE Z_2BOOKS = 2 AND Z_3TAGS = 2",
        // The next reference is above all rows' in any case.
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 1",
    ]

    @Test("finds nothing in a sound store, nor in one with another value that fits", arguments: ["SELECT 1"] + unnoticed)
    func sound(_ statement: String) throws {
        _ = try raw(description.path ?? "", statement)
        #expect(try PersistentStoreCoordinator.verifyStore(description, model: model) == [])
    }

    private static let values = [
        "ZTITLE = NULL", "ZTITLE = 7", "ZTITLE = x'4142'", "ZFOLDED = 'x'", "ZPAGES = 70000", "ZPAGES = 1.5", "ZPAGES = 'many'",
        "ZPAGES = x'01'",
        "ZSOLD = 1e300", "ZPRICE = 'x'", "ZPRICE = x'00'", "ZPRICE = x''", "ZWEIGHT = 'heavy'", "ZWEIGHT = x'01'", "ZKEY = x'0102'",
        "ZKEY = 'text'",
        "ZCOVER = 'text'", "ZCOVER = 5", "ZPRINTED = 'soon'", "ZISLENT = 7", "ZISLENT = 'yes'", "ZPAGE = x'01'",
        "ZAUTHOR = 99", "ZAUTHOR = 'x'",
        "Z_FOK_AUTHOR = NULL", "Z_FOK_AUTHOR = 'x'", "ZPREQUEL = 3",
        "ZPREQUEL = NULL",
        "Z_OPT = NULL", "Z_OPT = 0", "Z_OPT = -1", "Z_OPT = 'x'",
    ]

    @Test("reports the row with a malformed value, a missing one, or one that contradicts others", arguments: values)
    func altered(_ assignment: String) throws {
        _ = try raw(description.path ?? "", "UPDATE ZBOOK SET \(assignment) WHERE Z_PK = 2")
        let problems = try PersistentStoreCoordinator.verifyStore(description, model: model)
        #expect(problems.contains { $0.entity == "Book" && ($0.reference == 2 || assignment.hasPrefix("ZPREQUEL")) }, "\(problems)")
    }

    @Test(
        "reports rows, links and derived values that contradict others",
        arguments: [
            "UPDATE ZBOOK SET ZTITLE = 'other' WHERE Z_PK = 2", "UPDATE ZAUTHOR SET ZBOOKCOUNT = 7 WHERE Z_PK = 2",
            "UPDATE ZBOOK SET ZAUTHOR = NULL WHERE Z_PK = 2", "UPDATE ZBOOK SET Z_ENT = 3 WHERE Z_PK = 2",
            "DELETE FROM ZBOOK WHERE Z_PK = 2",
            "DELETE FROM ZTAG WHERE Z_PK = 2", "DELETE FROM ZAUTHOR WHERE Z_PK = 2",
            "UPDATE Z_2TAGS SET Z_FOK_3TAGS = NULL WHERE Z_2BOOKS = 1 AND Z_3TAGS = 2", "UPDATE Z_METADATA SET Z_PLIST = x'00'",
        ])
    func contradicting(_ statement: String) throws {
        _ = try raw(description.path ?? "", statement)
        #expect(try !PersistentStoreCoordinator.verifyStore(description, model: model).isEmpty)
    }

    @Test("reports a unique value that two rows have, where the index was dropped")
    func unique() throws {
        let path = description.path ?? ""
        _ = try raw(path, "DROP INDEX Z_Author_UNIQUE_name")
        _ = try raw(path, "UPDATE ZAUTHOR SET ZNAME = 'Author 0'")
        let problems = try PersistentStoreCoordinator.verifyStore(description, model: model)
        #expect(problems.map(\.description) == ["value Author/p2.name: Author 1 has the same unique value"])
    }
}
