import StrataModel
import StrataStore
import Testing

@testable import StrataSQL

@Suite("Statements of migrations in a third dialect")
struct MigrationTests {
    private let library: Library
    private let book: EntityDescription

    init() throws {
        library = try Library()
        book = try #require(library.model.entity(named: "Book"))
    }

    @Test("A required relationship refuses a row without a destination")
    func required() throws {
        let author = try #require(book.relationship(named: "author"))
        let column = try #require(library.schema.tables[book.root]?.columns.first { $0.property == "author" })
        let value = ColumnDefault(required: author, column, book, number: 1)
        let row: SQLText<MySQLDialect> = value.missingRow(in: "Book")
        #expect(row.text == "SELECT `id` FROM `Book` WHERE `entity` = 1 AND `author_id` IS NULL ORDER BY `id` LIMIT 1")
        let update: SQLText<MySQLDialect> = value.update("Book", to: "7")
        #expect(update.text == "UPDATE `Book` SET `author_id` = 7 WHERE `entity` = 1 AND `author_id` IS NULL")
        let error = value.refusal(7, path: "library")
        #expect(error.message == "the attribute is required and has no default, and there is an object without a value (p7)")
        #expect((error.code, error.entity, error.key, error.path) == (.migration, "Book", "author", "library"))
    }

    @Test("Objects of entities that no object may be of are found by the numbers of their entities")
    func refused() throws {
        let table = try #require(library.schema.tables[book.root])
        #expect(
            SchemaDiff.refusedRow(of: [3, 1], in: table).text
                == "SELECT t0.`id`, t0.`entity` FROM `Book` t0 WHERE t0.`entity` IN (1, 3) ORDER BY t0.`id` LIMIT 1")
    }

    @Test("Names that are exchanged are given by names in between")
    func renaming() {
        let steps = SchemaDiff<MySQLDialect>.renaming([("a", "b"), ("b", "a"), ("c", "c")], through: { "x\($0)" })
        #expect(steps.map { "\($0.old) \($0.new)" } == ["a x0", "b x1", "x0 b", "x1 a"])
    }
}
