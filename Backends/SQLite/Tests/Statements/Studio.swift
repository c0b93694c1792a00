import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore
import StrataTestModels
import Testing

@testable import StrataSQLite

/// A store with a model that has one of each: inheritance, indexes, a unique attribute, an external one, and every kind of relationship.
final class Studio {
    let model: ManagedObjectModel
    let store: SQLiteStore
    private let sandbox: Sandbox

    init() throws {
        model = try ManagedObjectModel {
            Entity("Person") {
                Attributes(["name": .string, "email": .string, "age": .integer32, "rate": .double, "pay": .decimal, "born": .date])
                Attribute("photo", .binary).externalStorage
                Relationships([
                    "boss": .toOne("Person.reports"), "reports": .toMany("Person.boss"), "dept": .toOne("Dept.people"),
                    "projects": .toMany("Project.members"),
                ])
                FetchIndex("byAge", on: "age")
                Unique("email")
            }
            Entity("Manager", parent: "Person") { Attribute("bonus", .integer32) }
            Entity("Dept", attributes: ["title": .string], relationships: ["people": .toMany("Person.dept")])
            Entity("Project") {
                Attributes(["title": .string, "cost": .integer64])
                Relationships(["members": .ordered("Person.projects"), "steps": .ordered("Step.project")])
            }
            Entity("Step") {
                Attribute("title", .string).required
                Attribute("hours", .integer16)
                Relationship("project", to: "Project", inverse: "steps")
            }
        }
        sandbox = try Sandbox()
        store = try #require(try open(sandbox.path(), model) as? SQLiteStore)
        var changes = ChangeSet()
        changes.inserted = [
            try row(model, "Person", 1, ["name": "Ann", "email": "ann@example.org", "age": 30]),
            try row(model, "Manager", 2, ["name": "Bob"]),
            try row(model, "Project", 1), try row(model, "Step", 1, ["title": "Plan"]),
        ]
        #expect(try store.save(changes).isEmpty)
        // A table is looked through for orphan rows once, before the first count.
        for entity in model.entities where entity.superentity == nil { _ = try store.read { try $0.answer(FetchPlan(entity, .count)) } }
    }

    func entity(_ name: String) throws -> EntityDescription { try #require(model.entity(named: name)) }

    func relationship(_ entity: String, _ name: String) throws -> RelationshipDescription {
        try #require(self.entity(entity).relationship(named: name))
    }

    func id(_ entity: String, _ reference: Int64) throws -> Value {
        let scopes = ObjectIDScopes(model: model, storeID: store.id)
        return .objectID(ObjectID(scope: scopes[try self.entity(entity).index], reference: reference))
    }

    func path(_ path: String, _ entity: String) throws -> ResolvedExpression {
        .path(try PropertyPath(path, of: try self.entity(entity), in: model))
    }

    func plan(_ entity: String, _ predicate: QueryPredicate? = nil, _ result: FetchPlan.Result = .references) throws -> FetchPlan {
        let entity = try self.entity(entity)
        var plan = FetchPlan(entity, result)
        plan.predicate = try predicate?.resolved(for: entity, in: model)
        return plan
    }

    func assignments(
        _ entity: String, _ constants: [String: Value], _ computed: [String: QueryExpression] = [:]
    ) throws -> RowAssignments {
        let description = try self.entity(entity)
        let slots = try constants.keys.map { try #require(description.attribute(named: $0)?.slot) }
        return RowAssignments(
            template: try row(model, entity, 0, constants), slots: slots.sorted(),
            computations: try computed.map {
                .init(try #require(description.attribute(named: $0)), try $1.resolved(for: description, in: model))
            })
    }

    /// What SQLite runs for a plan, how it finds the rows, and what is left to the core.
    func statements(of plan: FetchPlan) throws -> String {
        try store.withConnection { connection in
            var text = try StatementTrace.of(connection) { _ = try StatementRunner(store: store, connection: connection).answer(plan) }
            let explanation = try SQLiteReader(store, connection, isReading: true).explain(plan)
            // Which index a scan goes along is SQLite's taste.
            for access in explanation.access.contains(.scan) ? [.scan] : explanation.access {
                switch access {
                case .index(let name): text += " -- by \(name)"
                case .references: text += " -- by key"
                case .scan: text += " -- by scan"
                case .nothing: text += " -- by nothing"
                }
            }
            for condition in explanation.remaining { text += " -- to the core: \(condition)" }
            if !explanation.isSorted { text += " -- to the core: order" }
            if !explanation.isSliced { text += " -- to the core: slice" }
            if !explanation.isComputed { text += " -- to the core: result" }
            return text
        }
    }

    /// What SQLite runs while a reader is asked.
    func statements(_ ask: (SQLiteReader) throws -> Void) throws -> String {
        try store.withConnection { connection in
            let reader = SQLiteReader(store, connection, isReading: true)
            return try StatementTrace.of(connection) { try ask(reader) }
        }
    }

    /// What SQLite runs while a transaction changes the store, which is rolled back then.
    func statements(_ change: (SQLiteTransaction) throws -> Void) throws -> String {
        let transaction = try #require(try store.beginWrite() as? SQLiteTransaction)
        defer { transaction.rollback() }
        return try StatementTrace.of(transaction.connection) { try change(transaction) }
    }
}
