import Strata

/// Conditions and orders over related objects whose changes are not saved.
enum PendingRelationshipCases {
    /// Two companies with two people each, skills, and a context in which nothing is fetched yet.
    private static func build(_ environment: ConformanceEnvironment) throws -> ManagedObjectContext {
        let stack = try environment.stack(Models.company)
        let writer = stack.context()
        for (city, ages) in [("Oslo", [20, 30]), ("Rome", [40, 50])] as [(String, [Int16])] {
            let company = Company(context: writer)
            company.name = city
            company.city = city
            for age in ages {
                let person = Person("\(city) \(age)", writer, age: age, company: company)
                let skill = Skill(context: writer)
                skill.name = "skill of \(age)"
                person.skills = [skill]
            }
        }
        try writer.save()
        return stack.context()
    }

    private static func any(_ path: String, _ op: QueryComparison.Operator, _ value: Value) -> QueryPredicate {
        .comparison(QueryComparison(.keyPath(path), op, .constant(value), modifier: .any))
    }

    /// Checks a condition on companies or people, and that a save makes no difference to it.
    private static func expect<T: ManagedObject>(
        _ context: ManagedObjectContext, _ type: T.Type, _ predicate: QueryPredicate, _ names: [String], line: Int = #line
    ) throws {
        try expectEqual(try context.names(of: type, predicate), names, "\(predicate)", line: line)
        let request = ObjectFetchRequest<T>(predicate)
        try expectEqual(try context.count(for: request), names.count, "counted where \(predicate)", line: line)
        try expectEqual(try context.fetchObjectIDs(request).count, names.count, "IDs where \(predicate)", line: line)
        let others = try context.count(for: ObjectFetchRequest<T>(!predicate))
        try expectEqual(others + names.count, try context.count(for: ObjectFetchRequest<T>()), "not where \(predicate)", line: line)
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A change of a related object is seen through a to-one relationship", in: .queries) { environment in
            let context = try build(environment)
            try context.named("Oslo", Company.self).city = "Paris"
            func check() throws {
                try expect(context, Person.self, key("company.city") == "Paris", ["Oslo 20", "Oslo 30"])
                try expect(context, Person.self, key("company.city") == "Oslo", [])
                try expect(context, Person.self, key("company.city") == "Rome" && key("age") > 40, ["Rome 50"])
            }
            try check()
            try context.save()
            try check()
        }
        ConformanceCase("A change of a related object is seen through a to-many relationship", in: .queries) { environment in
            let context = try build(environment)
            try context.named("Oslo 20", Person.self).age = 60
            func check() throws {
                try expect(context, Company.self, any("people.age", .greater, 45), ["Oslo", "Rome"])
                try expect(context, Company.self, any("people.age", .less, 25), [])
                try expect(context, Company.self, key("people.age.@max") == 60, ["Oslo"])
                try expect(context, Company.self, key("people.age.@sum") == 90, ["Oslo", "Rome"])
            }
            try check()
            try context.save()
            try check()
        }
        ConformanceCase("Only objects that lead over changed ones are asked for besides", in: .queries) { environment in
            // Every row was read for a condition through a to-many relationship.
            let context = try build(environment)
            try context.named("Oslo 20", Person.self).age = 60
            for predicate in [
                any("people.age", .greater, 55), key("people.age.@max") > 55, any("company.people.age", .greater, 55),
                key("company.city") == "Rome" || key("company.people.@count") == 3,
            ] {
                let isAboutPeople = predicate.predicateFormat.contains("company.")
                let explanation =
                    isAboutPeople
                    ? try context.explain(ObjectFetchRequest<Person>(predicate))
                    : try context.explain(ObjectFetchRequest<Company>(predicate))
                let plan = try unwrap(explanation.stores.first).plan
                try expectEqual(plan.decided.count, 1, "\(predicate): \(explanation)")
                try expectEqual(plan.remaining, [], "\(predicate): \(explanation)")
            }
            try expect(context, Person.self, any("company.people.age", .greater, 55), ["Oslo 20", "Oslo 30"])
        }
        ConformanceCase("After any changes a fetch finds what meets the condition now", in: .queries) { environment in
            let context = try build(environment)
            let writer = try context.fetch(ObjectFetchRequest<Person>(sort: [Person.name.ascending]))
            for (index, person) in writer.enumerated() { person.boss = index > 0 ? writer[index / 2] : nil }
            try context.save()
            let formats = [
                "ANY reports.age > 35", "ALL reports.age > 35", "reports.@count == 1", "reports.age.@max > 45", "ANY boss.reports.age > 35",
                "NONE reports.skills.name CONTAINS '5'", "ANY skills.name CONTAINS '2' OR boss.age < 30", "company.people.@count > 2",
                "SUBQUERY(company.people, $p, $p.age > age).@count > 0", "SUBQUERY(reports, $r, $r.company.city == 'Rome').@count > 0",
                "ANY reports.reports.age < 45", "boss.company.city == company.city AND ANY company.people.skills.name CONTAINS '3'",
                "reports[FIRST].age > 25", "ANY reports.boss.age == age", "SELF IN boss.reports AND boss.reports.@sum.age > 60",
            ]
            func check(_ what: String) throws {
                let everyone = try context.fetch(ObjectFetchRequest<Person>(sort: [Person.name.ascending]))
                for format in formats {
                    let predicate = try QueryPredicate(format: format)
                    let expected = try inOrder(everyone.filter { try predicate.evaluate(with: $0) })
                    try expectEqual(try context.names(of: Person.self, predicate), expected, "\(format) after \(what)")
                    try expectEqual(
                        try context.names(of: Person.self, !predicate).count, everyone.count - expected.count, "not \(format) after \(what)"
                    )
                }
            }
            // Each from the saved state, in a context in which nothing else is known.
            let changes: [(String, (ManagedObjectContext) throws -> Void)] = [
                ("a change of an attribute", { try $0.named("Oslo 30", Person.self).age = 55 }),
                ("another boss", { try $0.named("Rome 50", Person.self).boss = $0.named("Rome 40", Person.self) }),
                ("a report that comes", { try $0.named("Rome 50", Person.self).reports = [$0.named("Oslo 20", Person.self)] }),
                ("reports that go", { try $0.named("Oslo 20", Person.self).reports = [] }),
                ("a company that goes", { $0.delete(try $0.named("Rome", Company.self)) }),
                ("a move", { try $0.named("Oslo 20", Person.self).company = $0.named("Rome", Company.self) }),
                ("a new report", { context in Person("New", context, age: 5).boss = try context.named("Rome 40", Person.self) }),
                (
                    "a skill that is shared",
                    { try $0.named("Oslo 20", Person.self).skills.formUnion($0.named("Rome 50", Person.self).skills) }
                ),
                ("a person that goes", { $0.delete(try $0.named("Oslo 30", Person.self)) }),
                ("a change of a company", { try $0.named("Rome", Company.self).city = "Oslo" }),
            ]
            for (what, change) in changes {
                try change(context)
                try check(what)
                context.rollback()
                context.reset()
            }
            for (what, change) in changes where what != "a company that goes" {
                try change(context); try check("many changes, with " + what)
            }
        }
        ConformanceCase("Members that come and go unsaved count", in: .queries) { environment in
            let context = try build(environment)
            let oslo = try context.named("Oslo", Company.self)
            _ = Person("new", context, age: 99, company: oslo)
            try context.named("Rome 50", Person.self).company = oslo
            context.delete(try context.named("Oslo 30", Person.self))
            let empty = Company(context: context)
            empty.name = "empty"
            let full = Company(context: context)
            full.name = "full"
            _ = Person("only", context, age: 5, company: full)
            func check() throws {
                try expect(context, Company.self, key("people.@count") == 3, ["Oslo"])
                try expect(context, Company.self, key("people.@count") == 1, ["Rome", "full"])
                try expect(context, Company.self, key("people.@count") == 0, ["empty"])
                try expect(context, Company.self, any("people.name", .equal, "new"), ["Oslo"])
                try expect(context, Company.self, any("people.age", .equal, 30), [])
                try expect(context, Company.self, any("people.age", .equal, 50), ["Oslo"])
                try expect(context, Company.self, key("people.age.@min") == 5, ["full"])
            }
            try check()
            try context.save()
            try check()
        }
        ConformanceCase("Links that come and go unsaved count", in: .queries) { environment in
            let context = try build(environment)
            let people = try context.fetch(ObjectFetchRequest<Person>(sort: [Person.age.ascending]))
            let skill = try context.named("skill of 20", Skill.self)
            people[1].skills.insert(skill)
            people[0].skills = []
            func check() throws {
                try expect(context, Person.self, any("skills.name", .equal, "skill of 20"), ["Oslo 30"])
                try expect(context, Person.self, key("skills.@count") == 2, ["Oslo 30"])
                try expect(context, Person.self, key("skills.@count") == 0, ["Oslo 20"])
                try expect(context, Skill.self, any("people.name", .equal, "Oslo 30"), ["skill of 20", "skill of 30"])
                try expect(context, Company.self, any("people.skills.name", .equal, "skill of 20"), ["Oslo"])
            }
            try check()
            try context.save()
            try check()
        }
        ConformanceCase("A deleted destination is met by nothing", in: .queries) { environment in
            let context = try build(environment)
            context.delete(try context.named("Oslo", Company.self))
            func check() throws {
                try expect(context, Person.self, key("company.city") == "Oslo", [])
                try expect(context, Person.self, key("company") == nil, ["Oslo 20", "Oslo 30"])
                try expect(context, Person.self, key("company.city") == nil, ["Oslo 20", "Oslo 30"])
            }
            try check()
            try context.save()
            try check()
        }
        ConformanceCase("An order over related objects that are changed is right, with limit and offset", in: .queries) { environment in
            let context = try build(environment)
            try context.named("Oslo", Company.self).city = "Zürich"
            _ = Person("nobody's", context, age: 1)
            let sort = [QuerySort("company.city"), QuerySort("age", ascending: false)]
            let whole = ["nobody's", "Rome 50", "Rome 40", "Oslo 30", "Oslo 20"]
            func check() throws {
                try expectEqual(try inOrder(context.fetch(ObjectFetchRequest<Person>(sort: sort))), whole)
                for (offset, limit) in [(0, 1), (1, 2), (2, 9), (4, 1), (5, 1)] {
                    let request = ObjectFetchRequest<Person>(sort: sort, limit: limit, offset: offset)
                    try expectEqual(try inOrder(context.fetch(request)), Array(whole.dropFirst(offset).prefix(limit)))
                    let rich = ObjectFetchRequest<Person>(key("company.city") != "Oslo", sort: sort, limit: limit, offset: offset)
                    try expectEqual(try inOrder(context.fetch(rich)), Array(whole.dropFirst(offset).prefix(limit)))
                }
            }
            try check()
            try context.save()
            try check()
        }
        ConformanceCase("An object is tested as a fetch would test it", in: .queries) { environment in
            let context = try build(environment)
            let person = try context.named("Oslo 20", Person.self)
            try expectEqual(try (key("age") == 20).evaluate(with: person), true)
            person.age = 21
            try context.named("Oslo", Company.self).city = "Paris"
            try expectEqual(try (key("age") == 21 && key("company.city") == "Paris").evaluate(with: person), true)
            let new = Person("new", context, company: person.company)
            try expectEqual(try (key("company.people.@count") == 3).evaluate(with: new), true)
            try expectEqual(try QueryExpression.keyPath("company.people.age.@max").value(with: new), 30)
            try expectEqual(try QueryExpression.keyPath("company").value(with: new).objectID, new.company?.objectID)
            let error = try expectThrows(QueryError.self) { try (key("nothing") == 1).evaluate(with: new) }
            try expectEqual(error.reason, .unknownKey)
        }
        ConformanceCase("A fetch within a condition is run before it", in: .queries) { environment in
            let context = try build(environment)
            let adults = QueryExpression.fetch(QueryFetch("Company", key("city") == "Rome"))
            try expectEqual(
                try context.names(of: Person.self, .comparison(QueryComparison(.keyPath("company"), .isIn, adults))),
                ["Rome 40", "Rome 50"])
            let count = QueryExpression.fetch(QueryFetch("Skill", countOnly: true))
            try expectEqual(
                try context.names(
                    of: Person.self, .comparison(QueryComparison(.function(.divide, [.keyPath("age"), .constant(10)]), .equal, count))),
                ["Rome 40"])
            let wrong = QueryExpression.fetch(QueryFetch("Nothing"))
            try expectStoreError(.unknownEntity) {
                try context.names(of: Person.self, .comparison(QueryComparison(.evaluatedObject, .isIn, wrong)))
            }
        }
    }
}
