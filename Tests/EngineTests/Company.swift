import FoundationEssentials
import StrataEngine
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore
import StrataTestModels
import Testing

@testable import StrataEngine

/// The model that these tests store, and short ways to make rows of it.
struct Company {
    let model: ManagedObjectModel

    init() throws {
        model = try ManagedObjectModel {
            Entity("Person") {
                Attributes([
                    "name": .string, "age": .integer16, "score": .double, "email": .string, "note": .string, "isActive": .boolean,
                ])
                Attribute("photo", .binary).externalStorage
                Relationships([
                    "department": .toOne("Department.staff"), "board": .toOne("Department.directors"),
                    "friends": .toMany("Person.friends"), "projects": .toMany("Project.members"),
                ])
                Unique("email")
                FetchIndex("byName", on: "name")
                FetchIndex("byAge", on: "age")
                FetchIndex("byScore", on: "score")
            }
            Entity("Employee", parent: "Person") {
                Attribute("grade", .integer32)
                FetchIndex("byGradeAndName", on: "grade", "name")
                Unique("grade", "note")
            }
            Entity("Department") {
                Attribute("name", .string)
                Relationships(["staff": .toMany("Person.department"), "directors": .ordered("Employee.board")])
            }
            Entity("Project", attributes: ["name": .string], relationships: ["members": .ordered("Person.projects")])
        }
    }

    func entity(_ name: String) throws -> EntityDescription {
        try #require(model.entity(named: name))
    }

    /// A row with some values; those of to-one relationships are references, those of `…Order` places in an ordered inverse.
    func row(_ name: String, _ reference: Int64, version: UInt32 = 1, _ values: [String: Value] = [:]) throws -> Row {
        let entity = try entity(name)
        var writer = RowWriter(forOneRowOf: 256)
        writer.begin(entity, reference: reference, version: version)
        for (slot, description) in entity.layout.indexedSlots {
            let property = entity.properties[description.property]
            let key = description.kind == .order ? property.name + "Order" : property.name
            if description.kind == .entity { continue }
            if let value = values[key] { writer.set(value, at: slot, description.kind) }
        }
        return writer.finish()
    }

    func slot(_ name: String, _ property: String) throws -> Slot {
        let entity = try entity(name)
        let property = try #require(entity.property(named: property)).index
        return try #require(entity.layout.indexedSlots.first { $0.description.property == property }).slot
    }

    func text(_ row: Row, _ property: String) throws -> String? {
        let entity = model.entities[row.entityIndex]
        guard case .string(let text) = row.value(try slot(entity.name, property), .string) else { return nil }
        return text
    }

    func update(_ row: Row) -> RowUpdate {
        RowUpdate(row: row, changedSlots: Array(model.entities[row.entityIndex].layout.slots.typedIndices(Slot.self)))
    }

    func engine() throws -> TableEngine {
        let metadata = try StoreMetadata(newStoreOf: StoreType(rawValue: "Test"), model: model, configuration: nil)
        return try TableEngine(TableContents(metadata: metadata), model: model, timeout: 0.05)
    }

    func plan(_ name: String, _ predicate: QueryPredicate? = nil, _ result: FetchPlan.Result = .rows) throws -> FetchPlan {
        let entity = try entity(name)
        var plan = FetchPlan(entity, result)
        plan.predicate = try predicate?.resolved(for: entity, in: model)
        return plan
    }

    func sort(_ name: String, _ key: String, ascending: Bool = true) throws -> ResolvedSort {
        try ResolvedSort(QuerySort(key, ascending: ascending), of: try entity(name), in: model)
    }
}

/// A company with tables for it.
struct CompanyTables {
    let company: Company
    let engine: TableEngine

    init() throws {
        company = try Company()
        engine = try company.engine()
    }
}

/// A suite whose tests have the tables of a company each.
protocol CompanySuite {
    var tables: CompanyTables { get }
}

extension CompanySuite {
    var company: Company { tables.company }
    var engine: TableEngine { tables.engine }
}

extension TableEngine {
    /// Saves changes, and answers what conflicts.
    @discardableResult
    func save(_ build: (inout ChangeSet) throws -> Void) throws -> [StoreConflict] {
        var changes = ChangeSet()
        try build(&changes)
        let transaction = try beginWrite()
        let conflicts = try transaction.apply(changes)
        if conflicts.isEmpty { try transaction.commit() } else { transaction.rollback() }
        return conflicts
    }

    func rows(_ plan: FetchPlan) throws -> [Row] {
        guard case .rows(let rows, _) = try read({ try $0.execute(plan) }) else { return [] }
        return rows
    }

    func references(_ plan: FetchPlan) throws -> [Int64] { try rows(plan).map(\.reference) }

    func count(_ plan: FetchPlan) throws -> Int {
        var plan = plan
        plan.result = .count
        guard case .count(let count) = try read({ try $0.execute(plan) }) else { return -1 }
        return count
    }
}
