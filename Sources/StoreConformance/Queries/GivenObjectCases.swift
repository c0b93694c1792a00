import Strata
import StrataEvaluation

/// Paths that start at a given object: `$BOSS.company == company`.
enum GivenObjectCases {
    private static func context(_ environment: ConformanceEnvironment) throws -> ManagedObjectContext {
        try QuantifierCases.build(environment).context()
    }

    private static func names(
        _ context: ManagedObjectContext, _ format: String, _ who: any QueryArgument, savedOnly: Bool = false
    ) throws -> [String] {
        let predicate = try QueryPredicate(format: format).withSubstitutionVariables(["WHO": who])
        var request = ObjectFetchRequest<Person>(predicate, sort: [Person.name.ascending])
        request.includesPendingChanges = !savedOnly
        let found = try inOrder(try context.fetch(request))
        try expectEqual(try context.count(for: request), found.count, format)
        if !savedOnly {
            let everyone = try context.fetch(ObjectFetchRequest<Person>(sort: [Person.name.ascending]))
            try expectEqual(try inOrder(everyone.filter { try predicate.evaluate(with: $0) }), found, format)
        }
        return found
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A path starts at an object that was substituted for a variable", in: .queries) { environment in
            let context = try context(environment)
            let bob = try context.named("Bob", Person.self)
            let expected: [(String, [String])] = [
                ("$WHO.boss == boss", ["Bob", "Cid"]), ("$WHO.boss == SELF", ["Ann"]), ("age > $WHO.age", ["Ann", "Cid"]),
                ("age > $WHO.boss.age", ["Cid"]), ("name == $WHO.name", ["Bob"]),
                ("$WHO.company == company", ["Ann", "Bob", "Cid", "Dan", "Eve"]),
                ("SELF IN $WHO.reports", ["Dan", "Eve"]), ("$WHO.reports CONTAINS SELF", ["Dan", "Eve"]),
                ("ANY $WHO.reports.age == age", ["Dan", "Eve"]), ("ALL $WHO.boss.reports.age <= age", ["Cid"]),
                ("NONE $WHO.reports.name == name", ["Ann", "Bob", "Cid"]), ("age == $WHO.reports.@count + 18", ["Eve"]),
                ("age == $WHO.reports.age.@max", ["Eve"]), ("age IN $WHO.reports.age", ["Dan", "Eve"]),
                ("SELF == $WHO.reports[FIRST]", ["Dan"]), ("name == $WHO.reports[LAST].name", ["Eve"]),
                ("SELF IN SUBQUERY($WHO.reports, $x, $x.age == nil)", ["Dan"]),
                ("age == SUBQUERY($WHO.boss.reports, $x, $x.age > $WHO.age).age.@max", ["Cid"]),
                ("SUBQUERY(reports, $x, $x.age > $WHO.age).@count > 0", ["Ann"]), ("$WHO.entity.name == 'Person' AND age < 30", ["Eve"]),
                ("ANY reports.boss.name == $WHO.name", ["Bob"]),
                ("name == lowercase($WHO.name) OR name == uppercase:('x') OR $WHO.name == name", ["Bob"]),
                ("ANY ($WHO.reports UNION {SELF}) == boss", []), ("$WHO.boss.boss.name == boss.name", ["Ann"]),
            ]
            for (format, people) in expected {
                try expectEqual(try names(context, format, bob), people, format)
                try expectEqual(try names(context, format, bob.objectID), people, format)
            }
        }
        ConformanceCase("A subquery from a given object reads the fetched object", in: .queries) { environment in
            let context = try context(environment)
            let bob = try context.named("Bob", Person.self)
            let expected: [(String, [String])] = [
                ("SUBQUERY($WHO.reports, $x, $x.age < age).@count > 0", ["Ann", "Bob", "Cid"]),
                ("SUBQUERY($WHO.boss.reports, $x, $x.age > age).@count == 1", ["Ann", "Bob"]),
                ("SUBQUERY($WHO.boss.reports, $x, $x.age > age).age.@max == 60", ["Ann", "Bob", "Eve"]),
                ("SUBQUERY($WHO.boss.reports, $x, $x.age > age).@min.age - age == 20", ["Bob", "Eve"]),
                ("SUBQUERY($WHO.boss.reports, $x, $x.age > age).@unionOfObjects.age.@sum == 100", ["Eve"]),
                ("ANY SUBQUERY($WHO.boss.reports, $x, $x.age > age).name == 'Bob'", ["Eve"]),
                ("ALL SUBQUERY($WHO.boss.reports, $x, $x.age > age).name == 'Cid'", ["Ann", "Bob", "Cid", "Dan"]),
                ("ANY SUBQUERY($WHO.reports, $x, $x.age < age OR $x.age == nil).age == nil", ["Ann", "Bob", "Cid", "Dan", "Eve"]),
                ("SELF IN SUBQUERY($WHO.reports, $x, $x.boss == boss)", ["Dan", "Eve"]),
                ("SUBQUERY($WHO.reports, $x, $x.boss == boss) CONTAINS SELF", ["Dan", "Eve"]),
                ("SUBQUERY($WHO.boss.reports, $x, $x != SELF)[FIRST].name == 'Bob'", ["Ann", "Cid", "Dan", "Eve"]),
                ("SUBQUERY($WHO.boss.reports, $x, $x.age >= age)[SIZE] == 2", ["Bob", "Eve"]),
                ("SUBQUERY(SUBQUERY($WHO.boss.reports, $x, $x.age < age).reports, $y, $y.age < age).@count == 1", ["Ann", "Cid"]),
                ("SUBQUERY(reports, $y, SUBQUERY($WHO.boss.reports, $x, $x.age > $y.age).@count == 2).@count > 0", ["Bob"]),
                ("SUBQUERY($WHO.reports, $x, ANY $x.boss.reports.age < age).@count == 2", ["Ann", "Bob", "Cid"]),
                ("SUBQUERY($WHO.boss.reports.boss, $x, $x.age > age).@count == 2", ["Bob", "Eve"]),
                ("$WHO.reports[age / 20 - 1].name == 'Eve'", ["Ann", "Bob"]), ("$WHO.reports[age / 20 - 1] == SELF", []),
            ]
            for (format, people) in expected {
                try expectEqual(try names(context, format, bob), people, format)
                try expectEqual(try names(context, format, bob.objectID, savedOnly: true), people, format)
            }
            bob.age = 30
            let new = Person("New", context, age: 10)
            new.boss = try context.named("Ann", Person.self)
            try expectEqual(
                try names(context, "SUBQUERY($WHO.boss.reports, $x, $x.age < age).@count == 2", bob), ["Ann", "Cid"], "Bob and New")
            try expectEqual(try names(context, "SUBQUERY($WHO.boss.reports, $x, $x.age < age).@count == 2", bob, savedOnly: true), [])
        }
        ConformanceCase("A path of an argument starts at its object, and prints and parses", in: .queries) { environment in
            let context = try context(environment)
            let bob = try context.named("Bob", Person.self)
            let predicate = try QueryPredicate(format: "%@.boss == boss AND age > %@.age", bob, bob.objectID)
            try expectEqual(try context.names(of: Person.self, predicate), ["Cid"])
            let printed = try QueryPredicate(format: predicate.predicateFormat, model: context.model)
            try expectEqual(printed, predicate)
            // Without the model the ID stays a cast, which the fetch reads.
            try expectEqual(try context.names(of: Person.self, QueryPredicate(format: predicate.predicateFormat)), ["Cid"])
        }
        ConformanceCase("A path from a given object sees changes as the request does", in: .queries) { environment in
            let context = try context(environment)
            let (ann, bob) = (try context.named("Ann", Person.self), try context.named("Bob", Person.self))
            bob.age = 59
            let new = Person("New", context, age: 1)
            new.boss = bob
            try expectEqual(try names(context, "age > $WHO.age", bob), ["Cid"])
            try expectEqual(try names(context, "age > $WHO.age", bob, savedOnly: true), ["Ann", "Cid"])
            try expectEqual(try names(context, "SELF IN $WHO.reports", bob), ["Dan", "Eve", "New"])
            try expectEqual(try names(context, "SELF IN $WHO.reports", bob, savedOnly: true), ["Dan", "Eve"])
            try expectEqual(try names(context, "SELF == $WHO.boss", new), ["Bob"])
            try expectEqual(try names(context, "SELF == $WHO.boss.boss", new), ["Ann"])
            try expectEqual(try names(context, "boss == $WHO.boss", new, savedOnly: true), ["Ann"], "it is not saved")
            context.delete(ann)
            try expectEqual(try names(context, "boss.name == $WHO.name", ann), ["Bob", "Cid"], "a deleted object leads nowhere")
            try expectEqual(try names(context, "age == 20 + $WHO.reports.@count", ann), ["Eve"])
        }
        ConformanceCase("A path that does not fit the given object, or asks for the fetched one, is an error", in: .queries) {
            environment in
            let context = try context(environment)
            let bob = try context.named("Bob", Person.self)
            func reason(_ format: String) throws -> QueryError.Reason {
                let error = try expectThrows(QueryError.self) { try names(context, format, bob) }
                return error.reason
            }
            try expectEqual(try reason("$WHO.shoe == 1"), .unknownKey)
            try expectEqual(try reason("$WHO.name.length == 1"), .illegalKeyPath)
            try expectEqual(try reason("$WHO.reports.age > age"), .typeMismatch)
            try expectEqual(try reason("SUBQUERY($WHO.reports, $x, $x.shoe > age).@count > 0"), .unknownKey)
            try expectEqual(try reason("$WHO.reports[age].boss.reports.@count == 1"), .illegalKeyPath)
            let entity = try context.entity(named: "Person")
            let predicate = try QueryPredicate(format: "%@.age > 3", bob)
            let unprepared = try expectThrows(QueryError.self) { try predicate.resolved(for: entity, in: context.model) }
            try expectEqual(unprepared.reason, .illegalKeyPath)
        }
        ConformanceCase("Paths from given objects are computed in dictionaries, groups, values and batch requests", in: .queries) {
            environment in
            let context = try context(environment)
            let bob = try context.named("Bob", Person.self)
            let older = try QueryExpression(format: "age - %@.age", bob)
            var request = ObjectFetchRequest<Person>(try QueryPredicate(format: "boss == %@.boss", bob), sort: [QuerySort("older")])
            request.propertiesToFetch = ["name", older.named("older")]
            try expectEqual(try context.fetchDictionaries(request).map(\.values), [["Bob", 0], ["Cid", 20]])
            let groups = ObjectFetchRequest<Person>().grouped(
                by: [older.named("older")], computing: [.count(as: "number")],
                having: try QueryPredicate(format: "older >= %@.age - 40", bob))
            try expectEqual(try context.fetchDictionaries(groups).map(\.values), [[0, 1], [10, 1], [20, 1]])
            try expectEqual(try older.value(with: context.named("Eve", Person.self)), -20)
            let update = BatchUpdateRequest(
                entityName: "Person", try QueryPredicate(format: "SELF IN %@.reports", bob),
                set: ["age": try QueryExpression(format: "%@.age + 1", bob)])
            try context.execute(update)
            try expectEqual(try context.count(for: ObjectFetchRequest<Person>(key("age") == 41)), 2)
            let delete = ObjectFetchRequest<Person>(try QueryPredicate(format: "boss == %@", bob))
            try context.execute(BatchDeleteRequest(fetchRequest: delete))
            try expectEqual(try context.names(of: Person.self), ["Ann", "Bob", "Cid"])
        }
        ConformanceCase("FETCH within a request sees changes as the request does", in: .queries) { environment in
            let context = try context(environment)
            _ = Person("New", context, age: 1)
            let predicate = try QueryPredicate(format: "age == FETCH('Person', NULL, YES) * 10 OR age == FETCH('Person', NULL, YES) * 8")
            var request = ObjectFetchRequest<Person>(predicate, sort: [Person.name.ascending])
            try expectEqual(try inOrder(context.fetch(request)), ["Cid"], "six people")
            request.includesPendingChanges = false
            try expectEqual(try inOrder(context.fetch(request)), ["Ann", "Bob"], "five people")
        }
        ConformanceCase("FETCH is computed in properties to fetch, and for an object", in: .queries) { environment in
            let context = try context(environment)
            let share = try QueryExpression(format: "100 / FETCH('Person', 'age != nil', YES)")
            let rows = try context.fetchDictionaries(
                ObjectFetchRequest<Person>(key("name") == "Ann").fetching("name", share.named("share")))
            try expectEqual(rows.map(\.values), [["Ann", 25]])
            let average = ObjectFetchRequest<Person>().grouped(computing: [
                try QueryExpression(format: "sum:(age) / FETCH('Person', NULL, YES)").named("mean")
            ])
            try expectEqual(try context.fetchDictionaries(average).map(\.values), [[34]])
            _ = Person("New", context, age: 1)
            try expectEqual(try share.value(with: context.named("Ann", Person.self)), 20, "with what is not saved")
            let list = try QueryExpression(format: "FETCH('Person', NULL, NO)")
            let error = try expectThrows(QueryError.self) {
                try context.fetchDictionaries(ObjectFetchRequest<Person>().fetching(list.named("all")))
            }
            try expectEqual(error.reason, .illegalKeyPath)
            let unprepared = try expectThrows(QueryError.self) {
                try share.resolved(for: context.entity(named: "Person"), in: context.model)
            }
            try expectEqual(unprepared.reason, .illegalOperator)
        }
    }
}
