import Foundation
import StrataEngine
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore
import StrataTestModels
import Testing

@testable import StrataLMDB

/// A directory that is removed with its content.
final class Scratch: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("lmdb-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String = "Store.lmdb") -> String { path + "/" + name }
}

enum Sample {
    static func model(indexed: Bool = true, extra: Bool = false) throws -> ManagedObjectModel {
        var entities = [
            Entity("Person") {
                Attributes([
                    "name": .string, "age": .integer32, "height": .double, "email": .string, "nickname": .string,
                    "balance": .decimal,
                ])
                Attribute("photo", .binary).externalStorage
                Relationships([
                    "pets": .ordered("Pet.owner"), "groups": .toMany("Group.members"), "friends": .toMany("Person.friends"),
                ])
                Unique("email")
                if indexed {
                    FetchIndex("byName", on: "name")
                    FetchIndex("byAgeAndHeight", on: .init("age", ascending: false), "height")
                    FetchIndex("byHeight", on: "height")
                    FetchIndex("byBalance", on: "balance")
                }
            },
            Entity("Student", parent: "Person") { Attribute("school", .string) },
            Entity("Pet", attributes: ["name": .string], relationships: ["owner": .toOne("Person.pets")]),
            Entity("Group", attributes: ["title": .string], relationships: ["members": .ordered("Person.groups")]),
        ]
        if extra { entities.append(Entity("Animal") { Attribute("name", .string) }) }
        return try ManagedObjectModel(
            entities: entities,
            configurations: [EntityConfiguration("main", "Person", "Student", "Pet", "Group")]
        )
    }

    static func description(_ path: String, _ change: (inout StoreDescription) -> Void = { _ in }) -> StoreDescription {
        var description = StoreDescription(LMDBDriver(), path: path, configuration: "main")
        change(&description)
        return description
    }
}

/// The sample model, a maker of its rows, and a directory for its stores.
struct SampleStores {
    let scratch: Scratch
    let model: ManagedObjectModel
    let maker: RowMaker

    init() throws {
        scratch = try Scratch()
        model = try Sample.model()
        maker = RowMaker(model: model)
    }

    /// Makes a store of some people as well, with the references from 1 as names and ages.
    init(people count: Int64) throws {
        try self.init()
        let store = try LMDBDriver().open(Sample.description(scratch.file()), model: model)
        try store.insert((1...count).map { try maker.row("Person", $0, ["name": .string("\($0)"), "age": .int($0)]) })
        try store.close()
    }
}

/// A suite whose tests have a directory for stores of the sample model each.
protocol SampleSuite {
    var sample: SampleStores { get }
}

extension SampleSuite {
    var scratch: Scratch { sample.scratch }
    var model: ManagedObjectModel { sample.model }
    var maker: RowMaker { sample.maker }
}

/// Makes rows of named values.
struct RowMaker {
    let model: ManagedObjectModel

    func row(_ entity: String, _ reference: Int64, version: UInt32 = 1, _ values: [String: Value]) throws -> Row {
        let entity = try #require(model.entity(named: entity))
        var writer = RowWriter(forOneRowOf: 512)
        writer.begin(entity, reference: reference, version: version)
        for (name, value) in values {
            switch try #require(entity.property(named: name)) {
            case .attribute(let attribute): writer.set(value, at: try #require(attribute.slot), attribute.slotKind)
            case .relationship(let relationship):
                guard case .toOne(let slot, let entitySlot, let order) = relationship.storage, case .list(let parts) = value else {
                    continue
                }
                for (slot, part) in zip([slot, entitySlot, order], parts) {
                    if let slot, case .int(let number) = part { writer.set(integer: number, at: slot) }
                }
            }
        }
        return writer.finish()
    }

    /// The whole row with some values changed.
    func update(_ row: Row, _ values: [String: Value]) throws -> RowUpdate {
        let entity = model.entities[row.entityIndex]
        var writer = RowWriter(forOneRowOf: 512)
        writer.begin(entity, reference: row.reference, version: row.version + 1)
        var changed: [Slot] = []
        for (slot, description) in entity.layout.indexedSlots {
            if let value = values[entity.properties[description.property].name] {
                changed.append(slot)
                writer.set(value, at: slot, description.kind)
            } else {
                writer.copy(slot, description.kind, from: row)
            }
        }
        return RowUpdate(row: writer.finish(), changedSlots: changed)
    }

    func value(_ row: Row, _ name: String) -> Value {
        guard let attribute = model.entities[row.entityIndex].attribute(named: name), let slot = attribute.slot else { return .null }
        return row.value(slot, attribute.slotKind)
    }

    func plan(
        _ entity: String,
        _ predicate: QueryPredicate? = nil,
        sort: [QuerySort] = [],
        limit: Int? = nil,
        offset: Int = 0,
        result: FetchPlan.Result = .rows
    ) throws -> FetchPlan {
        let entity = try #require(model.entity(named: entity))
        var plan = FetchPlan(entity, result)
        plan.predicate = try predicate?.resolved(for: entity, in: model)
        plan.sort = try sort.map { try ResolvedSort($0, of: entity, in: model) }
        plan.limit = limit
        plan.offset = offset
        return plan
    }
}

extension StoreBackend {
    @discardableResult
    func save(_ changes: ChangeSet...) throws -> [StoreConflict] {
        let transaction = try beginWrite()
        for change in changes {
            let conflicts = try transaction.apply(change)
            if !conflicts.isEmpty { return conflicts }
        }
        try transaction.prepare()
        try transaction.commit()
        return []
    }

    func insert(_ rows: [Row]) throws {
        var changes = ChangeSet()
        changes.inserted = rows
        let conflicts = try save(changes)
        #expect(conflicts.isEmpty)
    }

    func fetch(_ plan: FetchPlan) throws -> [Row] {
        try read { reader in
            guard case .rows(let rows, _) = try reader.execute(plan) else { return [] }
            return rows
        }
    }

    func count(_ plan: FetchPlan) throws -> Int {
        try read { reader in
            guard case .count(let count) = try reader.execute(plan) else { return -1 }
            return count
        }
    }
}

/// The code that `body` fails with.
func code(_ body: () throws -> Void) -> StoreError.Code? {
    do {
        try body()
        return nil
    } catch { return (error as? StoreError)?.code }
}
