import Strata
import StrataModel
import StrataStore
import Testing

@testable import StrataCoordinator

@Suite("Change sets in the files that finish interrupted saves")
struct ChangeSetCodingTests {
    private let model: ManagedObjectModel

    init() throws { model = try BookModel.make() }

    private func row(_ entity: EntityDescription, _ values: [String: String]) throws -> Row {
        var writer = RowWriter()
        writer.begin(entity, reference: 7, version: 3)
        for (name, text) in values { writer.set(text: text, at: try #require(entity.attribute(named: name)?.slot)) }
        return writer.finish()
    }

    private func coded(_ deletions: [RowDeletion]) throws -> (bytes: [UInt8], deletions: [RowDeletion]) {
        var changes = ChangeSet()
        changes.deleted = deletions
        let bytes = try ChangeSetCoding.encode(changes, model: model)
        return (bytes, try bytes.withUnsafeBytes { try ChangeSetCoding.decode($0, model: model) }.deleted)
    }

    @Test("A deletion comes back with its tombstone, which holds what is preserved and nothing else")
    func tombstones() throws {
        let (book, shelf) = (try #require(model.entity(named: "Book")), try #require(model.entity(named: "Shelf")))
        let deletions = try [
            RowDeletion(row(shelf, ["name": "S"]), of: shelf), RowDeletion(row(book, ["isbn": "1", "name": "B"]), of: book),
        ]
        let coded = try coded(deletions).deletions
        #expect(coded.map(\.entity) == [shelf.index, book.index])
        #expect(coded.map(\.expectedVersion) == [3, 3])
        #expect(coded[0].tombstone == nil)
        let tombstone = try #require(coded[1].tombstone)
        #expect(tombstone.value(try #require(book.attribute(named: "isbn")?.slot), .string) == "1")
        #expect(tombstone.isNull(try #require(book.attribute(named: "name")?.slot)))
    }

    @Test("Without tombstones the bytes are those that were written before there were any")
    func unchanged() throws {
        let (book, shelf) = (try #require(model.entity(named: "Book")), try #require(model.entity(named: "Shelf")))
        let plain = RowDeletion(entity: shelf.index, reference: 7, expectedVersion: 3)
        // A digest, four counts, and a deletion of three words.
        #expect(try coded([plain]).bytes.count == 32 + 4 * 8 + 3 * 8)
        #expect(try coded([RowDeletion(entity: book.index, reference: 7, expectedVersion: 3)]).deletions[0].tombstone == nil)
    }
}
