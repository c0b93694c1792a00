import Strata
import Testing

@testable import StrataGraph

@Suite("The list of changed objects")
struct ChangeListTests {
    // Removal searched the whole list for each object: the undo of thousands of deletions took quadratic time.
    @Test("Objects that leave a long list one by one, and come back, are in the order of their changes", arguments: [8, 100])
    func order(count: Int) throws {
        let context = try Zoo.context()
        let people = (0..<count).map { context.person("P\($0)") }
        try context.save()
        for person in people { person[Person.age] = 1 }
        #expect(context.tracker.changed == people)
        // Again and again without a look at the list, and the last one for good.
        for person in people.prefix(5) {
            context.refresh(person, mergeChanges: false)
            person[Person.age] = 2
            context.refresh(person, mergeChanges: false)
            person[Person.age] = 3
        }
        context.refresh(people[6], mergeChanges: false)
        #expect(context.tracker.changed == [people[5]] + people[7...] + people[..<5])
        for person in people.dropFirst(5) { context.refresh(person, mergeChanges: false) }
        #expect(context.tracker.changed == Array(people[..<5]))
        try context.save()
        #expect(!context.hasChanges)
        #expect(try context.elsewhere { try $0.count(for: ObjectFetchRequest<Person>(Person.age == 3)) } == 5)
    }
}
