import Strata

@testable import StrataConformance

/// Contexts into which what others save comes by itself, and what contexts do with the objects that they have.
enum AutomaticMergingCases {
    /// Two contexts over a store, the first of which merges by itself, with a person of each that is the same.
    private struct Pair {
        let stack: ConformanceStack
        let (here, there): (ManagedObjectContext, ManagedObjectContext)
        let (mine, theirs): (Person, Person)

        init(_ environment: ConformanceEnvironment) throws {
            stack = try environment.stack(Models.company.get())
            (here, there) = (stack.context(), stack.context())
            theirs = Person("p", there, age: 1)
            try there.save()
            mine = try here.named("p", Person.self)
            here.automaticallyMergesChangesFromParent = true
        }

        /// Has what came be merged: a context without a queue does that when it fetches.
        func merge(_ context: ManagedObjectContext? = nil) throws { _ = try (context ?? here).count(for: ObjectFetchRequest<Skill>()) }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("What others save comes by itself where it is wanted", in: .nesting) { environment in
            let pair = try Pair(environment)
            try expectEqual(pair.mine.friends.count, 0)
            pair.theirs.name = "q"
            pair.theirs.friends = [Person("friend", pair.there)]
            try pair.there.save()
            try pair.merge()
            try expectEqual(pair.mine.name, "q")
            try expectEqual(try names(pair.mine.friends), ["friend"])
            pair.here.automaticallyMergesChangesFromParent = false
            pair.theirs.name = "r"
            try pair.there.save()
            try pair.merge()
            try expectEqual(pair.mine.name, "q")
        }
        ConformanceCase("What comes by itself leaves the changes here, and is no conflict any more", in: .nesting) { environment in
            let pair = try Pair(environment)
            pair.mine.name = "mine"
            pair.theirs.age = 2
            try pair.there.save()
            try pair.merge()
            try expectEqual(pair.mine.age, 2)
            try expectEqual(pair.mine.name, "mine")
            try pair.here.save()
            try expectEqual(try pair.stack.context().named("mine", Person.self).age, 2)
        }
        ConformanceCase("Batch requests and deletions come by themselves too", in: .nesting) { environment in
            let pair = try Pair(environment)
            let other = Person("other", pair.there)
            try pair.there.save()
            let mineToo = try pair.here.named("other", Person.self)
            try pair.there.execute(BatchUpdateRequest(entityName: "Person", key("name") == .string("p"), set: ["age": Value.int(9)]))
            pair.there.delete(other)
            try pair.there.save()
            try pair.merge()
            try expectEqual(pair.mine.age, 9)
            try expect(mineToo.isDeleted && mineToo.name == nil, "what others deleted is still here")
        }
        ConformanceCase("A save of the context itself does not come back to it", in: .nesting) { environment in
            let pair = try Pair(environment)
            pair.mine.name = "mine"
            _ = Person("new", pair.here)
            try pair.here.save()
            try pair.merge()
            try expect(!pair.mine.isFault, "the context read its own save anew")
        }
        ConformanceCase("What a sibling or the parent saves comes into a child by itself", in: .nesting) { environment in
            let pair = try Pair(environment)
            let (first, second) = (pair.stack.child(of: pair.here), pair.stack.child(of: pair.here))
            let grandchild = pair.stack.child(of: first)
            for context in [first, second, grandchild] { context.automaticallyMergesChangesFromParent = true }
            let people = try [first, second, grandchild].map { try $0.named("p", Person.self) }
            for person in people { try expectEqual(person.age, 1) }
            people[0].name = "first"
            people[1].age = 2
            try first.save()
            try pair.merge(second)
            try expectEqual(people[1].name, "first")
            try expectEqual(people[1].age, 2)
            try second.save()
            try pair.merge(first)
            try pair.merge(grandchild)
            try expectEqual(people[2].age, 2)
            try pair.here.save()
            pair.mine.name = "parent"
            try pair.here.save()
            for context in [first, second, grandchild] { try pair.merge(context) }
            for person in people { try expectEqual(person.name, "parent") }
            pair.there.refreshAllObjects()
            pair.theirs.name = "stranger"
            try pair.there.save()
            for context in [pair.here, first, second, grandchild] { try pair.merge(context) }
            for person in people + [pair.mine] { try expectEqual(person.name, "stranger") }
        }
        ConformanceCase("Derived values come into a child by themselves", in: .nesting) { environment in
            let stack = try environment.stack(Models.derived.get())
            let parent = stack.context()
            let child = stack.child(of: parent)
            child.automaticallyMergesChangesFromParent = true
            let shelf = try child.insert("Library")
            let book = try child.insert("Book")
            try book.setValue(shelf, forKey: "library")
            try child.save()
            try expect(try shelf.value(forKey: "bookCount") == nil, "a value is there that no store has computed")
            try parent.save()
            _ = try child.count(for: ObjectFetchRequest<ManagedObject>(entityName: "Book"))
            try expectEqual(try shelf.value(forKey: "bookCount") as? Int, 1)
        }
        ConformanceCase("A watched object is a conflict where another context changed it", in: .nesting) { environment in
            for isDeleted in [false, true] {
                let stack = try environment.stack(Models.company.get(), "\(isDeleted)")
                let (here, there) = (stack.context(), stack.context())
                let limit = Company(context: there)
                limit.name = "limit"
                let unrelated = Person("p", there)
                try there.save()
                let known = try here.named("limit", Company.self)
                let person = try here.named("p", Person.self)
                here.detectConflicts(for: known)
                person.name = "within the limit"
                try here.save()
                here.detectConflicts(for: known)
                person.name = "q"
                if isDeleted { there.delete(limit) } else { limit.name = "less" }
                try there.save()
                try expectEqual(try expectConflict(here).map(\.objectID), [known.objectID])
                try expectEqual(try stack.context().names(of: Person.self), ["within the limit"])
                here.mergePolicy = .mergeByPropertyObjectTrump
                try here.save()
                try expectEqual(try stack.context().names(of: Person.self), ["q"])
                if !isDeleted { try expectEqual(known.name, "less") }
                // It is forgotten: an object without a required version may change.
                here.mergePolicy = .error
                if !isDeleted {
                    limit.name = "more"
                    try there.save()
                }
                person.name = "r"
                try here.save()
                withExtendedLifetime(unrelated) {}
            }
        }
        ConformanceCase("A child's reliance on an object is the parent's", in: .nesting) { environment in
            let pair = try Pair(environment)
            let child = pair.stack.child(of: pair.here)
            pair.here.automaticallyMergesChangesFromParent = false
            let person = try child.named("p", Person.self)
            child.detectConflicts(for: person)
            _ = Person("new", child)
            try child.save()
            pair.theirs.age = 2
            try pair.there.save()
            try expectEqual(try expectConflict(pair.here).map(\.objectID), [person.objectID])
        }
        ConformanceCase("Delete rules wait for the save where they are to", in: .nesting) { environment in
            let stack = try environment.stack(Models.company.get())
            let context = stack.context()
            let company = Company(context: context)
            company.name = "c"
            let department = Department(context: context)
            company.departments = [department]
            try context.save()
            context.propagatesDeletesAtEndOfEvent = false
            context.delete(company)
            try context.processPendingChanges()
            try expectEqual(try context.count(for: ObjectFetchRequest<Department>()), 1)
            try expect(!department.isDeleted, "the rules were followed before the save")
            try context.save()
            try expectEqual(try stack.context().count(for: ObjectFetchRequest<Department>()), 0)
        }
        ConformanceCase("A context keeps its objects alive where it is to", in: .nesting) { environment in
            let stack = try environment.stack(Models.company.get())
            let context = stack.context()
            for number in 0..<5 { _ = Person("p\(number)", context) }
            try context.save()
            weak let dropped = try context.fetch(ObjectFetchRequest<Person>()).first
            try expect(dropped == nil && context.registeredObjects.isEmpty, "objects are kept that nobody uses")
            context.retainsRegisteredObjects = true
            weak let kept = try context.fetch(ObjectFetchRequest<Person>()).first
            try expect(kept != nil, "an object is gone")
            try expectEqual(context.registeredObjects.count, 5)
            context.retainsRegisteredObjects = false
            try expect(kept == nil && context.registeredObjects.isEmpty, "objects are kept that nobody uses")
        }
    }
}
