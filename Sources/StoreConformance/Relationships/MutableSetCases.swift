import Strata

/// Changing to-many relationships by their proxies.
enum MutableSetCases {
    private static func album(
        _ environment: ConformanceEnvironment
    ) throws -> (stack: ConformanceStack, context: ManagedObjectContext, company: Company) {
        let stack = try environment.stack(Models.company)
        let context = stack.context()
        let company = Company(context: context)
        company.name = "c"
        for name in ["a", "b", "c", "d"] {
            let department = Department(context: context)
            department.name = name
            department.company = company
        }
        try context.save()
        let other = stack.context()
        return (stack, other, try other.named("c"))
    }

    /// Changes an order in one way, saves, and looks at it anew.
    private static func change(
        _ name: String, _ expected: [String],
        _ body: @escaping @Sendable (MutableOrderedObjectSet<Department>, ManagedObjectContext) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name, in: .relationships) { environment in
            let (stack, context, company) = try album(environment)
            let departments = company.mutableOrderedSet(Company.departments)
            try body(departments, context)
            try expectEqual(try inOrder(company.departments), expected)
            try expectEqual(try inOrder(Array(departments)), expected)
            for department in departments { try expectEqual(department.company, company) }
            try context.save()
            let read = try stack.reopened().context().named("c", Company.self)
            try expectEqual(try inOrder(read.departments), expected)
        }
    }

    @Sendable
    private static func new(_ name: String, _ context: ManagedObjectContext) -> Department {
        let department = Department(context: context)
        department.name = name
        return department
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        change("An ordered member is inserted at a position", ["a", "x", "b", "c", "d"]) { $0.insert(new("x", $1), at: 1) }
        change("An ordered member is inserted behind all", ["a", "b", "c", "d", "x"]) { $0.insert(new("x", $1), at: 4) }
        change("An ordered member that is inserted again moves", ["b", "c", "a", "d"]) { set, _ in set.insert(set[0], at: 3) }
        change("Ordered members are inserted in their order", ["x", "y", "a", "b", "c", "d"]) {
            $0.insert(contentsOf: [new("x", $1), new("y", $1)], at: 0)
        }
        change("An ordered member is removed from a position", ["a", "c", "d"]) { set, _ in
            try expectEqual(set.remove(at: 1).name, "b")
        }
        change("Ordered members are removed from a range", ["a", "d"]) { set, _ in set.removeSubrange(1..<3) }
        change("An ordered member moves down", ["b", "c", "a", "d"]) { set, _ in set.move(from: 0, to: 2) }
        change("An ordered member moves up", ["d", "a", "b", "c"]) { set, _ in set.move(from: 3, to: 0) }
        change("Ordered members change positions", ["d", "b", "c", "a"]) { set, _ in set.swapAt(0, 3) }
        change("An ordered member is set at the position of another", ["a", "x", "c", "d"]) { $0[1] = new("x", $1) }
        change("An ordered member that is put elsewhere leaves its position", ["d", "b", "c"]) { set, _ in set[0] = set[3] }
        change("Ordered members are set over a range", ["a", "x", "d"]) {
            $0.replaceSubrange(1..<3, with: [new("x", $1)])
        }
        change("Ordered members are sorted", ["d", "c", "b", "a"]) { set, _ in set.sort { ($0.name ?? "") > ($1.name ?? "") } }
        change("Ordered members are reversed", ["d", "c", "b", "a"]) { set, _ in set.reverse() }
        change("Ordered members all go", []) { set, _ in set.removeAll() }
        change("Ordered members are replaced", ["c", "x"]) { set, context in set.replaceAll(with: [set[2], new("x", context)]) }
        change("An ordered relationship is a collection", ["a", "b", "c", "d"]) { set, _ in
            try expectEqual(set.count, 4)
            try expectEqual(set.firstIndex(of: set[2]), 2)
            try expect(set.contains(set[3]), "the last one is no member")
            try expectEqual(set.last?.name, "d")
        }
        ConformanceCase("The members of a relationship are changed by its proxy, with the inverses", in: .relationships) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let company = Company(context: context)
            let (a, b, c) = (Person("a", context), Person("b", context), Person("c", context))
            try context.save()
            let people = company.mutableSet(Company.people)
            people.insert(a)
            people.formUnion([b, c])
            try expectEqual(a.company, company)
            try expectEqual(people.count, 3)
            people.remove(b)
            try expect(b.company == nil && !people.contains(b) && people.contains(c), "b is a member")
            try context.save()
            try expectEqual(try names(stack.context().fetch(ObjectFetchRequest<Company>()).first?.people ?? []), ["a", "c"])
            people.formIntersection([c])
            try expectEqual(company.people, [c])
            people.replaceAll(with: [a, b])
            try expectEqual(company.people, [a, b])
            people.subtract([a])
            try expectEqual(try names(Array(people)), ["b"])
            people.removeAll()
            try context.save()
            try expect(people.isEmpty, "members are left")
            try expectEqual(try stack.reopened().context().first(Company.self)?.people, [])
        }
        ConformanceCase("Proxies by name are for to-many relationships", in: .relationships) { environment in
            let (_, context, company) = try album(environment)
            let people = try company.mutableSetValue(forKey: "people")
            people.insert(Person("x", context))
            try expectEqual(try names(company.people), ["x"])
            let departments = try company.mutableOrderedSetValue(forKey: "departments")
            departments.move(from: 0, to: 3)
            try expectEqual(try inOrder(company.departments), ["b", "c", "d", "a"])
            try expectStoreError(.unknownKey) { try company.mutableSetValue(forKey: "name") }
            try expectStoreError(.unknownKey) { try company.mutableSetValue(forKey: "nothing") }
            try expectStoreError(.unknownKey) { try company.mutableOrderedSetValue(forKey: "people") }
        }
    }
}
