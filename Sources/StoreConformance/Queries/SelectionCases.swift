import Strata

/// Lists of objects of several entities, as a selection has them: an object of another entity is not a destination of a
/// path.
enum SelectionCases {
    /// Ann and Bob work at Acme, Cid at Zeta; Ann and Cid know Swift; Bob is a friend of Ann.
    private static func build(_ environment: ConformanceEnvironment) throws -> ConformanceStack {
        let stack = try environment.stack(Models.company)
        let context = stack.context()
        let (acme, zeta, swift) = (Company(context: context), Company(context: context), Skill(context: context))
        (acme.name, zeta.name, swift.name) = ("Acme", "Zeta", "Swift")
        let people = ["Ann", "Bob", "Cid"].map { Person($0, context) }
        (people[0].company, people[1].company, people[2].company) = (acme, acme, zeta)
        (people[0].skills, people[2].skills, people[0].friends) = ([swift], [swift], [people[1]])
        try context.save()
        return try stack.reopened()
    }

    /// Adds a skill that is not saved to a context.
    ///
    /// - Returns: The people, companies and skills, the new one among them.
    private static func objects(in context: ManagedObjectContext) throws -> [ManagedObject] {
        let unsaved = Skill(context: context)
        unsaved.name = "New"
        return try context.fetch(ObjectFetchRequest<Person>()) + context.fetch(ObjectFetchRequest<Company>())
            + context.fetch(ObjectFetchRequest<Skill>())
    }

    private static func expectEvaluation(of predicate: QueryPredicate, _ expected: [String], in context: ManagedObjectContext) throws {
        let people = try context.fetch(ObjectFetchRequest<Person>(sort: [Person.name.ascending]))
        try expectEqual(try inOrder(people.filter { try predicate.evaluate(with: $0) }), expected)
    }

    /// What a condition over the list Ann, Acme, Swift, and a skill that is not saved finds; a condition of another
    /// list has it instead.
    private static func selects(_ format: String, _ expected: String..., from names: [String]? = nil) -> ConformanceCase {
        let list = names.map { $0.joined(separator: ", ") } ?? "several entities"
        return ConformanceCase("\(format) of \(list) ignores objects of other entities", in: .queries) { environment in
            let context = try build(environment).context()
            let all = try objects(in: context)
            let chosen = names ?? ["Ann", "Acme", "Swift", "New"]
            let selection = try all.filter { chosen.contains(try $0.value(forKey: "name") as? String ?? "") }
            try expectEqual(selection.count, chosen.count)
            let predicate = try QueryPredicate(format: format, selection)
            for includesPendingChanges in [true, false] {
                var request = ObjectFetchRequest<Person>(predicate, sort: [Person.name.ascending])
                request.includesPendingChanges = includesPendingChanges
                try expectEqual(try inOrder(context.fetch(request)), expected)
                try expectEqual(try context.count(for: request), expected.count)
                request.predicate = !predicate
                try expectEqual(try context.count(for: request), 3 - expected.count)
            }
            try expectEvaluation(of: predicate, expected, in: context)
        }
    }

    /// What a condition over one object of another entity finds; the object has the reference of a person in most
    /// stores.
    private static func compares(_ format: String, _ expected: String..., with names: [String] = ["Acme"]) -> ConformanceCase {
        let arguments = names.joined(separator: ", ")
        return ConformanceCase("\(format) compared with \(arguments) of another entity does not throw", in: .queries) { environment in
            let context = try build(environment).context()
            let all = try objects(in: context)
            let chosen = try names.map { name in try unwrap(all.first { try $0.value(forKey: "name") as? String == name }) }
            let predicate = try QueryPredicate(format: format, argumentArray: chosen)
            // Objects that the context tests itself are among those that the store tests.
            for changed in [[], ["Ann"], ["Ann", "Bob", "Cid"]] {
                for person in try context.fetch(ObjectFetchRequest<Person>()) where changed.contains(person.name ?? "") { person.age = 50 }
                var request = ObjectFetchRequest<Person>(predicate, sort: [Person.name.ascending])
                try expectEqual(try inOrder(context.fetch(request)), expected)
                try expectEqual(try context.count(for: request), expected.count)
                request.includesPendingChanges = false
                try expectEqual(try context.count(for: request), expected.count)
                request.predicate = !predicate
                try expectEqual(try context.count(for: request), 3 - expected.count)
            }
            try expectEvaluation(of: predicate, expected, in: context)
        }
    }

    private static func inOrder(_ people: [Person]) -> [String] { people.map { $0.name ?? "" } }

    @ConformanceCaseList static var all: [ConformanceCase] {
        selects("SELF IN %@", "Ann")
        selects("NOT SELF IN %@", "Bob", "Cid")
        selects("SELF IN %@", from: ["Acme", "Swift"])
        selects("%@ CONTAINS SELF", "Ann")
        selects("company IN %@", "Ann", "Bob")
        selects("company IN %@", from: ["Ann", "Bob"])
        selects("ANY skills IN %@", "Ann", "Cid")
        selects("ALL skills IN %@", "Ann", "Bob", "Cid")
        selects("NONE skills IN %@", "Ann", "Bob", "Cid", from: ["Acme", "Ann"])
        selects("ANY friends IN %@", "Bob", from: ["Acme", "Ann"])
        selects("ANY friends.skills IN %@", "Bob")
        selects("ANY company.people IN %@", "Ann", "Bob")
        selects("SUBQUERY(skills, $x, $x IN %@).@count > 0", "Ann", "Cid")
        selects("ANY %@ IN skills", "Ann", "Cid")
        selects("ANY %@ == company", "Ann", "Bob")
        selects("ALL %@ != SELF", "Bob", "Cid")
        // One object of another entity threw, where a list of it was ignored.
        compares("SELF == %@")
        compares("SELF != %@", "Ann", "Bob", "Cid")
        compares("%@ == SELF", with: ["Swift"])
        compares("%@ == SELF", with: ["New"])
        compares("NOT SELF == %@", "Ann", "Bob", "Cid")
        compares("company == %@", with: ["Swift"])
        compares("company != %@ AND company != %@", "Cid", with: ["Swift", "Acme"])
        compares("company == %@ OR company == %@", "Ann", "Bob", with: ["Swift", "Acme"])
        compares("skills CONTAINS %@")
        compares("NOT skills CONTAINS %@", "Ann", "Bob", "Cid")
        compares("ANY skills == %@")
        compares("ANY skills != %@", "Ann", "Cid")
        compares("ALL skills == %@", "Bob")
        compares("NONE skills == %@", "Ann", "Bob", "Cid")
        compares("%@ IN skills")
        compares("ANY friends.company == %@", with: ["Swift"])
        compares("SUBQUERY(skills, $x, $x == %@).@count > 0")
        compares("SUBQUERY(skills, $x, $x != %@).@count > 0", "Ann", "Cid")
        compares("SUBQUERY(friends, $x, $x.company == %@).@count > 0", with: ["Swift"])
        compares("skills[FIRST] == %@")
        compares("TERNARY(age > 0, company, company) == %@", with: ["Swift"])
        compares("{%@, %@} CONTAINS SELF", "Ann", with: ["Acme", "Ann"])
        compares("SELF IN {%@, %@}", "Ann", with: ["Acme", "Ann"])
        compares("SELF == company OR company == %@", "Ann", "Bob")
        compares("SELF != company AND company != %@", "Cid")
        compares("SELF IN skills OR company == %@", "Ann", "Bob")
    }
}
