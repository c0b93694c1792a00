import Strata
import StrataInMemory
import Testing

@Suite("Destinations after a save")
struct SavedDestinationTests {
    @Test("New objects of one entity that go to two stores, some with permanent IDs before, are related as a new context reads it")
    func twoStores() throws {
        let coordinator = PersistentStoreCoordinator(model: try Zoo.model())
        let stores = [try coordinator.addStore(StoreDescription(.inMemory)), try coordinator.addStore(StoreDescription(.inMemory))]
        let context = ManagedObjectContext(coordinator)
        // By store, and made in turn: neighbours go to different ones.
        var families: [[Person]] = [[], []]
        for number in 0..<80 {
            let (person, store) = (context.person("P\(number)"), number % 2)
            if store == 1 { try context.assign(person, to: stores[1]) }
            if number % 7 == 0 { try context.obtainPermanentIDs(for: [person]) }
            if let head = families[store].first {
                person[Person.parent] = head
                head.add(person, to: Person.friends)
            }
            families[store].append(person)
            if number == 49 { try context.save() }
        }
        try context.save()
        let other = context.sibling()
        for (store, family) in zip(stores, families) {
            let (head, others) = (family[0], Set(family.dropFirst()))
            #expect(head.objectID.storeID == store.id)
            let there = try #require(try other.existingObject(with: head.objectID) as? Person)
            for key in [Person.children, Person.friends] {
                #expect(head[key] == others)
                #expect(Set(there[key].map(\.objectID)) == Set(others.map(\.objectID)))
            }
            for person in others {
                #expect(person[Person.friends] == [head])
                #expect(person[Person.parent] === head)
            }
        }
    }
}
