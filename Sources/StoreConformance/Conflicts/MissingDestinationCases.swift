import Strata

/// Relating to what is not in the store any more.
enum MissingDestinationCases {
    private enum Loss: String, CaseIterable {
        case deleted, batchDeleted, merged
    }

    /// A context in which a saved holder of an entity was related to owner `o`, which was deleted from the store
    /// meanwhile.
    private static func lost(
        _ environment: ConformanceEnvironment, _ loss: Loss, _ entity: String, _ relationship: String, _ label: String = ""
    ) throws -> (stack: ConformanceStack, mine: ManagedObjectContext, holder: ManagedObject, owner: ManagedObject) {
        let (stack, mine, owner) = try ReferenceCases.owner(environment, "\(loss) \(entity) \(relationship) \(label)")
        let isRequired = entity == "Badge" || entity == "Pin"
        let holder = try mine.add(entity, "h")
        if isRequired { try holder.setValue(mine.add("Owner", "q"), forKey: relationship) }
        try mine.save()
        let theirs = stack.context()
        if loss == .deleted {
            theirs.delete(try theirs.one("Owner", "o"))
            try theirs.save()
        } else {
            try theirs.execute(BatchDeleteRequest(entityName: "Owner", key("name") == "o"))
        }
        if loss == .merged { mine.mergeChanges(fromRemoteContextSave: [.deleted: [owner.objectID]]) }
        let isToMany = try unwrap(holder.entity.relationship(named: relationship)).isToMany
        try holder.setValue(isToMany ? Set([owner]) : owner, forKey: relationship)
        return (stack, mine, holder, owner)
    }

    private static let references = [
        ("Member", "nullifying"), ("Member", "queuing"), ("Member", "leaving"), ("Member", "cascading"), ("Member", "denying"),
        ("Member", "liking"), ("Badge", "owner"), ("Pin", "owner"), ("Tag", "owners"), ("Tag", "shelves"), ("Tag", "keeping"),
    ]

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A refresh takes back what leads to objects that are gone, and the save goes on", in: .conflicts) { environment in
            // The guide recommends it; the same conflict came again.
            for merges in [false, true] {
                let stack = try environment.stack(Models.company)
                let context = stack.context()
                context.automaticallyMergesChangesFromParent = merges
                let (a, b) = (Company(context: context), Company(context: context))
                let ada = Person("Ada", context, company: b)
                let skills = [Skill(context: context), Skill(context: context)]
                try context.save()
                (ada.company, ada.skills, ada.age) = (a, Set(skills), 3)
                let other = stack.context()
                other.delete(other.object(with: a.objectID))
                other.delete(other.object(with: skills[0].objectID))
                try other.save()
                try expectConflict(context)
                context.refresh(ada, mergeChanges: true)
                try expectEqual(ada.company, b, "merges \(merges)")
                try expectEqual(ada.skills, [skills[1]], "merges \(merges)")
                try context.save()
                let stored = try unwrap(stack.context().object(with: ada.objectID) as? Person)
                try expectEqual(stored.company?.objectID, b.objectID)
                try expectEqual(stored.skills.map(\.objectID), [skills[1].objectID])
                try expectEqual(stored.age, 3)
            }
        }
        ConformanceCase("An object of which only links were changed, and that others deleted, is gone", in: .conflicts) { environment in
            // It stayed, and the save said that it was updated.
            for policy in [MergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback] {
                let stack = try environment.stack(Models.company)
                let context = stack.context()
                let ada = Person("Ada", context)
                let skills = [Skill(context: context), Skill(context: context)]
                ada.skills = [skills[0]]
                try context.save()
                context.mergePolicy = policy
                ada.skills = [skills[1]]
                let other = stack.context()
                other.delete(other.object(with: ada.objectID))
                try other.save()
                let id = ada.objectID
                let saved = try context.save()
                try expect(!saved.updated.contains { $0.id == id }, "\(policy.name): \(saved.updated)")
                try expect(ada.isDeleted || ada.managedObjectContext == nil, "\(policy.name): it is there still")
                try expectEqual(skills.map(\.people.count), [0, 0], policy.name)
                try expectEqual(try stack.context().names(of: Person.self), [], policy.name)
            }
        }
        ConformanceCase("Members that several contexts append to one order stand against nobody", in: .conflicts) { environment in
            // Two with the same position had all be numbered anew, which was a conflict over members without changes.
            let stack = try environment.stack(Models.company)
            let first = stack.context()
            let company = Company(context: first)
            company.departments = (0..<3).map { _ in Department(context: first) }
            try first.save()
            for round in 0..<4 {
                let contexts = (0..<3).map { _ in stack.context() }
                for (number, context) in contexts.enumerated() {
                    context.mergePolicy = .mergeByPropertyObjectTrump
                    let own = try unwrap(context.object(with: company.objectID) as? Company)
                    _ = own.departments.count
                    let department = Department(context: context)
                    department.name = "\(round)\(number)"
                    own.departments.append(department)
                }
                for context in contexts { try context.save() }
            }
            let stored = try unwrap(stack.reopened().context().object(with: company.objectID) as? Company)
            try expectEqual(stored.departments.count, 15)
            let rounds = stored.departments.dropFirst(3).compactMap { $0.name.map { $0.prefix(1) } }
            try expectEqual(rounds, rounds.sorted())
        }
        ConformanceCase("What others give an owner that it was taken from here stays away from it", in: .conflicts) { environment in
            // The owner's members, loaded after the merge, had the one that leads nowhere; put in another order, they
            // linked it again.
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let (a, b) = (Company(context: context), Company(context: context))
            let department = Department(context: context)
            a.departments = [department]
            let ada = Person("Ada", context, company: a)
            try context.save()
            context.mergePolicy = .mergeByPropertyObjectTrump
            department.company = nil
            ada.company = nil
            let other = stack.context()
            let event = Heard(stack.coordinator)
            try unwrap(other.object(with: department.objectID) as? Department).company = other.object(with: b.objectID) as? Company
            try unwrap(other.object(with: ada.objectID) as? Person).company = other.object(with: b.objectID) as? Company
            try other.save()
            context.mergeChanges(from: try unwrap(event.events.first))
            try expectEqual(b.departments.count + b.people.count, 0, "before the save")
            try context.save()
            try expectEqual(b.departments.count + b.people.count, 0, "after the save")
            let stored = try unwrap(stack.reopened().context().object(with: b.objectID) as? Company)
            try expectEqual(stored.departments.count + stored.people.count, 0, "in the store")
        }
        ConformanceCase("What was taken from an owner here is with it again once that is taken back", in: .conflicts) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let (a, b) = (Company(context: context), Company(context: context))
            let ada = Person("Ada", context, company: a)
            try context.save()
            ada.company = nil
            let other = stack.context()
            try unwrap(other.object(with: ada.objectID) as? Person).company = other.object(with: b.objectID) as? Company
            try other.save()
            context.refresh(b, mergeChanges: true)
            try expectEqual(b.people, [])
            context.refresh(ada, mergeChanges: false)
            try expectEqual(ada.company, b)
            try expectEqual(b.people, [ada])
            try expect(try context.save().stores.isEmpty, "something was saved")
            context.delete(ada)
            try context.processPendingChanges()
            context.refresh(b, mergeChanges: true)
            try expectEqual(b.people, [])
            context.rollback()
            try expectEqual(b.people, [ada])
            try expectEqual(a.people, [])
        }
        ConformanceCase("What others link to an object that is deleted here leads nowhere once that is saved", in: .conflicts) {
            environment in
            // The relationship was loaded after the deletion, whose rules had removed the object from it, and had a
            // dangling reference after the save.
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let (ada, bob, cid) = (Person("Ada", context), Person("Bob", context), Person("Cid", context))
            ada.friends = [cid]
            try context.save()
            context.delete(bob)
            try context.processPendingChanges()
            let other = stack.context()
            try other.named("Ada", Person.self).friends.insert(try other.named("Bob", Person.self))
            try other.save()
            context.refresh(ada, mergeChanges: true)
            _ = ada.friends
            try context.save()
            try expectEqual(ada.friends, [cid])
            try expectEqual(try stack.reopened().context().named("Ada", Person.self).friends.map(\.name), ["Cid"])
        }
        ConformanceCase("Relating to what someone else deleted is a conflict that names both", in: .conflicts) { environment in
            for (number, (entity, key)) in references.enumerated() {
                for (turn, loss) in Loss.allCases.enumerated() where Effort.tries(number, turn, oneOf: 3) {
                    let (stack, mine, holder, owner) = try lost(environment, loss, entity, key)
                    let conflicts = try expectConflict(mine)
                    // A link may be named from either end.
                    let named = conflicts.flatMap { [$0.objectID] + $0.relatedIDs }
                    try expectEqual(Set(named), [holder.objectID, owner.objectID], "\(loss) \(entity).\(key)")
                    for conflict in conflicts {
                        guard case .missingDestination = conflict.reason else { throw ConformanceFailure("\(conflict.reason)") }
                    }
                    let stored = try stack.reopened().context().one(entity, "h")
                    try expect(try !stored.objectIDs(forRelationshipNamed: key).contains(owner.objectID), "the reference was saved")
                }
            }
        }
        ConformanceCase("What someone else deleted is let go of under a merge policy, and missing where it is required", in: .conflicts) {
            environment in
            let policies = [MergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback]
            let deletable = references.filter { !["queuing", "leaving", "cascading", "shelves"].contains($0.1) }
            for (number, (entity, key)) in deletable.enumerated() {
                for (turn, policy) in policies.enumerated() where Effort.tries(number, turn, oneOf: 2) {
                    let (stack, mine, holder, _) = try lost(environment, .deleted, entity, key, policy.name)
                    mine.mergePolicy = policy
                    try holder.setValue("h", forKey: "name")
                    let isRequired = holder.entity.relationship(named: key)?.isOptional == false
                    if isRequired {
                        let failures = try expectInvalid(1570, mine)
                        try expectEqual(failures.map(\.objectID), [holder.objectID])
                        try expectEqual(try stack.context().one(entity, "h").one(key)?.text("name"), "q")
                    } else {
                        try mine.save()
                        try expect(!mine.hasChanges, "changes are left")
                        try expectEqual(try holder.objectIDs(forRelationshipNamed: key), [])
                        try expectEqual(try stack.context().one(entity, "h").objectIDs(forRelationshipNamed: key), [])
                    }
                }
            }
        }
        ConformanceCase("A new object whose destination someone else deleted is not saved", in: .conflicts) { environment in
            let (stack, mine, owner) = try ReferenceCases.owner(environment)
            let theirs = stack.context()
            theirs.delete(try theirs.one("Owner", "o"))
            try theirs.save()
            let (member, tag) = (try mine.add("Member", "m"), try mine.add("Tag", "t"))
            try member.setValue(owner, forKey: "nullifying")
            try tag.setValue(Set([owner]), forKey: "owners")
            let named = Set(try expectConflict(mine).flatMap { [$0.objectID] + $0.relatedIDs })
            try expectEqual(named, [member.objectID, tag.objectID, owner.objectID])
            try expectEqual(try stack.context().all("Base").count, 0)
            mine.mergePolicy = .mergeByPropertyObjectTrump
            try mine.save()
            try expectEqual(try names(stack.reopened().context().all("Base")), ["m", "t"])
        }
        // References to an entity without sub-entities were called missing wherever an entity with some was in doubt.
        ConformanceCase("What is there is not missing, whatever else a save leads to", in: .conflicts) { environment in
            for goes in [false, true] {
                let stack = try environment.stack(try Models.zoo.get(), "goes \(goes)")
                let mine = stack.context()
                let (dog, cat) = (try mine.add("Dog", "dog"), try mine.add("Cat", "cat"))
                let (keeper, parade) = (try mine.add("Keeper", "keeper"), try mine.add("Parade", "parade"))
                try mine.save()
                if goes {
                    let theirs = stack.context()
                    theirs.delete(try theirs.one("Cat", "cat"))
                    try theirs.save()
                    try cat.setValue(Set([keeper]), forKey: "doctors")
                }
                try dog.setValue(Set([keeper]), forKey: "doctors")
                try dog.setValue(keeper, forKey: "keeper")
                try keeper.setValue(dog, forKey: "favourite")
                try parade.setValue([dog], forKey: "stars")
                if goes {
                    let named = Set(try expectConflict(mine).flatMap { [$0.objectID] + $0.relatedIDs })
                    try expectEqual(named, [cat.objectID, keeper.objectID])
                    mine.mergePolicy = .rollback
                }
                try mine.save()
                let context = try stack.reopened().context()
                let saved = try context.one("Dog", "dog")
                try expectEqual(try names(saved.many("doctors")), ["keeper"])
                try expectEqual(try saved.one("keeper")?.one("favourite"), saved)
                try expectEqual(try context.one("Parade", "parade").objectIDs(forRelationshipNamed: "stars"), [saved.objectID])
            }
        }
        ConformanceCase("A batch delete leaves no reference, whatever the rule and whichever way it is carried out", in: .conflicts) {
            environment in
            for (number, isInCore) in [false, true].enumerated() {
                let (stack, mine, owner) = try ReferenceCases.owner(environment, "\(number)")
                for key in ["nullifying", "queuing", "leaving", "denying", "partnering", "liking"] {
                    try mine.add("Member", key).setValue(owner, forKey: key)
                }
                try owner.setValue(Set([mine.add("Part", "part")]), forKey: "parts")
                for key in ["owners", "shelves", "keeping"] { try mine.add("Tag", key).setValue(Set([owner]), forKey: key) }
                try mine.add("Member", "cascading").setValue(owner, forKey: "cascading")
                try mine.save()
                var request = BatchDeleteRequest(entityName: "Owner")
                request.isCarriedOutInCore = isInCore
                try mine.execute(request)
                let rest = try stack.reopened().context()
                try expectEqual(try rest.all("Base").count, 10)
                for object in try rest.all("Base") {
                    for relationship in object.entity.relationships {
                        try expectEqual(try object.objectIDs(forRelationshipNamed: relationship.name), [], relationship.name)
                    }
                }
            }
        }
    }
}
