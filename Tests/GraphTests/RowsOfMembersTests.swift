import Strata
import StrataModel
import StrataStore
import Testing

@testable import StrataCoordinator
@testable import StrataGraph

/// Members that were added without rows were each searched for among all rows that had been read with an owner, and each fault that fired searched
/// the rows of the last owner: both took time that grew with the square.
@Suite("Rows that were read with the members of an owner")
struct RowsOfMembersTests {
    private static func rows(_ references: some Sequence<Int64>) throws -> [Row] {
        let entity = try #require(try ManagedObjectModel { Entity("Item") { Attribute("name", .string) } }.entity(named: "Item"))
        var writer = RowWriter()
        return references.map { reference in
            writer.begin(entity, reference: reference, version: 1)
            return writer.finish()
        }
    }

    @Test("The rows of references are found in their order, in another one, and among references without rows")
    func order() throws {
        var rows = RowsOfReferences(try Self.rows(1...4))
        let references: [Int64] = [1, 2, 9, 4, 3, 8, 1]
        #expect(references.map { rows.next($0)?.reference } == [1, 2, nil, 4, 3, nil, 1])
    }

    @Test("References without rows, among many rows, are found missing")
    func many() throws {
        var rows = RowsOfReferences(try Self.rows(1...20_000))
        #expect((20_001...40_000).allSatisfy { rows.next($0) == nil })
        #expect((1...20_000).allSatisfy { rows.next($0)?.reference == $0 })
    }

    @Test("Members that were added to an owner whose rows wait are read with the waiting rows of the others")
    func addedMembers() throws {
        let coordinator = try Zoo.coordinator()
        let writer = ManagedObjectContext(coordinator)
        for number in 0..<20 {
            let person = writer.person("\(number)")
            person[Person.tasks] = (0..<2).map { index in
                let job = Job(context: writer)
                job[Job.title] = "\(index)"
                return job
            }
        }
        try writer.save()
        let context = ManagedObjectContext(coordinator)
        let people = try context.fetch(ObjectFetchRequest<Person>(sort: [Person.name.ascending]))
        for person in people.prefix(2) { #expect(person[Person.tasks].map { $0[Job.title] } == ["0", "1"]) }
        func add(_ title: String, at index: Int?) {
            let job = Job(context: context)
            job[Job.title] = title
            if let index { people[5].add(job, to: Person.tasks, at: index) } else { people[5].add(job, to: Person.tasks) }
        }
        for number in (0..<250).reversed() { add("first \(number)", at: 0) }
        for number in 0..<250 { add("last \(number)", at: nil) }
        let before = coordinator.seen
        let titles: [String?] = people[5][Person.tasks].map { $0[Job.title] }
        let expected: [String] = (0..<250).map { "first \($0)" } + ["0", "1"] + (0..<250).map { "last \($0)" }
        #expect(titles == expected)
        #expect(people[6][Person.tasks].map { $0[Job.title] } == ["0", "1"])
        #expect(coordinator.seen.reads == before.reads)
    }

    @Test("A fault that fires removes the waiting rows of the last owner only where it is the owner's watched member")
    func watchedMember() throws {
        let model = try ManagedObjectModel {
            Entity("List") { Relationship("items", to: "Item", inverse: "list", .toMany) }
            Entity("Item") { Relationship("list", to: "List", inverse: "items") }
        }
        let (list, item) = (try #require(model.entity(named: "List")), try #require(model.entity(named: "Item")))
        let items = try #require(list.relationship(named: "items"))
        let scopes = ObjectIDScopes(model: model, storeID: StoreID("store"))
        func id(_ entity: EntityDescription, _ reference: Int64) -> ObjectID { ObjectID(scope: scopes[entity.index], reference: reference) }
        var cache = PrefetchedRows()
        cache.add([try Self.rows(1...3), try Self.rows(4...6)], of: items, from: [id(list, 1), id(list, 2)])
        cache.watch(id(item, 1), of: items, from: id(list, 1))
        cache.didFire(id(item, 2))
        #expect(cache.memberRows(of: items, from: id(list, 1))?.count == 3)
        cache.didFire(id(item, 1))
        #expect(cache.memberRows(of: items, from: id(list, 1)) == nil)
        #expect(cache.memberRows(of: items, from: id(list, 2))?.count == 3)
    }
}
