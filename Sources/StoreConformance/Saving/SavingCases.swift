import Strata

/// Saves, failed saves and rolling back.
enum SavingCases {
    private static func three(_ environment: ConformanceEnvironment) throws -> (ConformanceStack, ManagedObjectContext) {
        let stack = try environment.stack(Models.company)
        let context = stack.context()
        for name in ["x", "y", "z"] { _ = Person(name, context, age: 1) }
        try context.save()
        return (stack, context)
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A save of nothing does nothing", in: .saving) { environment in
            let (stack, context) = try three(environment)
            try expect(!context.hasChanges, "a saved context has changes")
            try context.save()
            try expect(try context.saveChangesRequest().isEmpty, "there is something to save")
            try stack.context().save()
        }
        ConformanceCase("Inserts, updates and deletions are saved together", in: .saving) { environment in
            let (stack, context) = try three(environment)
            _ = Person("w", context)
            try context.named("x", Person.self).name = "x2"
            context.delete(try context.named("y", Person.self))
            try expectEqual(context.insertedObjects.count, 1)
            try expectEqual(context.updatedObjects.count, 1)
            try expectEqual(context.deletedObjects.count, 1)
            try context.save()
            try expect(context.insertedObjects.isEmpty && context.updatedObjects.isEmpty && context.deletedObjects.isEmpty, "sets are left")
            try expectEqual(try context.names(of: Person.self), ["w", "x2", "z"])
            try expectEqual(try stack.context().names(of: Person.self), ["w", "x2", "z"])
            try expectEqual(try stack.reopened().context().names(of: Person.self), ["w", "x2", "z"])
        }
        ConformanceCase("Nothing is in the store before the save", in: .saving) { environment in
            let (stack, context) = try three(environment)
            _ = Person("w", context)
            try context.named("x", Person.self).name = "x2"
            context.delete(try context.named("y", Person.self))
            try expectEqual(try stack.context().names(of: Person.self), ["x", "y", "z"])
            try expectEqual(try stack.context().count(for: ObjectFetchRequest<Person>()), 3)
        }
        ConformanceCase("An object that was inserted and deleted is never saved", in: .saving) { environment in
            let (stack, context) = try three(environment)
            let person = Person("w", context)
            context.delete(person)
            try expect(!context.hasChanges, "a deleted new object is a change")
            try context.save()
            try expect(person.managedObjectContext == nil, "it is still in the context")
            try expectEqual(try stack.context().names(of: Person.self), ["x", "y", "z"])
        }
        ConformanceCase("An object that was changed and deleted is deleted", in: .saving) { environment in
            let (stack, context) = try three(environment)
            let person = try context.named("x", Person.self)
            person.name = "x2"
            context.delete(person)
            try expect(person.isDeleted && !person.isUpdated, "it is updated rather than deleted")
            try context.save()
            try expect(person.managedObjectContext == nil, "it is still in the context")
            try expectEqual(try stack.reopened().context().names(of: Person.self), ["y", "z"])
        }
        // Saves give rows their references where they lie: what a refused one had given led nowhere afterwards.
        ConformanceCase("A save that is refused leaves new objects related, and the next one stores them so", in: .saving) { environment in
            let (stack, context) = try three(environment)
            let (x, z) = (try context.named("x", Person.self), try context.named("z", Person.self))
            let (a, b, c) = (Person("a", context), Person("b", context), Person("c", context))
            (a.boss, b.boss, c.boss) = (b, c, z)
            a.friends = [b, x]
            x.boss = a
            x.age = 7
            for attempt in 2...3 {
                let other = stack.context()
                try other.named("x", Person.self).age = Int16(attempt)
                try other.save()
                _ = try expectConflict(context, code: 133020)
                for new in [a, b, c] { try expect(new.isInserted && new.objectID.isTemporary, "\(new) is not as it was") }
                try expect(a.boss === b && b.boss === c && c.boss === z && x.boss === a, "the bosses of attempt \(attempt) are others")
                try expect(a.friends == [b, x], "the friends are others")
            }
            b.boss = nil
            b.boss = c
            context.refresh(x, mergeChanges: true)
            try context.save()
            func check(_ context: ManagedObjectContext) throws {
                let bosses = try ["x", "a", "b", "c"].map { try context.named($0, Person.self).boss?.name }
                try expectEqual(bosses, ["a", "b", "c", "z"])
                try expectEqual(try context.named("a", Person.self).friends.compactMap(\.name).sorted(), ["b", "x"])
            }
            try check(context)
            try check(stack.context())
            try check(try stack.reopened().context())
        }
        ConformanceCase("Rolling back undoes inserts, updates, deletions and relationships", in: .saving) { environment in
            let (stack, context) = try three(environment)
            let (x, y, z) = (try context.named("x", Person.self), try context.named("y", Person.self), try context.named("z", Person.self))
            let new = Person("w", context)
            x.name = "x2"
            x.boss = new
            y.friends = [x, z]
            context.delete(z)
            context.rollback()
            try expect(!context.hasChanges && new.managedObjectContext == nil, "something is left")
            try expectEqual(x.name, "x")
            try expect(x.boss == nil && y.friends.isEmpty && !z.isDeleted, "relationships are left")
            try context.save()
            try expectEqual(try stack.context().names(of: Person.self), ["x", "y", "z"])
        }
        ConformanceCase("A failed save leaves the changes, and can be repeated when the cause is mended", in: .saving) { environment in
            let model = try ManagedObjectModel {
                Entity("Thing") {
                    Attribute("name", .string).required; Attribute("n", .integer64)
                }
            }
            let stack = try environment.stack(model)
            let context = stack.context()
            let old = try context.add("Thing", "old")
            try context.save()
            try old.setValue(2, forKey: "n")
            let new = try context.insert("Thing")
            let failures = try expectInvalid(1570, context)
            try expectEqual(failures.map(\.objectID), [new.objectID])
            try expect(new.isInserted && old.isUpdated && new.objectID.isTemporary, "the context is not as it was")
            try expectEqual(try stack.context().all("Thing").map { try $0.value(forKey: "n") as? Int }, [nil])
            try new.setValue("new", forKey: "name")
            try context.save()
            let again = try stack.reopened().context()
            try expectEqual(try names(again.all("Thing")), ["new", "old"])
            try expectEqual(try again.one("Thing", "old").value(forKey: "n") as? Int, 2)
        }
        ConformanceCase("10,000 objects are saved at once, changed and deleted", in: .saving) { environment in
            let stack = try environment.stack(Models.items)
            let context = stack.context()
            for index in 0..<10_000 {
                let item = Item(context: context)
                item[Item.number] = Int64(index)
                item[Item.text] = "item \(index)"
            }
            try context.save()
            let editor = stack.context()
            let items = try editor.fetch(ObjectFetchRequest<Item>(sort: [Item.number.ascending]))
            try expectEqual(items.count, 10_000)
            for (index, item) in items.enumerated() {
                if index % 3 == 0 { item[Item.text] = "changed" }
                if index % 3 == 1 { editor.delete(item) }
            }
            try editor.save()
            let again = try stack.reopened().context()
            try expectEqual(try again.count(for: ObjectFetchRequest<Item>()), 6667)
            try expectEqual(try again.count(for: ObjectFetchRequest<Item>(Item.text == "changed")), 3334)
            let last = try again.fetch(ObjectFetchRequest<Item>(sort: [Item.number.descending], limit: 1))
            try expectEqual(last.map { $0[Item.text] }, ["changed"])
        }
        ConformanceCase("Fifty saves in a row are all there", in: .saving) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let person = Person("p", context, age: 0)
            for index in 1...50 {
                person.age = Int16(index)
                if index % 10 == 0 { _ = Person("extra \(index)", context) }
                try context.save()
            }
            let again = try stack.reopened().context()
            try expectEqual(try again.named("p", Person.self).age, 50)
            try expectEqual(try again.count(for: ObjectFetchRequest<Person>()), 6)
        }
        ConformanceCase("A save plan says what a save would do, and does nothing", in: .saving) { environment in
            let (stack, context) = try three(environment)
            _ = Person("w", context)
            try context.named("x", Person.self).name = "x2"
            context.delete(try context.named("y", Person.self))
            let plan = try context.saveChangesRequest()
            let changes = try unwrap(plan.parts.first?.changes)
            try expectEqual(changes.inserted.count, 1)
            try expectEqual(changes.updated.map(\.expectedVersion), [1])
            try expectEqual(changes.deleted.map(\.expectedVersion), [1])
            try expectEqual(try stack.context().names(of: Person.self), ["x", "y", "z"])
            try context.save()
            try expectEqual(try stack.context().names(of: Person.self), ["w", "x2", "z"])
        }
        ConformanceCase("Background contexts save one after the other and lose nothing", in: .saving) { environment in
            let stack = try environment.stack(Models.company)
            let container = stack.container
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<4 {
                    group.addTask {
                        try await container.performBackgroundTask { context in
                            for index in 0..<10 {
                                _ = Person("w\(worker) \(index)", context)
                                try context.save()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let context = ManagedObjectContext(container.coordinator)
            try expectEqual(Set(try context.names(of: Person.self)).count, 40)
            try expectEqual(Set(try context.fetchObjectIDs(ObjectFetchRequest<Person>())).count, 40)
        }
    }
}
