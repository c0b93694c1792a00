import Strata
import StrataModel
import StrataStore
import StrataTestModels
import StrataTestSupport
import Testing

@testable import StrataPostgreSQL

@Suite("PostgreSQL: references that are foreign keys", .server, .timeLimit(.minutes(60)))
struct ForeignKeyTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(_ model: ManagedObjectModel) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addStore(scratch.description)
        return coordinator
    }

    private var keys: [String] {
        get throws {
            try scratch.run(
                "SELECT conrelid::regclass::text FROM pg_constraint WHERE contype = 'f' AND connamespace = '\(scratch.schema)'::regnamespace"
            ).map { String($0.split(separator: ".").last ?? "") }.sorted()
        }
    }

    @Test("Other programs break no reference; links are deleted with their destinations, and saves are in any order")
    func others() throws {
        let coordinator = try open(Sample.model())
        #expect(try keys == ["person_friends", "person_friends", "pet"])
        let context = ManagedObjectContext(coordinator)
        let people = try ["Anna", "Ben"].map { name in
            let person = try context.insert("Person")
            try person.setValue(name, forKey: "name")
            return person
        }
        try people[0].setValue(Set([people[1]]), forKey: "friends")
        let pet = try context.insert("Pet")
        try pet.setValue(people[0], forKey: "owner")
        try context.save()
        #expect(throws: StoreError.self) { try scratch.run("DELETE FROM \(scratch.schema).person WHERE name = 'Anna'") }
        #expect(throws: StoreError.self) { try scratch.run("UPDATE \(scratch.schema).pet SET owner_id = 77") }
        try scratch.run("DELETE FROM \(scratch.schema).person WHERE name = 'Ben'")
        #expect(try scratch.run("SELECT person_id FROM \(scratch.schema).person_friends") == [])
        let other = ManagedObjectContext(coordinator)
        let owner = try #require(try other.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Person")).first)
        other.delete(owner)
        try other.save()
        #expect(try scratch.run("SELECT count(owner_id) FROM \(scratch.schema).pet") == ["0"])
    }

    // A migration removed them, and made none of them again.
    @Test("Foreign keys of other programs' tables in the schema stay when the store is migrated")
    func neighbours() throws {
        _ = try open(ManagedObjectModel { Entity("Tag") { Attribute("name", .string) } })
        try scratch.run("CREATE TABLE \(scratch.schema).mine (tag bigint REFERENCES \(scratch.schema).tag)")
        let model = try ManagedObjectModel {
            Entity(
                "Tag", attributes: ["name": .string, "color": .string],
                relationships: ["parent": .toOne("Tag.children"), "children": .toMany("Tag.parent")])
        }
        _ = try open(model)
        #expect(try keys == ["mine", "tag"])
        _ = try open(ManagedObjectModel { Entity("Tag") { Attribute("color", .string) } })
        #expect(try keys == ["mine"])
    }

    @Test("A save that references what another one deletes at the same time conflicts, as without foreign keys")
    func meeting() throws {
        let coordinator = try open(Sample.model())
        let first = ManagedObjectContext(coordinator)
        let person = try first.insert("Person")
        try first.save()
        let second = ManagedObjectContext(coordinator)
        let pet = try second.insert("Pet")
        try pet.setValue(second.existingObject(with: person.objectID), forKey: "owner")
        first.delete(person)
        try first.save()
        #expect(throws: SaveConflictError.self) { try second.save() }
    }

    @Test("A migration that alters tables keeps foreign keys, and makes those of new relationships")
    func migrating() throws {
        let coordinator = try open(Sample.model())
        let context = ManagedObjectContext(coordinator)
        let pet = try context.insert("Pet")
        try pet.setValue(context.insert("Person"), forKey: "owner")
        try context.save()
        for store in coordinator.stores { try coordinator.remove(store) }
        let model = try ManagedObjectModel {
            Entity("Owner") {
                Attribute("name", .string)
                Relationships(["pets": .ordered("Pet.owner"), "home": .toOne("House.people")])
            }.with { $0.renamingIdentifier = "Person" }
            Entity("Pet", attributes: ["name": .string], relationships: ["owner": .toOne("Owner.pets")])
            Entity("House") { Relationship("people", to: "Owner", inverse: "home", .toMany) }
        }
        let migrated = try open(model)
        #expect(try keys == ["owner", "pet"])
        #expect(throws: StoreError.self) { try scratch.run("DELETE FROM \(scratch.schema).owner") }
        let other = ManagedObjectContext(migrated)
        let pets = try other.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Pet"))
        #expect(try pets.first?.value(forKey: "owner") is ManagedObject)
    }
}
