import Strata

@testable import StrataConformance

/// Values that were changed and changed back: they are no changes, even where another context saved other values.
enum ChangedBackCases {
    /// A person of age 1 in company `a`, whose age and company were changed here and changed back, with a context in
    /// which they are others.
    private static func person(_ environment: ConformanceEnvironment, _ name: String) throws -> (
        person: Person, there: ManagedObjectContext
    ) {
        let stack = try environment.stack(Models.company, name)
        let first = stack.context()
        let companies = ["a", "b", "c"].map { name in
            let company = Company(context: first)
            company.name = name
            return company
        }
        _ = Person("p", first, age: 1, company: companies[0])
        try first.save()
        let (here, there) = (stack.context(), stack.context())
        let (mine, theirs) = (try here.named("p", Person.self), try there.named("p", Person.self))
        (mine.age, mine.company) = (3, try here.named("b", Company.self))
        (mine.age, mine.company) = (1, try here.named("a", Company.self))
        (theirs.age, theirs.company) = (2, try there.named("c", Company.self))
        try there.save()
        return (mine, there)
    }

    private static func expectTheirs(_ person: Person, _ context: ManagedObjectContext, _ when: String) throws {
        try expectEqual(person.age, 2, when)
        try expectEqual(person.company?.name, "c", when)
        for (name, people) in [("a", []), ("b", []), ("c", [person])] {
            try expectEqual(try context.named(name, Company.self).people, Set(people), "\(name) \(when)")
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("What was changed back is as others have it, once it is read anew", in: .changedBack) { environment in
            // It stayed pending with its old value, which came over the newer one with the next save.
            let ways: [(name: String, learn: (Person, ManagedObjectContext) throws -> Void)] = [
                ("refreshed", { $1.refresh($0, mergeChanges: true) }),
                ("all refreshed", { $1.refreshAllObjects() }),
                ("merged", { $1.mergeChanges(fromRemoteContextSave: [.updated: [$0.objectID]]) }),
                (
                    "refetched",
                    {
                        var request = ObjectFetchRequest<Person>()
                        request.shouldRefreshRefetchedObjects = true
                        _ = ($0, try $1.fetch(request))
                    }
                ),
            ]
            for (name, learn) in ways {
                let (person, _) = try person(environment, name)
                let context = try unwrap(person.managedObjectContext)
                try learn(person, context)
                for company in try context.fetch(ObjectFetchRequest<Company>()) { context.refresh(company, mergeChanges: true) }
                try expectTheirs(person, context, name)
                person.name = "q"
                try context.save()
                try expectTheirs(person, context, "\(name), saved")
            }
        }
        ConformanceCase("What was changed back is nothing that a merge policy keeps", in: .changedBack) { environment in
            for policy in [MergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump] {
                let (person, there) = try person(environment, policy.name)
                let context = try unwrap(person.managedObjectContext)
                context.mergePolicy = policy
                person.name = "q"
                try context.save()
                try expectEqual(person.age, 2, policy.name)
                there.refreshAllObjects()
                try expectTheirs(try there.named("q", Person.self), there, policy.name)
            }
        }
        ConformanceCase("A partner that was taken away and put back is not saved", in: .changedBack) { environment in
            // Both rows were written as they were, which stood against the saves of others.
            let stack = try PairConflictCases.six(environment)
            let (here, there) = (stack.context(), stack.context())
            let node = try there.one("Node", "a")
            for leaf in ["y", nil, "x"] { try PairConflictCases.set("a", leaf, here) }
            try PairConflictCases.set("b", "y", here)
            try expect(try here.save().stores.isEmpty, "something was saved")
            try node.setValue("A", forKey: "name")
            try there.save()
        }
        ConformanceCase(
            "A child that gave an object a partner and took it away leaves it the one that its parent gave it", in: .changedBack
        ) {
            environment in
            // The child's save took it away, as that was what the object had when the child read it.
            let stack = try PairConflictCases.six(environment)
            let parent = stack.context()
            let child = stack.child(of: parent)
            try PairConflictCases.set("c", "z", child)
            try PairConflictCases.set("c", nil, child)
            try PairConflictCases.set("c", "z", parent)
            try child.save()
            try parent.save()
            try expectEqual(try PairConflictCases.stored(stack), "a-x b-y c-z")
        }
    }
}
