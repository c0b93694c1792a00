import FoundationEssentials
import Strata
import StrataInMemory
import StrataTestSupport
import Testing

@Suite("The guide to undo", .timeLimit(.minutes(60)))
struct UndoGuideTests {
    final class Person: ManagedObject {
        static let name = Key<String>("name")
        static let pets = ToMany<Pet>("pets")
        var name: String? {
            get { self[Self.name] }
            set { self[Self.name] = newValue }
        }
        var pets: Set<Pet> { self[Self.pets] }
    }

    final class Pet: ManagedObject {
        static let name = Key<String>("name")
        static let title = Key<String>("title")
        static let lastSeen = Key<Date>("lastSeen")
        static let owner = ToOne<Person>("owner")
        var name: String? {
            get { self[Self.name] }
            set { self[Self.name] = newValue }
        }
        var title: String? {
            get { self[Self.title] }
            set { self[Self.title] = newValue }
        }
        var lastSeen: Date? {
            get { self[Self.lastSeen] }
            set { self[Self.lastSeen] = newValue }
        }
        var owner: Person? {
            get { self[Self.owner] }
            set { self[Self.owner] = newValue }
        }

        override func awake(fromSnapshotEvents events: SnapshotEvents) {
            title = name.map { "The pet \($0)" }
        }
    }

    private let context: ManagedObjectContext
    private let ada: Person

    init() throws {
        let model = try ManagedObjectModel {
            Entity("Person", class: Person.self) {
                Attribute("name", .string)
                Relationship("pets", to: "Pet", inverse: "owner", .toMany)
            }
            Entity("Pet", class: Pet.self) {
                Attribute("name", .string)
                Attribute("title", .string).transient
                Attribute("lastSeen", .date)
                Relationship("owner", to: "Person", inverse: "pets")
            }
        }
        let container = try PersistentContainer(model: model, stores: [StoreDescription(.inMemory)])
        context = container.newContext()
        ada = Person(context: context)
        try context.save()
    }

    @Test("Its examples are the code below")
    func text() throws {
        #expect(try PageExamples.ofGuide("Undo") == (4, []))
    }

    @Test("Events are steps")
    func events() throws {
        let undoManager = UndoManager()
        context.undoManager = undoManager
        let rex = Pet(context: context)
        rex.name = "Rex"
        try context.processPendingChanges()
        rex.owner = ada
        try context.processPendingChanges()
        try context.undo()
        #expect(rex.owner == nil)
        #expect(ada.pets.isEmpty)
        try context.undo()
        #expect(rex.managedObjectContext == nil)
        #expect(!context.hasChanges)
        try context.redo()
        #expect(rex.name == "Rex")
        #expect(rex.isInserted)
        #expect(rex.title == "The pet Rex")
    }

    @Test("A group has a name, and what is not registered is no step")
    func groups() throws {
        let undoManager = UndoManager()
        let rex = Pet(context: context)
        try context.save()
        context.undoManager = undoManager
        try undoManager.group("Adopt Rex") {
            rex.owner = ada
            try context.save()
            ada.name = "Ada, owner of Rex"
        }
        #expect(undoManager.undoActionName == "Adopt Rex")
        undoManager.disableUndoRegistration()
        rex.lastSeen = .now
        undoManager.enableUndoRegistration()
        #expect(undoManager.undoCount == 1)
        try context.undo()
        #expect(rex.owner == nil)
        #expect(ada.name == nil)
        #expect(rex.lastSeen != nil)
    }
}
