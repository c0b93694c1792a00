import CoreData
import StrataTestSupport
import Testing

/// A class that a model may name without its module, as nothing else has the name.
class UniquelyNamedThing: NSManagedObject {}

private class HiddenThing: NSManagedObject {}

enum Things {
    class NestedThing: NSManagedObject {}
}

class NoObjectOfAModel {}

// Another file has one too.
private class DoublyNamedThing: NSManagedObject {}

struct ModelClassTests {
    /// An object of an entity that names a class.
    private func object(ofClassNamed name: String?) throws -> NSManagedObject {
        let entity = PeopleModel.entity("Thing")
        entity.managedObjectClassName = name
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        return context.performAndWait { NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context) }
    }

    @Test("A class is found by its name with its module and without") func names() throws {
        #expect(type(of: try object(ofClassNamed: "UniquelyNamedThing")) == UniquelyNamedThing.self)
        #expect(type(of: try object(ofClassNamed: ".UniquelyNamedThing")) == UniquelyNamedThing.self)
        #expect(_classFromString("UniquelyNamedThing") == UniquelyNamedThing.self)
        #expect(type(of: try object(ofClassNamed: NSStringFromClass(UniquelyNamedThing.self))) == UniquelyNamedThing.self)
    }

    @Test("A class is found that is private, or within another type") func places() throws {
        #expect(type(of: try object(ofClassNamed: NSStringFromClass(HiddenThing.self))) == HiddenThing.self)
        #expect(type(of: try object(ofClassNamed: NSStringFromClass(Things.NestedThing.self))) == Things.NestedThing.self)
    }

    @Test("Objects of entities that name no class, or one that is not there, are plain") func plainObjects() throws {
        #expect(type(of: try object(ofClassNamed: nil)) == NSManagedObject.self)
        #expect(type(of: try object(ofClassNamed: "NoClassOfThisName")) == NSManagedObject.self)
        #expect(type(of: try object(ofClassNamed: "NestedThing")) == NSManagedObject.self)
        #expect(type(of: try object(ofClassNamed: "Elsewhere.UniquelyNamedThing")) == NSManagedObject.self)
    }

    @Test("A model that names a class of another kind, or one of several, cannot be used") func unusableClasses() async throws {
        _ = DoublyNamedThing.self
        let other = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ModelClassTests.use("CoreDataTests.NoObjectOfAModel")
        }
        let otherText = String(decoding: try #require(other).standardErrorContent, as: UTF8.self)
        #expect(otherText.contains("The model cannot be used"))
        #expect(otherText.contains("the class CoreDataTests.NoObjectOfAModel is no subclass of NSManagedObject"))
        let double = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ModelClassTests.use("DoublyNamedThing")
        }
        let doubleText = String(decoding: try #require(double).standardErrorContent, as: UTF8.self)
        let message = "the class DoublyNamedThing may be each of …, …: say its module"
        #expect(masked(doubleText, "…\(message)…") == "…\(message)…")
    }

    private static func use(_ className: String) {
        let entity = PeopleModel.entity("Thing")
        entity.managedObjectClassName = className
        let model = NSManagedObjectModel()
        model.entities = [entity]
        _ = NSPersistentStoreCoordinator(managedObjectModel: model)
    }
}
