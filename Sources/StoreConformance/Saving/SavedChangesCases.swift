import Strata

/// What a save says that it changed.
enum SavedChangesCases {
    static let all: [ConformanceCase] = [
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
            try expectEqual(second.updated.map(\.id), [ada.objectID])
            try expectEqual(second.updated.first.map { Set($0.changedProperties) }, ["age", "company"])
        },
        ConformanceCase("A save without changes returns nothing", in: .saving) { environment in
            let context = try environment.stack(Models.company).context()
            let saved = try context.save()
            try expect(saved.isEmpty && saved.stores.isEmpty, "\(saved.stores)")
        },
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
        },
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
        },
        ConformanceCase("What a save returned may be read on another thread", in: .saving) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let ada = Person("Ada", context)
            let saved = try context.save()
            let ids = await Task.detached { saved.inserted }.value
            try expectEqual(ids, [ada.objectID])
        },
    ]
}
