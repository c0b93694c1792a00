import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore
import Testing

@testable import StrataSQLite

/// The statements that something leads to, written out.
///
/// A line break in them stands for a space.
struct StatementSnapshot: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let expected: String
    let statements: @Sendable (Studio) throws -> String

    /// The statements that something leads to.
    init(_ name: String, _ expected: String, _ statements: @escaping @Sendable (Studio) throws -> String) {
        testDescription = name
        self.expected = expected
        self.statements = statements
    }

    /// The statement of a condition, in a fetch of references.
    static func condition(_ entity: String, _ format: String, _ expected: String) -> StatementSnapshot {
        StatementSnapshot(format, expected) { try $0.statements(of: $0.plan(entity, QueryPredicate(format: format))) }
    }

    /// The statement of a fetch.
    static func fetch(
        _ name: String, _ entity: String, _ format: String? = nil, sort: [QuerySort] = [], limit: Int? = nil, offset: Int = 0,
        includesSubentities: Bool = true, result: @escaping @Sendable (Studio) throws -> FetchPlan.Result = { _ in .references },
        _ expected: String
    ) -> StatementSnapshot {
        StatementSnapshot(name, expected) { studio in
            var plan = try studio.plan(entity, format.map { try QueryPredicate(format: $0) }, try result(studio))
            plan.sort = try sort.map { try ResolvedSort($0, of: plan.entity, in: studio.model) }
            (plan.limit, plan.offset, plan.includesSubentities) = (limit, offset, includesSubentities)
            return try studio.statements(of: plan)
        }
    }

    func check() throws {
        let found = try statements(Studio())
        #expect(found == expected.split(separator: "\n").joined(separator: " "))
    }
}

@Suite("The SQL that plans and changes become")
struct StatementTests {
    @Test("Conditions", arguments: StatementSnapshot.conditions) func conditions(_ snapshot: StatementSnapshot) throws {
        try snapshot.check()
    }
    @Test("Collections", arguments: StatementSnapshot.collections) func collections(_ snapshot: StatementSnapshot) throws {
        try snapshot.check()
    }
    @Test("Orders, slices and results", arguments: StatementSnapshot.results) func results(_ snapshot: StatementSnapshot) throws {
        try snapshot.check()
    }
    @Test("Changes", arguments: StatementSnapshot.changes) func changes(_ snapshot: StatementSnapshot) throws { try snapshot.check() }
    @Test("Relationships", arguments: StatementSnapshot.relationships) func relationships(_ snapshot: StatementSnapshot) throws {
        try snapshot.check()
    }
    @Test("Tables", arguments: StatementSnapshot.tables) func tables(_ snapshot: StatementSnapshot) throws { try snapshot.check() }
}
