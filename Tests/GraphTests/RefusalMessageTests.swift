import FoundationEssentials
import Strata
import StrataInMemory
import StrataTestSupport
import Testing

@testable import StrataGraph

private enum Only: String, ValueConvertible, Codable, CaseIterable { case one }

/// Two elements with the same samples.
private struct Twins: CompositeValue {
    var a: Only?
    var b: Only?
    static let elements: [CompositeElement<Self>] = [.init("a", \.a), .init("b", \.b)]
}

private final class Sample: ManagedObject {
    static let twins = Key<Twins>("twins")
    static let numbers = Key<[Int]>("numbers")
    static let rank = Key<Rank>("rank")
    var twins: Twins? { self[Self.twins] }
    var numbers: [Int]? {
        get { self[Self.numbers] }
        set { self[Self.numbers] = newValue }
    }
    var rank: Rank? { self[Self.rank] }
}

private final class Left: ManagedObject {
    override class var entityDeclaration: EntityDeclaration? {
        let right = DeclaredProperty(ToOne<Right>("right"), isOptional: true, inverse: "left", of: Sample.self)
        return EntityDeclaration("Left", class: Left.self, properties: [right])
    }
}

private final class Right: ManagedObject {
    override class var entityDeclaration: EntityDeclaration? { EntityDeclaration("Right", class: Right.self, properties: []) }
}

/// Each message about objects of other models, about keys and values that do not fit, and about reads that failed.
@Suite("Messages of refusals")
struct RefusalMessageTests {
    private let context: ManagedObjectContext
    /// A context with an object of another model.
    private let foreign: ManagedObjectContext
    private let alien: ManagedObject

    init() throws {
        context = try Zoo.context()
        let model = try ManagedObjectModel {
            Entity("Sample", class: Sample.self) {
                Attribute("rank", .string)
                Attribute("numbers", .transformable, transformer: .codable([String].self))
                Attribute("odd", .integer16, validation: [.predicate("rank == 'chief'")])
            }
            Entity("Alien") { Attribute("name", .string) }
        }
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addStore(StoreDescription(.inMemory))
        foreign = ManagedObjectContext(coordinator)
        alien = try foreign.insert("Alien")
    }

    private func message(_ body: () throws -> Void) -> String? {
        do { try body() } catch {
            return (error as? StoreError)?.message ?? (error as? QueryError)?.message ?? (error as? ModelError)?.message ?? "\(error)"
        }
        return nil
    }

    private func coordinator(of context: ManagedObjectContext) throws -> RecordingCoordinator {
        try #require(context.coordinator as? RecordingCoordinator)
    }

    @Test("Of a class that declares no entity, and of an inverse of another class")
    func declarations() {
        #expect(
            message { _ = try ManagedObjectModel(classes: [Person.self]) }
                == "the class Person does not say its entity, as one of @Model does")
        #expect(
            message { _ = try ManagedObjectModel(classes: [Left.self]) }
                == "the inverse \\Sample.left is no property of Right, the relationship's destination")
    }

    @Test("Of an object or an entity of another model")
    func otherModels() throws {
        #expect(message { _ = try ManagedObject(entity: alien.entity, insertInto: context) } == "the entity is of another model")
        let unattached = try ManagedObject(entity: alien.entity, insertInto: nil)
        context.insert(unattached)
        #expect(message { try context.save() } == "not exactly one entity of the model has the class ManagedObject")
        let condition = QueryPredicate.comparison(
            .init(.path(.constant(.objectID(alien.objectID)), "name"), .equal, .constant("x")))
        let request = ObjectFetchRequest<ManagedObject>(entityName: "Person", condition)
        #expect(message { _ = try context.fetch(request) } == "it is no object of this model")
    }

    @Test("Of an element of a given object's destinations that depends on the fetched object")
    func elements() throws {
        let person = context.person("Ada")
        try context.save()
        let friends = QueryExpression.path(.constant(.objectID(person.objectID)), "friends")
        let isAdult = QueryExpression.path(.variable("x"), "age") > 17
        let adults = QueryExpression.subquery(.element(friends, .at(.keyPath("age"))), variable: "x", isAdult)
        let request = ObjectFetchRequest<ManagedObject>(entityName: "Person", QueryExpression.path(adults, "@count") > 0)
        #expect(
            message { _ = try context.fetch(request) }
                == "which element it is depends on the object that is fetched, and nothing can be asked of it but an attribute")
    }

    @Test("Of a condition over more objects of a given one than it may list")
    func candidates() throws {
        let people = Set((0..<47).map { context.person("\($0)") })
        for person in people { try person.setValue(people, forKey: "friends") }
        try context.save()
        let friends = QueryExpression.path(.constant(.objectID(try #require(people.first).objectID)), "friends.friends.friends")
        let isOlder = QueryPredicate.comparison(.init(.path(.variable("x"), "age"), .greater, .keyPath("age")))
        let older = QueryExpression.subquery(friends, variable: "x", isOlder)
        let request = ObjectFetchRequest<ManagedObject>(entityName: "Person", QueryExpression.path(older, "@count") > 0)
        #expect(
            message { _ = try context.fetch(request) }
                == "a condition that reads the fetched object goes through 100000 objects of a given one at most")
    }

    @Test("Of more values than a row holds")
    func size() throws {
        let person = context.person("Ada")
        try person.setValue(Data.reserved(1 << 31), forKey: "photo")
        #expect(message { try context.save() } == "the values of one object exceed 2 GiB")
    }

    private static let keyPaths: [(String, any AnyKeyPath & Sendable)] = [
        ("of type Int, it references no stored property of String: it does not start at a managed object", \String.count),
        (
            "of type Optional<Array<Int>>, it references no stored property of Sample: there is no sample of the type Array<Int>",
            \Sample.numbers
        ),
        (
            """
            of type Optional<Only>, it references no stored property of Sample: \
            nothing tells twins.a from twins.b: name the element by its typed key
            """,
            \Sample.twins?.a
        ),
    ]

    @Test("Of a key path to no property", arguments: keyPaths)
    func keyPath(_ message: String, _ keyPath: any AnyKeyPath & Sendable) {
        #expect(self.message { _ = try KeyPathProbe.path(of: keyPath) } == message)
    }

    @Test("Of a value that its type or its transformer does not have")
    func values() throws {
        let sample = Sample(context: foreign)
        sample.numbers = [1]
        #expect(message { try foreign.save() } == "the transformer takes no Array<Int>")
        foreign.reset()
        let stored = Sample(context: foreign)
        try stored.setValue(["a"], forKey: "numbers")
        try stored.setValue("king", forKey: "rank")
        try foreign.save()
        let reader = ManagedObjectContext(foreign.coordinator)
        let read = try #require(reader.object(with: stored.objectID) as? Sample)
        #expect(read.numbers == nil)
        #expect(read.rank == nil)
        let rank = "rank of … is …king…, which is no Rank"
        #expect(masked((reader.lastFaultError as? StoreError)?.message, rank) == rank)
        #expect(message { try reader.save() } == "the transformer makes no Array<Int>")
    }

    @Test("Of a rule over another property")
    func rules() throws {
        let sample = Sample(context: foreign)
        try sample.setValue(1, forKey: "odd")
        let failures = (#expect(throws: ValidationError.self) { try foreign.save() })?.failures ?? []
        #expect(
            failures.map(\.message) == [
                "1 cannot be tested by rank == 'chief': rank on Sample: the value has none: it is SELF, and has a length"
            ])
    }

    @Test("Of an object whose context was freed, or whose row cannot be read")
    func lostObjects() throws {
        var lost: ManagedObjectContext? = context.sibling()
        let person = try #require(lost?.person("Ada"))
        lost = nil
        context.insert(person)
        #expect(message { try context.save() } == "the context of \(person.objectID) was released before it")
        let saved = context.person("Bob")
        try context.save()
        let reading = context.sibling()
        let unread = try reading.here(saved)
        try coordinator(of: reading).failing { _ = unread[Person.name] }
        let failure = "… could not be read…: values computed from it are not saved; read it again"
        #expect(masked(message { try reading.save() }, failure) == failure)
    }

    @Test("Of a relationship between objects of two stores")
    func stores() throws {
        let coordinator = PersistentStoreCoordinator(model: try Zoo.model())
        let stores = try (0..<2).map { _ in try coordinator.addStore(StoreDescription(.inMemory)) }
        let context = ManagedObjectContext(coordinator)
        let (first, second) = (context.person("Ada"), context.person("Bob"))
        try context.assign(first, to: stores[0])
        try context.assign(second, to: stores[1])
        first[Person.idol] = second
        let message = "… is related to … in another store"
        #expect(masked(self.message { try context.save() }, message) == message)
    }

    @Test("Of rows that a child context saves")
    func rows() {
        let child = ManagedObjectContext(parent: context)
        #expect(message { _ = try child.source.save(SaveChangesRequest()) } == "a parent context takes objects, not rows")
    }
}
