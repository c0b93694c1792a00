import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL
import StrataStore
import Testing

@Suite("Statements for plans in a third dialect")
struct PlanTests {
    private let library: Library
    private let book: EntityDescription

    init() throws {
        library = try Library()
        book = try #require(library.model.entity(named: "Book"))
    }

    private func plan(
        _ format: String? = nil, sortedBy keys: [String] = [], limit: Int? = nil, offset: Int = 0, _ result: FetchPlan.Result = .references
    ) throws -> FetchPlan {
        var plan = FetchPlan(book, result)
        plan.predicate = try format.map { try QueryPredicate(format: $0).resolved(for: book, in: library.model) }
        plan.sort = try keys.map { try ResolvedSort(QuerySort($0, ascending: true), of: book, in: library.model) }
        plan.limit = limit
        plan.offset = offset
        return plan
    }

    private func compiler(_ plan: FetchPlan) throws -> PlanCompiler<MySQLDialect> {
        let context = PlanContext(library.schema, storeID: StoreID("library"))
        return PlanCompiler(plan, try #require(library.schema.table(of: plan.entity)), in: context)
    }

    private func compiled(_ plan: FetchPlan) throws -> CompiledPlan<MySQLDialect> { try compiler(plan).compile("t0.`id`, t0.`title`") }

    @Test("An order and a slice are the statement's where the dialect has the core's order")
    func references() throws {
        let compiled = try compiled(plan("pages > 3", sortedBy: ["pages"], limit: 10, offset: 20))
        #expect(
            compiled.sql.text == """
                SELECT t0.`id`, t0.`entity` FROM `Book` t0 WHERE t0.`pages` > ? ORDER BY t0.`pages`, t0.`id` LIMIT ? OFFSET ?
                """)
        #expect(compiled.sql.bindings == [.integer(3), .integer(10), .integer(20)])
        #expect(compiled.isWhole)
        #expect(compiled.isOrdered)
    }

    @Test("An offset without a limit has the limit of all rows")
    func offset() throws {
        #expect(try compiled(plan(offset: 5)).sql.bindings == [.integer(.max), .integer(5)])
    }

    @Test("An order that the dialect does not have is left to the core, with the slice")
    func unknownOrder() throws {
        let compiled = try compiled(plan(sortedBy: ["pages", "author.name"], limit: 10))
        #expect(compiled.sql.text == "SELECT t0.`id`, t0.`title` FROM `Book` t0")
        #expect(compiled.remainder.needsSort)
        #expect(compiled.remainder.needsSlice)
        #expect(!compiled.isOrdered)
    }

    @Test("An inexact condition selects rows that the core tests")
    func inexact() throws {
        let compiled = try compiled(plan("title CONTAINS 'a' AND pages > 3 AND title LIKE 'a*'", .count))
        #expect(
            compiled.sql.text
                == "SELECT t0.`id`, t0.`title` FROM `Book` t0 WHERE LOCATE(?, t0.`title`) > 0 AND t0.`pages` > ?")
        #expect((compiled.decided.count, compiled.remaining.count) == (1, 2))
    }

    @Test("A plan for groups that the dialect does not make lists rows without the tables of its keys")
    func groups() throws {
        func plan(_ key: String) throws -> FetchPlan {
            let key = try QueryExpression.keyPath(key).resolved(for: book, in: library.model)
            let pages = try QueryExpression.keyPath("pages").resolved(for: book, in: library.model)
            return try self.plan(nil, .groups(GroupPlan(keys: [key], aggregates: [.init(.count, nil), .init(.max, pages)])))
        }
        let known = try compiled(plan("pages"))
        guard case .groups(let columns) = known.output else { return #expect(Bool(false), "\(known.sql.text)") }
        #expect(
            columns.statement(known.sql).text
                == "SELECT t0.`pages`, COUNT(*), MAX(t0.`pages`) FROM `Book` t0 GROUP BY t0.`pages`")
        #expect(try compiled(plan("author.name")).sql.text == "SELECT t0.`id`, t0.`title` FROM `Book` t0")
    }

    @Test("A group has the values of its row, unless one is NaN")
    func group() throws {
        struct NumberRow: GroupRow {
            let values: [Value]
            func isNull(_ column: Int) -> Bool { values[column].isNull }
            func value(_ column: Int, _ kind: SlotKind) -> Value? { values[column] }
        }
        let columns = GroupColumns<MySQLDialect>(
            by: ["t0.`pages`"], [[GroupColumn("t0.`pages`", .key)]],
            [
                [GroupColumn("SUM(t0.`price`)", .sum, kind: .double), GroupColumn("COUNT(t0.`price`)", .count)],
                [GroupColumn("MAX(t0.`price`)", .numberCheck, kind: .double)],
            ])
        let group = try #require(try columns.group(NumberRow(values: [.int(3), .double(5), .int(2), .double(4)])))
        #expect(group.keys == [.int(3)])
        #expect(group.partials[0].sum == .double(5))
        #expect(group.partials[0].count == 2)
        #expect(try columns.group(NumberRow(values: [.int(3), .null, .int(2), .double(4)])) == nil)
        #expect(try columns.group(NumberRow(values: [.int(3), .double(5), .int(2), .double(.nan)])) == nil)
    }

    @Test("A statement that changes rows takes those that a plan selects, of one table or of several")
    func changes() throws {
        let (pages, title) = (try #require(book.attribute(named: "pages")), try #require(book.attribute(named: "title")))
        let sum = try QueryExpression(format: "pages + 1").resolved(for: book, in: library.model)
        var writer = RowWriter(forOneRowOf: 64)
        writer.begin(book, reference: 1, version: 1)
        let assignments = RowAssignments(
            template: writer.finish(), slots: [try #require(title.slot)], computations: [.init(pages, sum)])
        let update = try compiler(plan("author.name == 'Ann'")).update(assignments) { _, column in "\(bind: .text(column.name))" }
        #expect(
            try #require(update).text == """
                UPDATE `Book` AS t0 SET `version` = t0.`version` + 1, `title` = ?, `pages` = (t0.`pages` + ?) WHERE t0.`id` IN \
                (SELECT `id` FROM (SELECT t0.`id`, t0.`entity` FROM `Book` t0 LEFT JOIN `Author` t1 ON t1.`id` = t0.`author_id` \
                WHERE t1.`name` = ?))
                """)
        #expect(update?.bindings == [.text("title"), .integer(1), .text("Ann")])
        let unknown = try QueryExpression(format: "title").resolved(for: book, in: library.model)
        let assignment = RowAssignments(template: assignments.template, slots: [], computations: [.init(pages, unknown)])
        #expect(try compiler(plan()).update(assignment) { _, _ in "?" }?.text == nil)
        #expect(
            try compiler(plan("author.name == 'Ann'")).deletion()?.text == """
                DELETE FROM `Book` AS t0 WHERE t0.`id` IN (SELECT `id` FROM (SELECT t0.`id`, t0.`entity` FROM `Book` t0 \
                LEFT JOIN `Author` t1 ON t1.`id` = t0.`author_id` WHERE t1.`name` = ?))
                """)
        #expect(try compiler(plan("title CONTAINS 'a'")).deletion() == nil)
    }

    @Test("The destinations of a relationship come from their table, or by the join table")
    func destinations() throws {
        let relationships = [("Author", "books"), ("Book", "shelves"), ("Book", "author")]
        let statements = try relationships.map { name, key in
            let relationship = try #require(library.model.entity(named: name)?.relationship(named: key))
            return DestinationQuery(relationship, in: library.schema, of: library.model)?.statement(.references, " = ?").text
        }
        #expect(
            statements == [
                "SELECT t0.`id`, t0.`entity` FROM `Book` t0 WHERE t0.`author_id` = ? ORDER BY t0.`id`",
                """
                SELECT t0.`id`, t0.`entity` FROM `BookShelf` t1 JOIN `Shelf` t0 ON t0.`id` = t1.`Shelf_id` \
                WHERE t1.`Book_id` = ? ORDER BY t1.`Shelf_id`
                """, nil,
            ])
    }

    @Test("An entity that the store does not have has no table")
    func unknownEntity() throws {
        var schema = library.schema
        schema.tables[book.root] = nil
        for index in [book.index, EntityIndex(-1), EntityIndex(99)] {
            let error = #expect(throws: StoreError.self) { try schema.requireTable(of: index, in: library.model, .fetch) }
            #expect(error?.message == "the store's configuration has no such entity")
            #expect(error?.code == .unknownEntity)
            #expect(error?.entity == (index == book.index ? "Book" : nil))
        }
    }

    @Test("Text with interpolated names, numbers and parameters")
    func interpolation() {
        let table = "a`b"
        let inner: SQLText<MySQLDialect> = "x = \(bind: .integer(1))"
        let sql: SQLText<MySQLDialect> = "SELECT \(columns: ["c", "d"]) FROM \(table: table) WHERE \([inner, "y"], separator: " OR ")"
        #expect(sql.text == "SELECT t0.`c`, t0.`d` FROM `a``b` WHERE x = ? OR y")
        #expect(sql.bindings == [.integer(1)])
    }
}
