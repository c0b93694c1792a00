import Strata

/// Key paths through to-one relationships, comparisons with objects, and sub-entities.
enum PathQueryCases {
    private static func build(_ environment: ConformanceEnvironment) throws -> ConformanceStack {
        let stack = try environment.stack(Models.company)
        let context = stack.context()
        for (name, city) in [("A", "Rome"), ("B", "Oslo"), ("C", nil)] as [(String, String?)] {
            let company = Company(context: context)
            company.name = name
            company.city = city
        }
        let boss = Person("boss", context, age: 60, company: try context.named("A", Company.self))
        for (name, age, company, hasBoss) in [("p", 20, "A", true), ("q", 30, "B", true), ("r", nil, "C", false), ("s", 40, nil, true)]
            as [(String, Int16?, String?, Bool)]
        {
            let person = Person(name, context, age: age, company: try company.map { try context.named($0, Company.self) })
            person.boss = hasBoss ? boss : nil
        }
        try context.save()
        return try stack.reopened()
    }

    private static func people(_ name: String, _ predicate: QueryPredicate, _ expected: [String]) -> ConformanceCase {
        ConformanceCase(name, in: .queries) { environment in
            let stack = try build(environment)
            let context = stack.context()
            try expectEqual(try context.names(of: Person.self, predicate), expected)
            let request = ObjectFetchRequest<Person>(predicate)
            try expectEqual(try context.count(for: request), expected.count)
            try expectEqual(try context.fetchObjectIDs(request).count, expected.count)
            let rest = try context.names(of: Person.self, !predicate)
            try expectEqual((rest + expected).sorted(), ["boss", "p", "q", "r", "s"])
        }
    }

    private static let sixtySteps = String(repeating: "boss.", count: 60) + "name"

    @ConformanceCaseList static var all: [ConformanceCase] {
        people("A path through a relationship is compared at its end", key("company.city") == "Rome", ["boss", "p"])
        people("A path that ends nowhere is nil", key("company.city") == .null, ["r", "s"])
        people("A path that ends nowhere differs from every value", key("company.city") != "Rome", ["q", "r", "s"])
        people("A path of three steps is followed", key("boss.company.city") == "Rome", ["p", "q", "s"])
        people("A path of numbers has ranges", key("boss.age") >= 60, ["p", "q", "s"])
        people("Text at the end of a path is searched", Person.company.appending(Company.city).contains("OS", .caseInsensitive), ["q"])
        people("Paths are looked up in lists", key("company.name").isIn(["B", "C", .null]), ["q", "r", "s"])
        people("Paths combine with attributes", key("company.city") == "Rome" && Person.age < 50, ["p"])
        people("A relationship is nil or not", key("company") == .null, ["s"])
        people("A relationship that is not nil", key("boss") != .null, ["p", "q", "s"])
        people("A relationship at the end of a path is nil or not", key("boss.company") == .null, ["boss", "r"])
        // The time for them grew as 2 to the power of the steps on a server.
        people("A path of sixty steps that ends nowhere is nil", key(sixtySteps) == .null, ["boss", "p", "q", "r", "s"])
        people("A path of sixty steps that ends nowhere differs from every value", key(sixtySteps) != "p", ["boss", "p", "q", "r", "s"])
        people("A path of sixty steps that ends nowhere has no value", key(sixtySteps) == "p", [])
        ConformanceCase("A relationship is compared with an object", in: .queries) { environment in
            let stack = try build(environment)
            let context = stack.context()
            let a = try context.named("A", Company.self)
            let b = try context.named("B", Company.self)
            try expectEqual(try context.names(of: Person.self, Person.company == a), ["boss", "p"])
            try expectEqual(try context.names(of: Person.self, Person.company != a), ["q", "r", "s"])
            try expectEqual(try context.names(of: Person.self, Person.company == nil), ["s"])
            try expectEqual(try context.names(of: Person.self, Person.boss.appending(Person.company) == a), ["p", "q", "s"])
            let ids: [Value] = [.objectID(a.objectID), .objectID(b.objectID), .null]
            try expectEqual(try context.names(of: Person.self, key("company").isIn(ids)), ["boss", "p", "q", "s"])
            let unknown = ObjectID(scope: a.objectID.scope, reference: 99_999)
            try expectEqual(try context.names(of: Person.self, key("company") == .objectID(unknown)), [])
        }
        ConformanceCase("SELF is the object", in: .queries) { environment in
            let stack = try build(environment)
            let context = stack.context()
            let (p, q) = (try context.named("p", Person.self), try context.named("q", Person.self))
            func selves(_ op: QueryComparison.Operator, _ value: Value) -> QueryPredicate {
                .comparison(.init(.evaluatedObject, op, .constant(value)))
            }
            try expectEqual(try context.names(of: Person.self, selves(.equal, .objectID(p.objectID))), ["p"])
            try expectEqual(try context.names(of: Person.self, selves(.notEqual, .objectID(p.objectID))), ["boss", "q", "r", "s"])
            let list: Value = .list([.objectID(p.objectID), .objectID(q.objectID)])
            try expectEqual(try context.names(of: Person.self, selves(.isIn, list)), ["p", "q"])
            try expectEqual(try context.names(of: Person.self, !selves(.isIn, list)), ["boss", "r", "s"])
            try expectEqual(try context.names(of: Person.self, selves(.isIn, .list([]))), [])
        }
        ConformanceCase("Saved objects are compared by ID, in the order of a fetch without one", in: .queries) { environment in
            let stack = try build(environment)
            let writing = stack.context()
            for index in 0..<90 { _ = Person("t\(index)", writing, age: Int16(index % 7), company: nil) }
            try writing.save()
            for index in 0..<90 where index % 4 < 2 { writing.delete(try writing.named("t\(index)", Person.self)) }
            try writing.save()
            for isReopened in [false, true] {
                let context = try (isReopened ? stack.reopened() : stack).context()
                func found(_ format: String, _ id: ObjectID, limit: Int? = nil) throws -> [ObjectID] {
                    let condition = try QueryPredicate(format: format, Value.objectID(id))
                    return try context.fetchObjectIDs(ObjectFetchRequest<Person>(condition, limit: limit))
                }
                let all = try context.fetchObjectIDs(ObjectFetchRequest<Person>())
                for index in [0, 1, 7, all.count - 2, all.count - 1] {
                    try expectEqual(try found("SELF > %@", all[index]), Array(all[(index + 1)...]))
                    try expectEqual(try found("SELF >= %@", all[index]), Array(all[index...]))
                    try expectEqual(try found("SELF < %@", all[index]), Array(all[..<index]))
                    try expectEqual(try found("%@ >= SELF", all[index]), Array(all[...index]))
                    try expectEqual(try found("NOT SELF > %@", all[index]), Array(all[...index]))
                    let condition = try QueryPredicate(format: "SELF > %@", Value.objectID(all[index]))
                    try expectEqual(try context.count(for: ObjectFetchRequest<Person>(condition)), all.count - index - 1)
                }
                for condition in ["TRUEPREDICATE", "age == 3", "age != 3", "name BEGINSWITH 't'", "age == 3 OR age == 4"] {
                    let whole = try context.fetchObjectIDs(ObjectFetchRequest<Person>(try QueryPredicate(format: condition)))
                    var paged = Array(whole.prefix(1))
                    while let last = paged.last {
                        let page = try found("SELF > %@ AND (\(condition))", last, limit: 4)
                        if page.isEmpty { break }
                        paged += page
                    }
                    try expectEqual(paged, whole)
                }
                try expectEqual(try found("SELF < %@", Person(context: context).objectID), [])
            }
        }
        ConformanceCase("An object of another store is nowhere", in: .queries) { environment in
            let (stack, other) = (try build(environment), try environment.stack(Models.company, "other"))
            let context = other.context()
            let foreign = (0..<8).map { index in
                let company = Company(context: context)
                company.name = "F\(index)"
                return company
            }
            try context.save()
            for company in foreign {
                try expectEqual(try stack.context().names(of: Person.self, key("company") == .objectID(company.objectID)), [])
                try expectEqual(try stack.context().names(of: Person.self, key("company") != .objectID(company.objectID)).count, 5)
            }
        }
        ConformanceCase("Attributes of a path are compared with each other", in: .queries) { environment in
            let stack = try build(environment)
            let predicate = QueryPredicate.comparison(.init(key("boss.age"), .greater, key("age")))
            try expectEqual(try stack.context().names(of: Person.self, predicate), ["p", "q", "s"])
            let same = QueryPredicate.comparison(.init(key("boss.company"), .equal, key("company")))
            try expectEqual(try stack.context().names(of: Person.self, same), ["p"])
        }
        ConformanceCase("Paths through destinations of several entities are followed", in: .queries) { environment in
            let stack = try environment.stack(Models.zoo)
            let context = stack.context()
            for (entity, name) in [("Dog", "rex"), ("Cat", "tom"), ("Bird", "tweety")] {
                let animal = try context.add(entity, name)
                try context.add("Keeper", "keeper of \(name)").setValue(animal, forKey: "favourite")
                let keeper = try context.one("Keeper", "keeper of \(name)")
                try animal.setValue(keeper, forKey: "keeper")
            }
            try context.save()
            let again = try stack.reopened().context()
            try expectEqual(try names(again.all("Keeper", key("favourite.name") == "tom")), ["keeper of tom"])
            try expectEqual(try names(again.all("Keeper", key("favourite.name").like("t*"))), ["keeper of tom", "keeper of tweety"])
            try expectEqual(try names(again.all("Mammal", key("keeper.name").contains("e"))), ["rex", "tom"])
            try expectEqual(try names(again.all("Animal", key("keeper.favourite.legs") == 4)), ["rex", "tom", "tweety"])
            try expectEqual(try names(again.all("Cat", key("lives") == 9)), ["tom"])
        }
    }
}
