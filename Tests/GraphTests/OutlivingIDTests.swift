import Strata
import StrataInMemory
import Testing

/// IDs hold their scopes without reference counts: an ID that is kept must not be of memory that was given back.
@Suite("IDs that outlive their context, coordinator and model")
struct OutlivingIDTests {
    private func model(_ name: String) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity(name) {
                Attribute("name", .string)
                Relationship("parent", to: name, inverse: "children")
                Relationship("children", to: name, inverse: "parent", .toMany)
            }
        }
    }

    /// Creates a model, a coordinator and a context; returns IDs alone.
    private func ids(_ name: String) throws -> (temporary: [ObjectID], permanent: [ObjectID], unattached: ObjectID) {
        let model = try model(name)
        let context = ManagedObjectContext(try PersistentStoreCoordinator(inMemory: model))
        let objects = try (0..<20).map { _ in try context.insert(name) }
        for object in objects.dropFirst() { try object.setValue(objects[0], forKey: "parent") }
        let temporary = objects.map(\.objectID)
        try context.save()
        let unattached = try ManagedObject(entity: model.entities[0], insertInto: nil)
        return (temporary, objects.map(\.objectID), unattached.objectID)
    }

    @Test("IDs are used when all that they were made in is deallocated, stacks with new stores over and over")
    func outliving() throws {
        let stacks = try (0..<30).map { _ in try ids("Outliving") }
        for (temporary, permanent, unattached) in stacks {
            #expect(Set(temporary + permanent + [unattached]).count == 41)
            for id in temporary + [unattached] {
                #expect(id.isTemporary)
                #expect(id.storeID == nil)
                #expect(id.entity.relationships.map(\.name) == ["children", "parent"])
            }
            for id in permanent {
                #expect(id.uriRepresentation == "x-coredata://\(try #require(id.storeID))/Outliving/p\(id.reference)")
                #expect(id.entity.attribute(named: "name")?.type == .string)
            }
        }
        #expect(Set(stacks.map { $0.permanent[0].storeID }).count == stacks.count)
        #expect(Set(stacks.map { ObjectIdentifier($0.permanent[0].entity) }).count == 1)
    }

    @Test("An ID of a deallocated stack finds nothing in the stack of an equal model")
    func otherStack() throws {
        let old = try ids("Elsewhere")
        let context = ManagedObjectContext(try PersistentStoreCoordinator(inMemory: model("Elsewhere")))
        let object = try context.insert("Elsewhere")
        for id in old.temporary + [old.unattached] { #expect(context.registeredObject(for: id) == nil) }
        try context.save()
        for id in old.temporary + old.permanent + [old.unattached] {
            #expect(context.registeredObject(for: id) == nil)
            #expect(id != object.objectID)
        }
    }
}
