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
            try expectEqual(Set(first.inserted), [company.objectID, ada.objectID, bob.objectID])
            try expect(first.inserted.allSatisfy { !$0.isTemporary }, "temporary IDs")
            try expect(first.updated.isEmpty && first.deleted.isEmpty && !first.isEmpty, "\(first)")
            try expectEqual(first.stores.map(\.storeID), [try stack.store().id])
            ada.age = 2
            ada.company = nil
            let gone = bob.objectID
            context.delete(bob)
            let cid = Person("Cid", context)
            let second = try context.save()
            try expectEqual(second.inserted, [cid.objectID])
            try expectEqual(second.deleted, [gone])
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
                try expectEqual(names(try context.save())[a.objectID], ["departments"], "members change places, child \(isChild)")
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
            try expectEqual(saved.inserted, [cid.objectID])
            try expectEqual(saved.deleted, [bob.objectID])
            try expectEqual(saved.updated.map(\.id), [ada.objectID])
            try expectEqual(saved.updated.first?.changedProperties, ["age"])
            try expect(saved.stores.isEmpty, "no store was saved to")
            try expectEqual(try parent.save().deleted, [bob.objectID])
        }
        ConformanceCase("What a save returned may be read on another thread", in: .saving) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let ada = Person("Ada", context)
            let saved = try context.save()
            let ids = await Task.detached { saved.inserted }.value
            try expectEqual(ids, [ada.objectID])
        }
    }
}
