import Observation
import Strata
import StrataInMemory
import Testing

@Suite("A context that goes while its objects are used")
@MainActor
struct LostContextTests {
    @MainActor
    private final class Holder {
        var context: ManagedObjectContext?
    }

    @Test("An observer of a property lets go of the context as the property is set")
    func settingAValue() throws {
        let model = try ManagedObjectModel { Entity("Note") { Attribute("text", .string) } }
        let coordinator = try PersistentContainer(model: model, stores: [StoreDescription(.inMemory)]).coordinator
        let holder = Holder()
        holder.context = ManagedObjectContext(coordinator)
        holder.context?.isObservable = true
        let text = Key<String>("text")
        let note = try #require(try holder.context?.insert("Note"))
        note[text] = "first"
        withObservationTracking {
            _ = note[text]
        } onChange: {
            MainActor.assumeIsolated { holder.context = nil }
        }
        note[text] = "second"
        #expect(holder.context == nil)
        #expect(note.managedObjectContext == nil)
        note[text] = "third"
        #expect(note[text] == "third")
    }
}
