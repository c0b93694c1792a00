import Strata

@testable import StrataConformance

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

    /// Deletes the person in a context and saves it.
    ///
    /// - Returns: The ways in which the save is merged into another context.
    private static func mergers(
        ofDeletionIn there: ManagedObjectContext, _ stack: ConformanceStack
    ) throws -> [(ManagedObjectContext) -> Void] {
        let heard = Heard(stack.coordinator)
        var changes: [ContextChange] = []
        let subscription = there.observeEvents { if $0.kind == .didSave { changes.append($0.change) } }
        there.delete(try there.named("p", Person.self))
        let saved = try there.save()
        withExtendedLifetime(subscription) {}
        let (event, change) = (try unwrap(heard.events.first), try unwrap(changes.first))
        return [
            { $0.mergeChanges(fromRemoteContextSave: saved.changes) },
            { ManagedObjectContext.mergeChanges(fromRemoteContextSave: saved.changes, into: [$0]) },
            { $0.mergeChanges(from: event) },
            { $0.mergeChanges(fromContextDidSave: change) },
        ]
    }

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
        // The application's own merge deleted an object that was in its store again, and its unsaved changes were lost.
        ConformanceCase("A deletion that the context's own save overruled deletes nothing when an application merges it", in: .nesting) {
            environment in
            let stack = try stack(environment)
            let here = stack.context()
            here.mergePolicy = .mergeByPropertyObjectTrump
            let person = try here.named("p", Person.self)
            person.age = 9
            let merge = try mergers(ofDeletionIn: stack.context(), stack)
            try here.save()
            for (number, merge) in merge.enumerated() {
                person.salary = Double(number)
                merge(here)
                try expect(!person.isDeleted, "deleted by merge \(number)")
                try expectEqual(person.age, 9)
                try expectEqual(person.salary, Double(number))
            }
            try here.save()
            try expectEqual(try stack.context().named("p", Person.self).salary, 3)
        }
        ConformanceCase("A batch deletion that a later save overruled deletes nothing when its result is merged", in: .nesting) {
            environment in
            let stack = try stack(environment)
            let (saving, reading) = (stack.context(), stack.context())
            saving.mergePolicy = .mergeByPropertyObjectTrump
            let (person, read) = (try saving.named("p", Person.self), try reading.named("p", Person.self))
            person.age = 9
            var request = BatchDeleteRequest(entityName: "Person", key("name") == .string("p"))
            request.mergesIntoContexts = false
            request.resultType = .objectIDs
            let result = try stack.context().execute(request)
            try saving.save()
            read.salary = 2
            for context in [saving, reading] { context.mergeChanges(fromRemoteContextSave: result.changes) }
            try expect(!person.isDeleted && !read.isDeleted, "deleted")
            try expectEqual(read.age, 9)
            try expectEqual(read.salary, 2)
        }
        ConformanceCase("A deletion that is still in force deletes the object when the application merges it", in: .nesting) {
            environment in
            let stack = try stack(environment)
            let parent = stack.context()
            // The parent of a child need not have merged it.
            for here in [ManagedObjectContext(parent: parent), parent] {
                let person = try here.named("p", Person.self)
                if here === parent { person.age = 9 }
                let other = stack.context()
                let merges = try mergers(ofDeletionIn: other, stack)
                for merge in merges {
                    merge(here)
                    try expect(person.isDeleted, "not deleted")
                    try expect(!here.hasChanges, "there are changes")
                }
                _ = Person("p", other, age: 1)
                try other.save()
            }
        }
    }
}
