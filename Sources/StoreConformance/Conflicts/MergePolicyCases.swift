import Strata

/// What happens to conflicts under each merge policy.
enum MergePolicyCases {
    /// A person `p` of age 1 whose age someone else made 2 and whose salary 20, while here the name became `mine` and
    /// the age 3.
    private static func both(
        _ environment: ConformanceEnvironment, _ policy: MergePolicy
    ) throws -> (stack: ConformanceStack, context: ManagedObjectContext, person: Person) {
        let stack = try environment.stack(Models.company)
        let first = stack.context()
        let person = Person("p", first, age: 1)
        person.salary = 10
        try first.save()
        let context = stack.context()
        context.mergePolicy = policy
        let mine = try context.named("p", Person.self)
        let other = stack.context()
        let theirs = try other.named("p", Person.self)
        mine.name = "mine"
        mine.age = 3
        theirs.age = 2
        theirs.salary = 20
        try other.save()
        return (stack, context, mine)
    }

    private static func outcome(_ name: String, _ policy: MergePolicy, _ expected: String) -> ConformanceCase {
        ConformanceCase(name, in: .conflicts) { environment in
            let (stack, context, person) = try both(environment, policy)
            try context.save()
            func text(_ person: Person) -> String { "\(person.name ?? "nil") \(person.age ?? -1) \(person.salary ?? -1)" }
            try expectEqual(text(person), expected)
            try expect(!context.hasChanges, "changes are left")
            let stored = try stack.reopened().context().fetch(ObjectFetchRequest<Person>())
            try expectEqual(stored.map(text), [expected])
            person.age = 9
            if stack.coordinator.stores.isEmpty == false { try context.save() }
        }
    }

    private static func users(
        _ name: String, _ policy: MergePolicy, _ expected: [String], _ new: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name, in: .conflicts) { environment in
            let stack = try environment.stack(Models.users)
            try stack.fiveUsers()
            let context = stack.context()
            context.mergePolicy = policy
            try new(context)
            try context.save()
            try expect(!context.hasChanges, "changes are left")
            try expectEqual(try context.users(), expected)
            try expectEqual(try stack.reopened().context().users(), expected)
        }
    }

    @Sendable
    private static func add(_ id: String, _ name: String, _ age: Int, _ context: ManagedObjectContext) throws {
        let user = try context.add("User", name)
        try user.setValue(id, forKey: "id")
        try user.setValue(age, forKey: "age")
    }

    private static let rest = ["0002 张四 6", "0003 张五 8", "0004 张六 16", "0005 张七 18"]

    static var all: [ConformanceCase] {
        [
            outcome("Store trump: values changed in the store stay, others are saved", .mergeByPropertyStoreTrump, "mine 2 20.0"),
            outcome("Object trump: values changed here are saved, others stay", .mergeByPropertyObjectTrump, "mine 3 20.0"),
            outcome("Overwrite: the whole object is saved", .overwrite, "mine 3 10.0"),
            outcome("Rollback: the whole stored object stays", .rollback, "p 2 20.0"),
            outcome(
                "A policy of one's own mixes values",
                MergePolicy("sum") { conflict in
                    guard case .int(let a)? = conflict.values["age"], case .int(let b)? = conflict.stored["age"],
                        case .int(let c)? = conflict.base["age"]
                    else { return .error }
                    return .values(["age": .int(a + b - c), "name": conflict.values["name"] ?? .null])
                }, "mine 4 20.0"),
            ConformanceCase("A policy that refuses leaves the context as it was", in: .conflicts) { environment in
                let (stack, context, person) = try both(environment, MergePolicy("none") { _ in .error })
                let conflicts = try expectConflict(context)
                try expectEqual(conflicts.map(\.objectID), [person.objectID])
                try expect(person.name == "mine" && person.age == 3 && person.salary == 10 && person.isUpdated, "the object changed")
                try expectEqual(try stack.context().named("p", Person.self).age, 2)
            },
            ConformanceCase("A save whose conflicts were resolved, but which fails, leaves the context as it was", in: .conflicts) {
                environment in
                let stack = try environment.stack(Models.users)
                try stack.fiveUsers()
                let context = stack.context()
                // Versions are resolved; the constraint is not.
                context.mergePolicy = MergePolicy("versions only") { conflict in
                    if case .changed = conflict.reason { return .rollback }
                    return .error
                }
                let (a, b) = (try context.one("User", "张三"), try context.one("User", "张四"))
                try a.setValue("a", forKey: "name")
                try b.setValue("0005", forKey: "id")
                try stack.context().execute(BatchUpdateRequest(entityName: "User", key("id") == "0001", set: ["name": "theirs"]))
                try expectConflict(context, code: 133021)
                try expectEqual(try a.text("name"), "a")
                try expect(a.isUpdated && b.isUpdated, "the objects changed")
                try expectEqual(try stack.reopened().context().users(key("id") == "0001"), ["0001 theirs 2"])
            },
            ConformanceCase("To-one relationships merge as values do, with their inverses", in: .conflicts) { environment in
                let stack = try environment.stack(Models.company)
                let first = stack.context()
                let companies = ["A", "B", "C"].map { name in
                    let company = Company(context: first)
                    company.name = name
                    return company
                }
                _ = Person("p", first, age: 1, company: companies[0])
                try first.save()
                for (policy, expected) in [(MergePolicy.mergeByPropertyStoreTrump, "B"), (.mergeByPropertyObjectTrump, "C")] {
                    let reset = stack.context()
                    try reset.named("p", Person.self).company = reset.named("A")
                    try reset.save()
                    let (mine, theirs) = (stack.context(), stack.context())
                    mine.mergePolicy = policy
                    let person = try mine.named("p", Person.self)
                    let here = try ["A", "B", "C"].map { try mine.named($0, Company.self) }
                    for company in here { _ = company.people }
                    person.company = here[2]
                    try theirs.named("p", Person.self).company = theirs.named("B")
                    try theirs.save()
                    try mine.save()
                    try expectEqual(person.company?.name, expected)
                    mine.refreshAllObjects()
                    try expectEqual(here.filter { !$0.people.isEmpty }.map(\.name), [expected])
                    try expectEqual(try stack.context().named(expected, Company.self).people.count, 1)
                }
            },
            ConformanceCase("What someone else deleted stays deleted where the store wins", in: .conflicts) { environment in
                for policy in [MergePolicy.rollback, .mergeByPropertyStoreTrump] {
                    let stack = try environment.stack(Models.company, policy.name)
                    let first = stack.context()
                    _ = Person("p", first, age: 1)
                    try first.save()
                    let (mine, theirs) = (stack.context(), stack.context())
                    mine.mergePolicy = policy
                    let person = try mine.named("p", Person.self)
                    person.age = 2
                    try theirs.delete(theirs.named("p", Person.self))
                    try theirs.save()
                    try mine.save()
                    try expect(person.isDeleted && person.age == nil && !mine.hasChanges, "the object is there")
                    try expectEqual(try stack.reopened().context().count(for: ObjectFetchRequest<Person>()), 0)
                }
            },
            ConformanceCase("What someone else deleted is saved anew where the object wins", in: .conflicts) { environment in
                for policy in [MergePolicy.overwrite, .mergeByPropertyObjectTrump] {
                    let stack = try environment.stack(Models.company, policy.name)
                    let first = stack.context()
                    let company = Company(context: first)
                    company.name = "A"
                    _ = Person("p", first, age: 1, company: company)
                    try first.save()
                    let (mine, theirs) = (stack.context(), stack.context())
                    mine.mergePolicy = policy
                    let person = try mine.named("p", Person.self)
                    person.age = 2
                    let id = person.objectID
                    try theirs.delete(theirs.named("p", Person.self))
                    try theirs.delete(theirs.named("A", Company.self))
                    try theirs.save()
                    try mine.save()
                    try expectEqual(person.objectID, id)
                    try expect(!mine.hasChanges && !person.isInserted, "changes are left")
                    let stored = try stack.reopened().context().named("p", Person.self)
                    try expectEqual(stored.age, 2)
                    try expect(stored.company == nil, "the lost company is there")
                }
            },
            // Values that were not changed counted as missing, as those of a new object do.
            ConformanceCase("What someone else deleted is saved anew with the required values that it had", in: .conflicts) { environment in
                let model = try ManagedObjectModel {
                    Entity("Thing") {
                        Attribute("code", .string).required
                        Attribute("size", .integer64)
                        Relationship("partner", to: "Thing", inverse: "partner")
                    }
                }
                for policy in [MergePolicy.overwrite, .mergeByPropertyObjectTrump] {
                    let stack = try environment.stack(model, policy.name)
                    let (mine, theirs) = (stack.context(), stack.context())
                    mine.mergePolicy = policy
                    let thing = try mine.insert("Thing")
                    try thing.setValue("a", forKey: "code")
                    try mine.save()
                    try theirs.delete(theirs.existingObject(with: thing.objectID))
                    try theirs.save()
                    try thing.setValue(5, forKey: "size")
                    let partner = try mine.insert("Thing")
                    try partner.setValue("b", forKey: "code")
                    try partner.setValue(thing, forKey: "partner")
                    try mine.save()
                    let stored = try stack.context().existingObject(with: thing.objectID)
                    try expectEqual(try stored.text("code"), "a")
                    try expectEqual(try stored.value(forKey: "size") as? Int, 5)
                    try expectEqual(try stored.one("partner")?.text("code"), "b")
                    try theirs.delete(theirs.existingObject(with: thing.objectID))
                    try theirs.save()
                    try thing.setValue(nil, forKey: "code")
                    let error = try expectThrows(ValidationError.self) { try mine.save() }
                    try expectEqual(error.failures.map(\.key), ["code"])
                }
            },
            ConformanceCase("Deleting what someone else changed: the deletion stands where the object wins", in: .conflicts) {
                environment in
                for (policy, isLeft) in [
                    (MergePolicy.overwrite, false), (.mergeByPropertyObjectTrump, false),
                    (.rollback, true), (.mergeByPropertyStoreTrump, true),
                ] {
                    let stack = try environment.stack(Models.company, policy.name)
                    let first = stack.context()
                    let person = Person("p", first, age: 1)
                    let company = Company(context: first)
                    company.people = [person]
                    let skill = Skill(context: first)
                    skill.people = [person]
                    let report = Person("r", first)
                    report.boss = person
                    try first.save()
                    let (mine, theirs) = (stack.context(), stack.context())
                    mine.mergePolicy = policy
                    let deleted = try mine.named("p", Person.self)
                    let group = try mine.fetch(ObjectFetchRequest<Company>())[0]
                    _ = group.people
                    mine.delete(deleted)
                    try theirs.named("p", Person.self).age = 5
                    try theirs.save()
                    try mine.save()
                    try expect(!mine.hasChanges, "changes are left")
                    let left = try stack.reopened().context().fetch(ObjectFetchRequest<Person>(Person.name == "p"))
                    try expectEqual(left.map(\.age), isLeft ? [5] : [])
                    try expectEqual(group.people.count, isLeft ? 1 : 0)
                    if isLeft {
                        try expectEqual(left[0].skills.count, 1)
                        try expectEqual(left[0].reports.count, 1)
                        try expect(left[0].company != nil, "the company is lost")
                        try expectEqual(deleted.age, 5)
                    }
                }
            },
            ConformanceCase("Someone who saves again and again is waited out", in: .conflicts) { environment in
                let (stack, context, person) = try both(environment, .error)
                let coordinator = stack.coordinator
                let rounds = Counter()
                context.mergePolicy = MergePolicy("interrupted") { _ in
                    rounds.count += 1
                    if rounds.count < 4 {
                        let salary = Value.double(Double(rounds.count))
                        _ = try coordinator.execute(BatchUpdateRequest(entityName: "Person", set: ["salary": salary]))
                    }
                    return .mergeByPropertyObjectTrump
                }
                try context.save()
                try expectEqual(rounds.count, 4)
                try expectEqual(person.salary, 3)
                try expectEqual(try stack.reopened().context().named("mine", Person.self).age, 3)
            },
        ]
            + [
                users("A new object with a stored unique value, store trump", .mergeByPropertyStoreTrump, ["0001 张三 2"] + rest) {
                    try add("0001", "x", 50, $0)
                },
                users("A new object with a stored unique value, rollback", .rollback, ["0001 张三 2"] + rest) {
                    try add("0001", "x", 50, $0)
                },
                users("A new object with a stored unique value, object trump", .mergeByPropertyObjectTrump, ["0001 x 50"] + rest) {
                    try add("0001", "x", 50, $0)
                },
                users("A new object with a stored unique value, overwrite", .overwrite, ["0001 nil 50"] + rest) { context in
                    let user = try context.insert("User")
                    try user.setValue("0001", forKey: "id")
                    try user.setValue(50, forKey: "age")
                },
                users("Two new objects with a unique value, object trump", .mergeByPropertyObjectTrump, ["0001 张三 2"] + rest + ["6 张九 18"])
                {
                    try add("6", "张八", 16, $0)
                    try add("6", "张九", 18, $0)
                },
                users("Two new objects with a unique value, store trump", .mergeByPropertyStoreTrump, ["0001 张三 2"] + rest + ["6 张八 16"]) {
                    try add("6", "张八", 16, $0)
                    try add("6", "张九", 18, $0)
                },
                users("A change to a taken value goes, store trump", .mergeByPropertyStoreTrump, ["0001 x 2"] + rest) { context in
                    let user = try context.one("User", "张三")
                    try user.setValue("0002", forKey: "id")
                    try user.setValue("x", forKey: "name")
                },
                ConformanceCase("What belongs to a new object belongs to the one that it became part of", in: .conflicts) { environment in
                    let stack = try environment.stack(Models.users)
                    try stack.fiveUsers()
                    let context = stack.context()
                    context.mergePolicy = .mergeByPropertyObjectTrump
                    let user = try context.add("User", "x")
                    try user.setValue("0001", forKey: "id")
                    try user.setValue(context.add("Team", "blue"), forKey: "team")
                    let pupil = try context.add("User", "pupil")
                    try pupil.setValue("9", forKey: "id")
                    try user.setValue(pupil, forKey: "pupil")
                    try context.save()
                    let again = try stack.reopened().context()
                    let stored = try again.one("User", "x")
                    try expectEqual(try stored.text("id"), "0001")
                    try expectEqual(try names(again.one("Team", "blue").many("users")), ["x"])
                    try expectEqual(try again.one("User", "pupil").one("mentor"), stored)
                    try expectEqual(try again.users().count, 6)
                },
                ConformanceCase("Two saved objects do not become one, whichever wins", in: .conflicts) { environment in
                    let stack = try environment.stack(Models.users)
                    try stack.fiveUsers()
                    let context = stack.context()
                    context.mergePolicy = .mergeByPropertyObjectTrump
                    try context.one("User", "张三").setValue("0002", forKey: "id")
                    try expectConflict(context, code: 133021)
                    try expectEqual(try stack.reopened().context().users(), ["0001 张三 2"] + rest)
                },
            ]
    }
}

/// A number that a policy counts with.
// Unchecked: a policy is called by the thread that saves.
private final class Counter: @unchecked Sendable {
    var count = 0
}
