import Strata
import StrataTestModels

/// Requests and fetched properties that a model declares.
enum TemplateCases {
    private static let model = ModelResult.declared {
        Entity("Person", class: Relative.self) {
            Attributes(["name": .string, "age": .integer16])
            Relationship("friends", to: "Person", inverse: "friends", .toMany)
            FetchedProperty(
                "namesakes", to: "Person", predicate: "name == $FETCH_SOURCE.name AND SELF != $FETCH_SOURCE", sort: ["age"])
            FetchedProperty(
                "elders", to: "Person", predicate: "age > $FETCH_SOURCE.age", sort: [SortElement("age", ascending: false)], limit: 2)
            FetchedProperty(
                "marked", to: "Person", predicate: "name == $FETCHED_PROPERTY.userInfo.mark OR name == $FETCHED_PROPERTY.name"
            )
            .userInfo(["mark": "b"])
            FetchedProperty("strangers", to: "Person", predicate: "NOT SELF IN $FETCH_SOURCE.friends", sort: ["age"])
            FetchedProperty("broken", to: "Person", predicate: "age >")
        }
        Entity("Child", parent: "Person", class: Relative.self)
        FetchTemplate("between", entity: "Person", predicate: "age >= $LOW AND age <= $HIGH", sort: ["age"], limit: 3)
        FetchTemplate("friendsOf", entity: "Person", predicate: "ANY friends == $WHO", sort: ["age"])
        FetchTemplate("everyone", entity: "Person")
    }

    private final class Relative: ManagedObject {
        static let name = Key<String>("name")
        static let age = Key<Int16>("age")
        static let namesakes = Fetched<Relative>("namesakes")
        static let friends = ToMany<Relative>("friends")
    }

    /// a 10, b 20, a 30, c 40, a 50.
    private static func build(_ environment: ConformanceEnvironment) throws -> (ManagedObjectContext, [Relative]) {
        let stack = try environment.stack(model)
        let writer = stack.context()
        for (name, age) in [("a", 10), ("b", 20), ("a", 30), ("c", 40), ("a", 50)] as [(String, Int16)] {
            let person = try writer.insert(age == 40 ? "Child" : "Person")
            try person.setValue(name, forKey: "name")
            try person.setValue(age, forKey: "age")
        }
        try writer.save()
        let context = stack.context()
        let all = try context.fetch(ObjectFetchRequest<Relative>(entityName: "Person", sort: [Relative.age.ascending]))
        return (context, all)
    }

    private static func ages(_ objects: [ManagedObject]) throws -> [Int?] { try objects.map { try $0.value(forKey: "age") as? Int } }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A template is a request once its variables have values", in: .queries) { environment in
            let (context, people) = try build(environment)
            let model = context.model
            let between = try model.fetchRequest(fromTemplate: "between", substituting: ["LOW": 15, "HIGH": 60], for: Relative.self)
            try expectEqual(try ages(context.fetch(between)), [20, 30, 40])
            people[0][Relative.friends] = [people[1], people[3]]
            let friends = try model.fetchRequest(fromTemplate: "friendsOf", substituting: ["WHO": people[0]])
            try expectEqual(try ages(context.fetch(friends)), [20, 40])
            try expectEqual(try context.count(for: model.fetchRequest(fromTemplate: "everyone")), 5)
            let unbound = try expectThrows(QueryError.self) { try model.fetchRequest(fromTemplate: "between", substituting: ["LOW": 1]) }
            try expectEqual(unbound.reason, .unboundVariable)
            try expectEqual(unbound.subject, "$HIGH")
            let unknown = try expectThrows(QueryError.self) { try model.fetchRequest(fromTemplate: "nothing") }
            try expectEqual(unknown.reason, .unknownTemplate)
            let raw = try unwrap(model.fetchRequestTemplate(named: "between"))
            try expectEqual(raw.limit, 3)
            try expectEqual(try expectThrows(QueryError.self) { try context.fetch(raw) }.reason, .unboundVariable)
            try expect(try model.fetchRequestTemplate(named: "nothing") == nil, "a template that is not there")
        }
        ConformanceCase("A fetched property holds what its fetch finds", in: .queries) { environment in
            let (context, people) = try build(environment)
            try expectEqual(people[0][Relative.namesakes].map { $0[Relative.age] }, [30, 50])
            try expectEqual(people[1][Relative.namesakes].count, 0)
            try expectEqual(try ages(people[0].fetchedObjects("elders")), [50, 40])
            try expectEqual(try ages(people[3].fetchedObjects("elders")), [50], "an inherited property")
            try expectEqual(try ages(people[0].fetchedObjects("marked")), [20])
            people[0][Relative.friends] = [people[1], people[4]]
            try expectEqual(try ages(people[0].fetchedObjects("strangers")), [10, 30, 40])
            try expectStoreError(.unknownKey) { try people[0].fetchedObjects("nothing") }
            try expectThrows(QueryFormatError.self) { try people[0].fetchedObjects("broken") }
            try withExtendedLifetime(people) { try expectEqual(context.registeredObjects.count, 5) }
        }
        ConformanceCase("A fetched property stays as it was read until the object is refreshed", in: .queries) { environment in
            let (context, people) = try build(environment)
            try expectEqual(people[0][Relative.namesakes].count, 2)
            people[1][Relative.name] = "a"
            try expectEqual(people[0][Relative.namesakes].count, 2)
            context.refresh(people[0], mergeChanges: true)
            try expectEqual(people[0][Relative.namesakes].map { $0[Relative.age] }, [20, 30, 50])
            let new = try context.insert("Person")
            try new.setValue("a", forKey: "name")
            people[0][Relative.age] = 11
            context.refresh(people[0], mergeChanges: true)
            try expectEqual(people[0][Relative.namesakes].count, 4)
            try expectEqual(people[0][Relative.age], 11)
            try context.save()
            try expect(people[0][Relative.namesakes].contains { $0 === new }, "the new object is lost by the save")
        }
    }
}
