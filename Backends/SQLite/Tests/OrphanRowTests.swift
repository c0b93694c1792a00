import Foundation
import Strata
import StrataSQLite
import StrataTestModels
import StrataTestSupport
import Testing

@Suite("Rows of foreign entities, and links to deleted rows")
struct OrphanRowTests {
    private let directory: TemporaryDirectory
    private let model: ManagedObjectModel
    private var path: String { directory.path + "/zoo.sqlite" }

    init() throws {
        directory = try TemporaryDirectory()
        model = try ManagedObjectModel {
            Entity("Animal") {
                Attribute("name", .string)
                Relationships(["keeper": .toOne("Keeper.animals"), "tags": .toMany("Tag.animals")])
            }
            Entity("Bird", parent: "Animal")
            Entity("Keeper") {
                Attribute("name", .string)
                Relationships(["animals": .toMany("Animal.keeper"), "favourite": .toOne("Tag.fans")])
            }
            Entity("Tag") {
                Attribute("name", .string)
                Relationships(["animals": .toMany("Animal.tags"), "fans": .toMany("Keeper.favourite")])
            }
        }
        let coordinator = PersistentStoreCoordinator(model: model)
        let store = try coordinator.addStore(StoreDescription(.sqlite, path: path))
        let context = ManagedObjectContext(coordinator)
        let keeper = try context.insert("Keeper")
        var tags: [ManagedObject] = []
        for index in 0..<4 {
            let tag = try context.insert("Tag")
            try tag.setValue("t\(index)", forKey: "name")
            tags.append(tag)
        }
        try keeper.setValue(tags[1], forKey: "favourite")
        for index in 0..<4 {
            let animal = try context.insert(index == 3 ? "Bird" : "Animal")
            try animal.setValue("a\(index)", forKey: "name")
            try animal.setValue(keeper, forKey: "keeper")
            try animal.setValue(Set(tags), forKey: "tags")
        }
        try context.save()
        try coordinator.remove(store)
        // Strata makes no such rows, and looks for none where it made the store: this one is Core Data's now.
        let hashes = model.entityVersionHashesByName.mapValues { Data($0) }
        let list = try PropertyListSerialization.data(
            fromPropertyList: ["NSStoreModelVersionHashes": hashes, "NSStoreType": "SQLite"], format: .binary, options: 0)
        _ = try raw(path, "UPDATE Z_METADATA SET Z_PLIST = x'\(list.map { String(format: "%02x", $0) }.joined())'")
    }

    private func opened() throws -> (PersistentStoreCoordinator, any PersistentStore) {
        let coordinator = PersistentStoreCoordinator(model: model)
        return (coordinator, try coordinator.addStore(StoreDescription(.sqlite, path: path)))
    }

    private func request(_ entity: String, _ format: String? = nil) throws -> ObjectFetchRequest<ManagedObject> {
        var request = ObjectFetchRequest<ManagedObject>(entityName: entity)
        request.predicate = try format.map { try QueryPredicate(format: $0) }
        return request
    }

    private func names(_ objects: some Sequence<ManagedObject>) throws -> [String] {
        try objects.map { try $0.value(forKey: "name") as? String ?? "-" }.sorted()
    }

    // Every fetch of the table failed.
    @Test(
        "A row of a foreign entity's number is left out by fetches and counts, and is an error when it is touched",
        arguments: [("Animal", "ZANIMAL", "a1"), ("Tag", "ZTAG", "t1")], ["99", "NULL"])
    func orphans(_ kind: (entity: String, table: String, name: String), _ number: String) throws {
        let coordinator = PersistentStoreCoordinator(model: model)
        let store = try coordinator.addStore(StoreDescription(.sqlite, path: path))
        let found = try ManagedObjectContext(coordinator).fetch(request(kind.entity, "name == '\(kind.name)'"))
        let uri = try #require(found.first?.objectID.uriRepresentation)
        try coordinator.remove(store)
        _ = try raw(path, "UPDATE \(kind.table) SET Z_ENT = \(number) WHERE ZNAME = '\(kind.name)'")
        let rest = [0, 2, 3].map { String(kind.name.prefix(1)) + String($0) }

        // In either order: a count is what finds such rows, or a fetch.
        for countsFirst in [true, false] {
            let (coordinator, store) = try opened()
            let context = ManagedObjectContext(coordinator)
            if countsFirst { #expect(try context.count(for: request(kind.entity)) == 3) }
            #expect(try names(context.fetch(request(kind.entity))) == rest)
            #expect(try names(context.fetch(request(kind.entity))) == rest)
            #expect(try context.count(for: request(kind.entity)) == 3)
            var some = try request(kind.entity)
            some.limit = 2
            some.sort = [QuerySort("name")]
            #expect(try names(context.fetch(some)) == Array(rest.prefix(2)))
            try coordinator.remove(store)
        }
        let (again, damaged) = try opened()
        let context = ManagedObjectContext(again)
        let lost = context.object(with: try #require(again.objectID(forURI: uri)))
        let error = #expect(throws: StoreError.self) { try lost.value(forKey: "name") }
        #expect(error?.code == .corrupt)
        let message = "a row of the table … is of an entity numbered …"
        #expect(masked(error?.message, message) == message)
        #expect(try !again.verify(damaged).isEmpty)

        // Nothing else suffers, and the row stays as it is.
        for object in try context.fetch(request(kind.entity)) { try object.setValue("new", forKey: "name") }
        try context.save()
        #expect(Set(try raw(path, "SELECT ZNAME FROM \(kind.table)").map { $0[0] }) == ["new", kind.name])
        try context.execute(BatchDeleteRequest(entityName: kind.entity))
        #expect(try raw(path, "SELECT ZNAME FROM \(kind.table)") == [[kind.name]])
    }

    @Test("A relationship is without the rows of foreign entities' numbers")
    func orphansInRelationships() throws {
        _ = try raw(path, "UPDATE ZANIMAL SET Z_ENT = 99 WHERE ZNAME = 'a1'")
        _ = try raw(path, "UPDATE ZTAG SET Z_ENT = 99 WHERE ZNAME = 't2'")
        let (coordinator, _) = try opened()
        let context = ManagedObjectContext(coordinator)
        let keeper = try #require(try context.fetch(request("Keeper")).first)
        #expect(try names(#require(keeper.value(forKey: "animals") as? Set<ManagedObject>)) == ["a0", "a2", "a3"])
        let animal = try #require(try context.fetch(request("Animal", "name == 'a0'")).first)
        #expect(try names(#require(animal.value(forKey: "tags") as? Set<ManagedObject>)) == ["t0", "t1", "t3"])
        #expect(try context.count(for: request("Keeper", "animals.@count == 3")) == 1)
        #expect(try context.count(for: request("Animal", "tags.@count == 3")) == 3)
        #expect(try context.count(for: request("Keeper", "ANY animals.name == 'a1'")) == 0)
        #expect(try context.count(for: request("Animal", "ANY tags.name == 't2'")) == 0)
    }

    // An object's relationship had a member that the count and the condition did not.
    @Test("A link to a deleted row does not exist for objects, counts and conditions", arguments: ["Animal", "Tag"])
    func goneRows(_ entity: String) throws {
        let (other, prefix) = entity == "Animal" ? ("Tag", "t") : ("Animal", "a")
        let key = entity == "Animal" ? "tags" : "animals"
        _ = try raw(path, "DELETE FROM Z\(other.uppercased()) WHERE ZNAME = '\(prefix)1'")
        let links = try raw(path, "SELECT count(*) FROM Z_1TAGS")
        let (coordinator, store) = try opened()
        let context = ManagedObjectContext(coordinator)
        for object in try context.fetch(request(entity)) {
            let members = try #require(object.value(forKey: key) as? Set<ManagedObject>)
            #expect(try names(members) == ["\(prefix)0", "\(prefix)2", "\(prefix)3"])
            #expect(try object.objectIDs(forRelationshipNamed: key).count == 3)
        }
        #expect(try context.count(for: request(entity, "\(key).@count == 3")) == 4)
        #expect(try context.fetch(request(entity, "\(key).@count == 4")).isEmpty)
        #expect(try context.fetch(request(entity, "ANY \(key).name == nil")).isEmpty)
        #expect(try context.fetch(request(entity, "SUBQUERY(\(key), $x, $x.name == nil).@count > 0")).isEmpty)
        // A change of the rest leaves them as they were.
        let first = try #require(try context.fetch(request(entity)).first)
        try first.setValue("new", forKey: "name")
        try context.save()
        #expect(try raw(path, "SELECT count(*) FROM Z_1TAGS") == links)
        #expect(try !coordinator.verify(store).isEmpty)
    }
}
