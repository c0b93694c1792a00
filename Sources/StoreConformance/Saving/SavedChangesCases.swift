import Strata

/// What a save says that it changed.
enum SavedChangesCases {
    /// The changed properties of the updated objects.
    private static func names(_ saved: SavedChanges) -> [ObjectID: Set<String>] {
        Dictionary(saved.updated.map { ($0.id, Set($0.changedProperties)) }) { first, _ in first }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A save returns the objects that it inserted, updated and deleted, with what was changed", in: .saving) {
            environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let company = Company(context: context)
            let (ada, bob) = (Person("Ada", context, age: 1, company: company), Person("Bob", context))
            let first = try context.save()
            try expectEqual(Set(first.inserted.map(\.id)), [company.objectID, ada.objectID, bob.objectID])
            try expect(first.inserted.allSatisfy { !$0.id.isTemporary }, "temporary IDs")
            try expect(first.updated.isEmpty && first.deleted.isEmpty && !first.isEmpty, "\(first)")
            try expectEqual(first.stores.map(\.storeID), [try stack.store().id])
            ada.age = 2
            ada.company = nil
            let gone = bob.objectID
            context.delete(bob)
            let cid = Person("Cid", context)
            let second = try context.save()
            try expectEqual(second.inserted.map(\.id), [cid.objectID])
            try expectEqual(second.deleted.map(\.id), [gone])
            try expectEqual(names(second), [ada.objectID: ["age", "company"], company.objectID: ["people"]])
        }
        ConformanceCase("A save names the owners of relationships that others' rows, orders and deletions alter", in: .saving) {
            environment in
            for isChild in [false, true] {
                let stack = try environment.stack(Models.company)
                let parent = stack.context()
                let (a, b) = (Company(context: parent), Company(context: parent))
                let (ada, bob, cid) = (Person("Ada", parent, company: a), Person("Bob", parent, company: b), Person("Cid", parent))
                let departments = (0..<3).map { _ in Department(context: parent) }
                a.departments = departments
                ada.friends = [bob, cid]
                try parent.save()
                let context = isChild ? stack.child(of: parent) : parent
                func here<T: ManagedObject>(_ object: T) throws -> T { try unwrap(context.object(with: object.objectID) as? T) }
                try here(ada).company = try here(b)
                try expectEqual(
                    names(try context.save()),
                    [ada.objectID: ["company"], a.objectID: ["people"], b.objectID: ["people"]], "a member moves, child \(isChild)")
                context.delete(try here(cid))
                try expectEqual(names(try context.save()), [ada.objectID: ["friends"]], "a friend goes, child \(isChild)")
                context.delete(try here(bob))
                try expectEqual(
                    names(try context.save()), [ada.objectID: ["friends"], b.objectID: ["people"]], "a member goes, child \(isChild)")
                try here(a).departments = try departments.reversed().map { try here($0) }
                try expectEqual(names(try context.save())[a.objectID], ["departments"], "members change positions, child \(isChild)")
                _ = Person("Dan", context, company: try here(a))
                try expectEqual(names(try context.save()), [a.objectID: ["people"]], "a new member comes, child \(isChild)")
            }
        }
        ConformanceCase("A save without changes returns nothing", in: .saving) { environment in
            let context = try environment.stack(Models.company).context()
            let saved = try context.save()
            try expect(saved.isEmpty && saved.stores.isEmpty, "\(saved.stores)")
        }
        ConformanceCase("A save returns both ends of a link, and an object that was united with none", in: .saving) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let (ada, bob, skill) = (Person("Ada", context), Person("Bob", context), Skill(context: context))
            try context.save()
            ada.skills = [skill]
            let saved = try context.save()
            try expectEqual(Set(saved.updated.map(\.id)), [ada.objectID, skill.objectID])
            try expectEqual(saved.updated.first { $0.id == ada.objectID }?.changedProperties, ["skills"])
            try expect(!saved.updated.contains { $0.id == bob.objectID }, "Bob was not changed")
        }
        // Inserted and deleted objects were IDs, updated ones objects with an ID: what one list could do the others
        // could not.
        ConformanceCase("Inserted, updated and deleted objects of a save have one shape", in: .saving) { environment in
            let stack = try environment.stack(Models.company)
            let (context, other) = (stack.context(), stack.context())
            let (ada, bob) = (Person("Ada", context, age: 1), Person("Bob", context))
            try context.save()
            let (same, gone) = (try other.named("Ada", Person.self), bob.objectID)
            ada.age = 2
            context.delete(bob)
            let cid = Person("Cid", context)
            let saved = try context.save()
            let lists: [[SavedObject]] = [saved.inserted, saved.updated, saved.deleted]
            try expectEqual(lists.map { $0.map(\.id) }, [[cid.objectID], [ada.objectID], [gone]])
            try expectEqual(lists.map { $0.map(\.changedProperties) }, [[[]], [["age"]], [[]]])
            var changes = RemoteChanges(inserted: saved.inserted, updated: saved.updated.map(\.id), deleted: saved.deleted)
            try expect(changes != saved.changes, "the names of the changed properties are missing")
            changes.changedProperties = [ada.objectID: ["age"]]
            try expectEqual(changes, saved.changes)
            other.mergeChanges(fromRemoteContextSave: saved.changes)
            try expectEqual(same.age, 2)
        }
        ConformanceCase("A save of a child returns what it gave its parent", in: .saving) { environment in
            let stack = try environment.stack(Models.company)
            let parent = stack.context()
            let (ada, bob) = (Person("Ada", parent, age: 1), Person("Bob", parent))
            try parent.save()
            let child = stack.child(of: parent)
            let (mine, other) = (try child.named("Ada", Person.self), try child.named("Bob", Person.self))
            mine.age = 2
            child.delete(other)
            let cid = Person("Cid", child)
            let saved = try child.save()
            try expectEqual(saved.inserted.map(\.id), [cid.objectID])
            try expectEqual(saved.deleted.map(\.id), [bob.objectID])
            try expectEqual(saved.updated.map(\.id), [ada.objectID])
            try expectEqual(saved.updated.first?.changedProperties, ["age"])
            try expect(saved.stores.isEmpty, "no store was saved to")
            try expectEqual(try parent.save().deleted.map(\.id), [bob.objectID])
        }
        ConformanceCase("What a save returned may be read on another thread", in: .saving) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let ada = Person("Ada", context)
            let saved = try context.save()
            let ids = await Task.detached { saved.inserted.map(\.id) }.value
            try expectEqual(ids, [ada.objectID])
        }
    }
}
