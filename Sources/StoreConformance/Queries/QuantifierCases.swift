import Strata

/// ANY, ALL and NONE over lists that are computed, and over lists of constants.
enum QuantifierCases {
    /// Ann (50) is the boss of Bob (40) and Cid (60, no salary), Bob of Dan (no age) and Eve (20).
    static func build(_ environment: ConformanceEnvironment) throws -> ConformanceStack {
        let stack = try environment.stack(Models.company)
        let context = stack.context()
        var people: [String: Person] = [:]
        for (name, age, boss) in [("Ann", 50, nil), ("Bob", 40, "Ann"), ("Cid", 60, "Ann"), ("Dan", nil, "Bob"), ("Eve", 20, "Bob")]
            as [(String, Int16?, String?)]
        {
            let person = Person(name, context, age: age)
            person.boss = boss.flatMap { people[$0] }
            people[name] = person
        }
        people["Cid"]?.friends = Set([people["Ann"], people["Eve"]].compactMap(\.self))
        try context.save()
        return try stack.reopened()
    }

    private static func people(_ format: String, _ expected: String...) -> ConformanceCase {
        ConformanceCase("\(format) is the same pushed down and over objects", in: .queries) { environment in
            let context = try build(environment).context()
            let predicate = try QueryPredicate(format: format)
            try expectEqual(try context.names(of: Person.self, predicate), expected)
            try expectEqual(try context.count(for: ObjectFetchRequest<Person>(predicate)), expected.count)
            try expectEqual((try context.names(of: Person.self, !predicate) + expected).sorted(), ["Ann", "Bob", "Cid", "Dan", "Eve"])
            let everyone = try context.fetch(ObjectFetchRequest<Person>(sort: [Person.name.ascending]))
            try expectEqual(try inOrder(everyone.filter { try predicate.evaluate(with: $0) }), expected)
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        people("ANY (reports.age UNION reports.reports.age) > 50", "Ann")
        people("ALL (reports.age UNION friends.age) < 51", "Cid", "Dan")
        people("NONE (reports.age UNION {20}) == 20")
        people("ANY (reports.age INTERSECT {40, 20}) == 40", "Ann")
        people("ALL (reports.age INTERSECT {40, 20}) >= 40", "Ann", "Cid", "Dan", "Eve")
        people("ANY (reports.age MINUS {nil}) != 40", "Ann", "Bob")
        people("ANY (boss.reports MINUS reports) == SELF", "Bob", "Cid", "Dan", "Eve")
        people("NONE (boss.reports UNION boss.reports.reports) == SELF", "Ann")
        people("ANY (reports.name UNION friends.name) BEGINSWITH[c] 'e'", "Bob", "Cid")
        people("ANY (reports.name INTERSECT {'Bob', 'Eve'}) LIKE 'B*'", "Ann")
        people("ALL (reports.name MINUS {'Bob'}) MATCHES '[CD].*'", "Ann", "Cid", "Dan", "Eve")
        people("ANY (reports.name UNION nil) == 'Bob'")
        people("ALL (reports.age MINUS {nil}) BETWEEN {age - 30, age + 10}", "Ann", "Bob", "Cid", "Dan", "Eve")
        people("ANY (reports.age UNION {0}) IN {40, 60}", "Ann")
        people("ANY (reports.age UNION {20}) IN reports.reports.age", "Ann")
        people("ANY reports.@distinctUnionOfObjects.age == nil", "Bob")
        people("ALL reports.@unionOfObjects.age > 30", "Ann", "Cid", "Dan", "Eve")
        people("ANY SUBQUERY(reports, $x, $x.age != nil).name == 'Eve'", "Bob")
        people("ANY {20, 40} == age", "Bob", "Eve")
        people("ALL {20, 40} != age", "Ann", "Cid", "Dan")
        people("ANY {30, 55} > age", "Ann", "Bob", "Eve")
        people("NONE {boss.age, age - 20} < 30", "Ann", "Cid", "Dan")
        people("ALL {name, boss.name} CONTAINS[c] 'b'")
        people("ANY {name, boss.name} CONTAINS[c] 'b'", "Bob", "Dan", "Eve")
        people("ANY TERNARY(age > 45, reports.@unionOfObjects.age, {1, 2}) < 50", "Ann", "Bob", "Dan", "Eve")
    }
}
