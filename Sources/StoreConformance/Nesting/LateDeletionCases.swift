import Strata

/// Deletions that are merged after something made the object exist again.
///
/// They were merged as they came, over later saves: the object was deleted in the context, and its changes were lost.
enum LateDeletionCases {
    /// A context that merges automatically, and keeps its changes where another context deletes their object.
    private static func keeping(_ stack: ConformanceStack) -> ManagedObjectContext {
        let context = stack.context()
        context.mergePolicy = .mergeByPropertyObjectTrump
        context.automaticallyMergesChangesFromParent = true
        return context
    }

    private static func stack(_ environment: ConformanceEnvironment) throws -> ConformanceStack {
        let stack = try environment.stack(Models.company.get())
        let context = stack.context()
        _ = Person("p", context, age: 1)
        try context.save()
        return stack
    }

    private static func merge(_ context: ManagedObjectContext) throws { _ = try context.count(for: ObjectFetchRequest<Skill>()) }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A deletion that the context's own save overruled deletes nothing when it is merged", in: .nesting) { environment in
            let stack = try stack(environment)
            let here = keeping(stack)
            let person = try here.named("p", Person.self)
            person.age = 9
            let there = stack.context()
            there.delete(try there.named("p", Person.self))
            try there.save()
            try here.save()
            person.age = 11
            try merge(here)
            try expect(!person.isDeleted, "deleted")
            try expectEqual(person.age, 11)
            try here.save()
            try expectEqual(try stack.context().named("p", Person.self).age, 11)
        }
        // Objects of two entity hierarchies were looked up as if they were of one.
        ConformanceCase("Deletions of several entities that the context's own save overruled delete nothing", in: .nesting) { environment in
            let stack = try stack(environment)
            let here = keeping(stack)
            let skill = Skill(context: here)
            skill.name = "s"
            try here.save()
            let person = try here.named("p", Person.self)
            (person.age, skill.name) = (9, "t")
            let there = stack.context()
            there.delete(try there.named("p", Person.self))
            there.delete(try there.named("s", Skill.self))
            try there.save()
            try here.save()
            try merge(here)
            try expect(!person.isDeleted, "the person is deleted")
            try expect(!skill.isDeleted, "the skill is deleted")
            try expectEqual(person.age, 9)
            try expectEqual(skill.name, "t")
        }
        ConformanceCase("A batch deletion that a later save overruled deletes nothing in another context", in: .nesting) { environment in
            let stack = try stack(environment)
            let (saving, reading) = (keeping(stack), keeping(stack))
            let (person, read) = (try saving.named("p", Person.self), try reading.named("p", Person.self))
            person.age = 9
            try stack.context().execute(BatchDeleteRequest(entityName: "Person", key("name") == .string("p")))
            try saving.save()
            read.salary = 2
            try merge(reading)
            try expect(!read.isDeleted, "deleted")
            try expectEqual(read.age, 9)
            try expectEqual(read.salary, 2)
        }
        ConformanceCase("A child keeps its changes where its parent takes a sibling's deletion back", in: .nesting) { environment in
            let stack = try stack(environment)
            let parent = stack.context()
            let (child, sibling) = (ManagedObjectContext(parent: parent), ManagedObjectContext(parent: parent))
            child.automaticallyMergesChangesFromParent = true
            let person = try child.named("p", Person.self)
            person.age = 12
            sibling.delete(try sibling.named("p", Person.self))
            try sibling.save()
            parent.rollback()
            try merge(child)
            try expectEqual(person.age, 12)
            try child.save()
            try parent.save()
            try expectEqual(try stack.context().named("p", Person.self).age, 12)
        }
        // The parent merged with its own fetches alone.
        ConformanceCase("A child's fetch merges what others saved into its parent too", in: .nesting) { environment in
            let stack = try stack(environment)
            let parent = keeping(stack)
            let child = ManagedObjectContext(parent: parent)
            child.automaticallyMergesChangesFromParent = true
            let (person, below) = (try parent.named("p", Person.self), try child.named("p", Person.self))
            try expectEqual(below.age, 1)
            let there = stack.context()
            try there.named("p", Person.self).age = 5
            try there.save()
            try merge(child)
            try expectEqual(person.age, 5)
            try expectEqual(below.age, 5)
        }
    }
}
