import Strata
import StrataInMemory
import StrataModel
import Testing

/// What no program does that is right ends it, in release builds too, with a message that names the rule.
@Suite("Programmers' errors", .timeLimit(.minutes(60)))
struct ProgrammerErrorTests {
    private func text(_ result: ExitTest.Result?) -> String {
        result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    }

    @Test("Keys of relationships that the entity does not have")
    func relationships() async throws {
        let read = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Zoo.context().person("A")[ToOne<Person>("nobody")]
        }
        #expect(text(read).contains("Person has no to-one relationship nobody"))
        let written = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try Zoo.context()
            withExtendedLifetime(context) { context.person("A")[ToOne<Pet>("pets")] = nil }
        }
        #expect(text(written).contains("Person has no to-one relationship pets"))
        let many = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try Zoo.context()
            withExtendedLifetime(context) { _ = context.person("A")[ToMany<Person>("spouse")] }
        }
        #expect(text(many).contains("Person has no to-many relationship spouse"))
    }

    @Test("A fetched property that the entity does not have")
    func fetchedProperty() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try Zoo.context()
            withExtendedLifetime(context) { _ = context.person("A")[Fetched<Person>("fans")] }
        }
        #expect(text(result).contains("Person has no fetched property fans"))
    }

    @Test("An object of a class that no entity names, or more than one")
    func classes() async throws {
        let none = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Company(context: try Zoo.context())
        }
        #expect(text(none).contains("exactly one entity of the model must name the class Company"))
        let several = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ManagedObject(context: try Zoo.context())
        }
        #expect(text(several).contains("exactly one entity of the model must name the class ManagedObject"))
    }

    @Test("A result that there is none of, and one that is of another class than it was asked for as")
    func lazyResults() async throws {
        let beyond = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try Zoo.context()
            try withExtendedLifetime(context) { _ = try context.fetchLazily(ObjectFetchRequest<Person>())[0] }
        }
        #expect(text(beyond).contains("there is no result 0 among 0"))
        let other = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try Firm.context()
            let id = try {
                let manager = Manager(context: context)
                try context.save()
                return manager.objectID
            }()
            let scopes = ObjectIDScopes(model: context.model, storeID: id.storeID)
            let entity = context.entity(of: Employee.self)
            // Here as an object of an ancestor's class, before anybody knew better.
            let employee = context.object(with: ObjectID(scope: scopes[entity?.index ?? 0], reference: id.reference))
            try withExtendedLifetime(employee) { _ = try context.fetchLazily(ObjectFetchRequest<Manager>())[0] }
        }
        #expect(text(other).contains("the object's class was not known to be Manager when it was fetched"))
    }

    #if DEBUG
        /// Takes a context out of its blocks, as no program should.
        private final class Leak: @unchecked Sendable { var context: ManagedObjectContext? }

        @Test("A context of a queue or an actor that is used elsewhere")
        func queues() async throws {
            let queue = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let leak = Leak()
                let background = BackgroundContext(try Zoo.coordinator(), name: "importer")
                background.performAndWait { leak.context = $0 }
                try leak.context?.save()
            }
            #expect(text(queue).contains("importer is used outside of its queue or actor"))
            let actor = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let leak = Leak()
                try await MainActor.run {
                    leak.context = ManagedObjectContext(try Zoo.coordinator())
                    leak.context?.name = "view"
                }
                try leak.context?.save()
            }
            #expect(text(actor).contains("view is used outside of its queue or actor"))
        }
    #endif
}
