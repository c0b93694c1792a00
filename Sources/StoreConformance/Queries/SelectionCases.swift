import Strata

/// Lists of objects of several entities, as a selection has them: an object of another entity is not among those that a path leads to.
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

    /// What a condition over the list Ann, Acme, Swift, and a skill that is not saved finds; a condition of another list has it instead.
    private static func selects(_ format: String, _ expected: String..., from names: [String]? = nil) -> ConformanceCase {
        let list = names.map { $0.joined(separator: ", ") } ?? "several entities"
        return ConformanceCase("\(format) of \(list) ignores objects of other entities", in: .queries) { environment in
            let context = try build(environment).context()
            let unsaved = Skill(context: context)
            unsaved.name = "New"
            let all: [ManagedObject] =
                try context.fetch(ObjectFetchRequest<Person>()) + context.fetch(ObjectFetchRequest<Company>())
                + context.fetch(ObjectFetchRequest<Skill>())
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
            let people = try context.fetch(ObjectFetchRequest<Person>(sort: [Person.name.ascending]))
            try expectEqual(try inOrder(people.filter { try predicate.evaluate(with: $0) }), expected)
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
    }
}
