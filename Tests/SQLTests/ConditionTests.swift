import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL
import Testing

@Suite("SQL of a third dialect")
struct ConditionTests {
    private let library: Library

    init() throws { library = try Library() }

    /// The statement that selects the books that meet a predicate, ` -- inexact` where it selects others too; `nil` where SQL knows nothing.
    private func statement(_ format: String) throws -> String? {
        let book = try #require(library.model.entity(named: "Book"))
        let table = try #require(library.schema.table(of: book))
        let predicate = try QueryPredicate(format: format).resolved(for: book, in: library.model)
        var compiler = ConditionCompiler(QueryScope(library.schema, table: table, entity: book), storeID: StoreID("library"))
        guard let condition = compiler.condition(predicate) else { return nil }
        var sql = SQLText<MySQLDialect>("SELECT t0.id")
        sql.add(compiler.scope.source(0, [condition.sql]))
        #expect(sql.text.count { $0 == "?" } == sql.bindings.count)
        return sql.text.replacing("SELECT t0.id FROM `Book` t0", with: "") + (condition.isExact ? "" : " -- inexact")
    }

    @Test(
        "Conditions",
        arguments: [
            ("pages == 3", " WHERE t0.`pages` = ?"),
            ("pages != 3", " WHERE NOT (t0.`pages` <=> ?)"),
            ("NOT pages == 3", " WHERE NOT (t0.`pages` <=> ?)"),
            ("NOT (pages > 3 AND title == nil)", " WHERE (((t0.`pages` > ?) IS NOT TRUE) OR t0.`title` IS NOT NULL)"),
            ("NOT NOT pages > 3", " WHERE t0.`pages` > ?"),
            ("pages IN {}", " WHERE FALSE"),
            ("pages IN {1, 2}", " WHERE (t0.`pages` = ? OR t0.`pages` = ?)"),
            (
                "pages + 1 > author.books.@count",
                """
                 WHERE (t0.`pages` + ?) > (SELECT COUNT(*) FROM `Author` t1 JOIN `Book` t2 \
                ON t2.`author_id` = t1.`id` WHERE t1.`id` = t0.`author_id`)
                """
            ),
            ("author.name == 'Ann'", " LEFT JOIN `Author` t1 ON t1.`id` = t0.`author_id` WHERE t1.`name` = ?"),
            (
                "ANY shelves.number > 3",
                """
                 WHERE EXISTS (SELECT 1 FROM `BookShelf` t1 JOIN `Shelf` t2 ON t2.`id` = t1.`Shelf_id` \
                WHERE t1.`Book_id` = t0.`id` AND t2.`number` > ?)
                """
            ),
            (
                "NONE shelves.number > 3",
                """
                 WHERE NOT EXISTS (SELECT 1 FROM `BookShelf` t1 JOIN `Shelf` t2 ON t2.`id` = t1.`Shelf_id` \
                WHERE t1.`Book_id` = t0.`id` AND t2.`number` > ?)
                """
            ),
            ("entity.name == 'Atlas'", " WHERE t0.`entity` IN (3)"),
            ("title CONTAINS 'a'", " WHERE LOCATE(?, t0.`title`) > 0 -- inexact"),
            ("title CONTAINS 'a' AND pages > 3", " WHERE (LOCATE(?, t0.`title`) > 0 AND t0.`pages` > ?) -- inexact"),
        ])
    func conditions(_ format: String, _ expected: String) throws {
        #expect(try statement(format) == expected)
    }

    @Test(
        "A predicate that the dialect does not decide has no condition",
        arguments: ["title LIKE 'a*'", "NOT title CONTAINS 'a'", "cover == nil"])
    func unknown(_ format: String) throws {
        #expect(try statement(format) == nil)
    }

    @Test("Of a conjunction the known part is the condition, which is then inexact")
    func partial() throws {
        #expect(try statement("pages > 3 AND title LIKE 'a*'") == " WHERE t0.`pages` > ? -- inexact")
    }
}
