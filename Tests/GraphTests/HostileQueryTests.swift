import FoundationEssentials
import Strata
import StrataEvaluation
import StrataTestModels
import StrataTestSupport
import Testing

/// Queries that cost far more than they say.
///
/// Each test opens with what went wrong once.
@Suite("Queries that could take for ever")
struct HostileQueryTests {
    private final class Friend: ManagedObject {
        static let name = Key<String>("name")
        static let size = Key<Int>("size")
        static let best = ToOne<Friend>("best")
    }

    /// A store with ten people who are all friends of all.
    private func circle(_ store: TestStore, _ directory: TemporaryDirectory) throws -> ManagedObjectContext {
        let model = try ManagedObjectModel {
            Entity("Friend", class: Friend.self) {
                Attributes(["name": .string, "size": .integer64])
                Relationships(["friends": .toMany("Friend.friends"), "best": .toOne("Friend.fans"), "fans": .toMany("Friend.best")])
            }
        }
        let container = try PersistentContainer(model: model, stores: [store.description(in: directory.path, name: "circle")])
        let context = ManagedObjectContext(container.coordinator)
        let people = try (0..<10).map { number in
            let person = try context.insert("Friend")
            try person.setValue("n\(number)", forKey: "name")
            try person.setValue(number, forKey: "size")
            return person
        }
        for person in people { try person.setValue(Set(people), forKey: "friends") }
        try context.save()
        context.reset()
        return context
    }

    private func count(_ context: ManagedObjectContext, _ predicate: QueryPredicate) throws -> Int {
        try context.count(for: ObjectFetchRequest<Friend>(predicate))
    }

    @Test("A path through many to-many relationships takes no longer than its rows", arguments: TestStore.allCases)
    func longPaths(_ store: TestStore) throws {
        // Every way was gone by itself: ten friends of ten friends took ten times as long with each step.
        let directory = try TemporaryDirectory()
        let context = try circle(store, directory)
        let path = Array(repeating: "friends", count: 20).joined(separator: ".")
        #expect(try count(context, QueryPredicate(format: "ANY \(path).name == 'zz'")) == 0)
        #expect(try count(context, QueryPredicate(format: "ANY \(path).name == 'n1'")) == 10)
        #expect(try count(context, QueryPredicate(format: "ALL \(path).size < 10")) == 10)
        #expect(try count(context, QueryPredicate(format: "\(path).@count > 90000000000000000000.0")) == 10)
        #expect(try count(context, QueryPredicate(format: "SUBQUERY(\(path), $x, $x.name == 'n1').@count > 1000000000000000000")) == 10)
        #expect(try count(context, QueryPredicate(format: "\(path).@max.size == 9")) == 10)
        let message = "a path through several to-many relationships has … values, which are too many to list"
        for condition in ["\(path).@sum.size == 9", "\(path).name[LAST] == 'n9'"] {
            let error = #expect(throws: QueryError.self) { try count(context, QueryPredicate(format: condition)) }
            #expect(masked(error?.message, message) == message)
        }
        let four = Array(repeating: "friends", count: 4).joined(separator: ".")
        #expect(try count(context, QueryPredicate(format: "\(four).@count == 10000 AND \(four).@sum.size == 45000")) == 10)
        #expect(try count(context, QueryPredicate(format: "\(four).name[LAST] == 'n9' AND \(four).name[FIRST] == 'n0'")) == 10)
    }

    @Test("Thousands of alternatives and conditions are weighed at once", arguments: TestStore.allCases)
    func longChains(_ store: TestStore) throws {
        // Each alternative was united with all before it, and SQLite compares each parameter of a statement with all before it.
        let directory = try TemporaryDirectory()
        let context = try circle(store, directory)
        let equal = (0..<20_000).map { Friend.size == $0 * 3 }
        #expect(try count(context, .or(equal)) == 4)
        #expect(try count(context, .and(equal.map { .not($0) })) == 6)
        #expect(try count(context, .and((0..<20_000).map { Friend.size != $0 * 3 })) == 6)
        #expect(try count(context, .and((0..<20_000).map { Friend.size > 5 - $0 })) == 4)
        #expect(try count(context, .or((0..<5_000).map { Friend.size.between($0 * 4, $0 * 4 + 1) || Friend.name == "n\($0 * 5)" })) == 6)
    }

    @Test("A query made with an object before its first save means the object afterwards, too", arguments: TestStore.allCases)
    func unsavedObjects(_ store: TestStore) throws {
        // The query held the temporary ID, which no row has: after the save it was met by nothing.
        let directory = try TemporaryDirectory()
        let context = try circle(store, directory)
        let (star, fan) = (try context.insert("Friend"), try context.insert("Friend"))
        guard let star = star as? Friend else { return #expect(Bool(false), "the class of the entity") }
        try star.setValue("star", forKey: "name")
        try fan.setValue(star, forKey: "best")
        try star.setValue(Set([fan]), forKey: "friends")
        let queries: [QueryPredicate] = [
            Friend.best == star, try QueryPredicate(format: "best == %@", star),
            try QueryPredicate(format: "best IN %@", [star]), try QueryPredicate(format: "ANY friends == %@", star),
            try QueryPredicate(format: "best == $STAR").withSubstitutionVariables(["STAR": star]),
        ]
        for query in queries { #expect(try count(context, query) == 1, "\(query) before the save") }
        try context.save()
        for query in queries { #expect(try count(context, query) == 1, "\(query) after the save") }
        for query in queries { #expect(try query.evaluate(with: fan), "\(query) in memory") }
        #expect(
            try context.execute(BatchUpdateRequest(entityName: "Friend", Friend.best == star, set: ["size": .constant(.int(77))])).count
                == 1)
    }

    @Test("ANY, ALL and NONE of ANYKEY are about the values of all attributes", arguments: TestStore.allCases)
    func quantifiedAnyKey(_ store: TestStore) throws {
        // The quantifier went on to each attribute, which has one value only, and the error of that was passed over.
        let directory = try TemporaryDirectory()
        let context = try circle(store, directory)
        #expect(try count(context, QueryPredicate(format: "ANY ANYKEY == 5")) == 1)
        #expect(try count(context, QueryPredicate(format: "NONE ANYKEY == 5")) == 9)
        #expect(try count(context, QueryPredicate(format: "ALL ANYKEY == 5")) == 1)
        #expect(try count(context, QueryPredicate(format: "ANYKEY == 'n3'")) == 1)
    }

    @Test("What a function of the program throws arrives as it was thrown", arguments: TestStore.allCases)
    func thrownErrors(_ store: TestStore) throws {
        // One store made an error of its own of it.
        struct Boom: Error {}
        let directory = try TemporaryDirectory()
        let context = try circle(store, directory)
        QueryFunctionTable.register("explode:") { _ in throw Boom() }
        #expect(throws: Boom.self) { try count(context, QueryPredicate(format: "FUNCTION(name, 'explode:') == 1")) }
    }
}
