import Strata

/// Merge policies that ask others, by entity and by property.
enum ComposedPolicyCases {
    /// Changes a person here and elsewhere, saves both, and looks at what is there.
    private static func outcome(
        _ name: String, _ policy: MergePolicy, mine: (String, Int16, Double), theirs: (String, Int16, Double), _ expected: String?
    ) -> ConformanceCase {
        ConformanceCase(name, in: .conflicts) { environment in
            let stack = try environment.stack(Models.company)
            let first = stack.context()
            let person = Person("p", first, age: 1)
            person.salary = 10
            try first.save()
            let (context, other) = (stack.context(), stack.context())
            context.mergePolicy = policy
            let (here, there) = (try context.named("p", Person.self), try other.named("p", Person.self))
            (here.name, here.age, here.salary) = mine
            (there.name, there.age, there.salary) = theirs
            try other.save()
            guard let expected else {
                try expectConflict(context)
                try expectEqual(here.age, mine.1)
                return
            }
            try context.save()
            func text(_ person: Person) -> String { "\(person.name ?? "nil") \(person.age ?? -1) \(person.salary ?? -1)" }
            try expectEqual(text(here), expected)
            try expect(!context.hasChanges, "changes are left")
            try expectEqual(try stack.reopened().context().fetch(ObjectFetchRequest<Person>()).map(text), [expected])
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        outcome(
            "By property: each goes by its own policy",
            .byProperty(["name": .mergeByPropertyStoreTrump, "age": .mergeByPropertyObjectTrump], otherwise: .rollback),
            mine: ("mine", 2, 20), theirs: ("theirs", 3, 10), "theirs 2 10.0")
        outcome(
            "By property: overwrite saves what was not changed here", .byProperty(["salary": .overwrite], otherwise: .rollback),
            mine: ("mine", 1, 10), theirs: ("p", 1, 30), "p 1 10.0")
        outcome(
            "By property: what was changed on both sides is refused under error", .byProperty(["name": .overwrite]),
            mine: ("mine", 2, 10), theirs: ("theirs", 3, 10), nil)
        outcome(
            "By property: what was changed on one side alone is saved under error", .byProperty(["name": .overwrite]),
            mine: ("mine", 2, 10), theirs: ("theirs", 1, 30), "mine 2 30.0")
        outcome(
            "By property: a policy of one's own is asked for its value",
            .byProperty([
                "age": MergePolicy("sum") { conflict in
                    guard case .int(let a)? = conflict.values["age"], case .int(let b)? = conflict.stored["age"] else { return .error }
                    return .values(["age": .int(a + b)])
                }
            ]), mine: ("mine", 2, 10), theirs: ("p", 3, 10), "mine 5 10.0")
        outcome(
            "By entity: an entity goes by its policy", .byEntity(["Person": .byProperty([:], otherwise: .overwrite)], otherwise: .error),
            mine: ("mine", 2, 10), theirs: ("theirs", 3, 30), "mine 2 10.0")
        outcome(
            "By entity: others go by the policy for the rest", .byEntity(["Company": .overwrite], otherwise: .rollback),
            mine: ("mine", 2, 10), theirs: ("theirs", 3, 30), "theirs 3 30.0")
        ConformanceCase("By entity: a sub-entity has the policy of its nearest ancestor", in: .conflicts) { environment in
            let model = Result {
                try ManagedObjectModel {
                    Entity("Account") { Attribute("name", .string) }
                    Entity("Admin", parent: "Account")
                    Entity("Chief", parent: "Admin")
                }
            }
            let stack = try environment.stack(model)
            let first = stack.context()
            let chief = try first.insert("Chief")
            try chief.setValue("c", forKey: "name")
            try first.save()
            let other = stack.context()
            try unwrap(other.all("Account").first).setValue("theirs", forKey: "name")
            try other.save()
            first.mergePolicy = .byEntity(["Account": .error, "Admin": .overwrite])
            try chief.setValue("mine", forKey: "name")
            try first.save()
            try expectEqual(try stack.context().all("Chief").first?.value(forKey: "name") as? String, "mine")
        }
        ConformanceCase("By property: a to-one relationship goes by its own policy, with both of its ends", in: .conflicts) { environment in
            let stack = try environment.stack(Models.company)
            let first = stack.context()
            let (a, b, c) = (Company(context: first), Company(context: first), Company(context: first))
            (a.name, b.name, c.name) = ("a", "b", "c")
            _ = Person("p", first, age: 1, company: a)
            try first.save()
            let (context, other) = (stack.context(), stack.context())
            context.mergePolicy = .byProperty(["company": .mergeByPropertyObjectTrump], otherwise: .mergeByPropertyStoreTrump)
            let here = try context.named("p", Person.self)
            let there = try other.named("p", Person.self)
            (here.company, here.age) = (try context.named("b"), 2)
            (there.company, there.age) = (try other.named("c"), 3)
            try other.save()
            try context.save()
            let fresh = try stack.reopened().context()
            let person = try fresh.named("p", Person.self)
            try expectEqual(person.company?.name, "b")
            try expectEqual(person.age, 3)
            try expectEqual(try names(fresh.named("b", Company.self).people), ["p"])
            try expectEqual(try fresh.named("c", Company.self).people.count, 0)
        }
        ConformanceCase("By property: an object that someone else deleted goes by the policy for the rest", in: .conflicts) { environment in
            let stack = try environment.stack(Models.company)
            let first = stack.context()
            _ = Person("p", first, age: 1)
            try first.save()
            let context = stack.context()
            context.mergePolicy = .byProperty(["age": .overwrite], otherwise: .rollback)
            let here = try context.named("p", Person.self)
            here.age = 2
            let other = stack.context()
            other.delete(try other.named("p", Person.self))
            try other.save()
            try context.save()
            try expectEqual(try stack.reopened().context().all("Person").count, 0)
        }
    }
}
