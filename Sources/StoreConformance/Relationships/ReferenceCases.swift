import Strata
import StrataTestModels

/// No save leaves a reference without its destination, whatever another context did meanwhile.
enum ReferenceCases {
    /// A relationship of every kind that references owners, by the name of the key that an object has for it.
    static let model = ModelResult.declared {
        Entity("Base") { Attribute("name", .string) }
        Entity("Owner", parent: "Base") {
            Relationships(["nullified": .toMany("Member.nullifying"), "queue": .ordered("Member.queuing")])
            Relationship("left", to: "Member", inverse: "leaving", .toMany, deleteRule: .noAction)
            Relationship("cascaded", to: "Member", inverse: "cascading", .toMany, deleteRule: .cascade)
            Relationship("denied", to: "Member", inverse: "denying", .toMany, deleteRule: .deny)
            Relationships(["badges": .toMany("Badge.owner"), "parts": .toMany("Part")])
            Relationship("doomedParts", to: "Part", .toMany, deleteRule: .cascade)
            Relationships([
                "partner": .toOne("Member.partnering"), "tags": .toMany("Tag.owners"), "shelf": .ordered("Tag.shelves"),
            ])
            Relationship("doomedTags", to: "Tag", inverse: "dooming", .toMany, deleteRule: .cascade)
            Relationship("keptTags", to: "Tag", inverse: "keeping", .toMany, deleteRule: .deny)
        }
        Entity("Member", parent: "Base") {
            Relationships([
                "nullifying": .toOne("Owner.nullified"), "queuing": .toOne("Owner.queue"), "leaving": .toOne("Owner.left"),
                "cascading": .toOne("Owner.cascaded"), "denying": .toOne("Owner.denied"), "partnering": .toOne("Owner.partner"),
                "liking": .toOne("Owner"),
            ])
        }
        Entity("Badge", parent: "Base") { Relationship("owner", to: "Owner", inverse: "badges").required }
        Entity("Pin", parent: "Base") { Relationship("owner", to: "Owner").required }
        Entity("Part", parent: "Base")
        Entity("Tag", parent: "Base") {
            Relationships([
                "owners": .toMany("Owner.tags"), "shelves": .toMany("Owner.shelf"), "dooming": .toMany("Owner.doomedTags"),
                "keeping": .toMany("Owner.keptTags"),
            ])
        }
    }

    /// A context with owner `o`, all of whose relationships are loaded, and which are empty.
    static func owner(
        _ environment: ConformanceEnvironment, _ name: String = "store"
    ) throws -> (stack: ConformanceStack, mine: ManagedObjectContext, owner: ManagedObject) {
        let stack = try environment.stack(try model.get(), name)
        let first = stack.context()
        try first.add("Owner", "o")
        try first.save()
        let mine = stack.context()
        let owner = try mine.one("Owner", "o")
        for relationship in owner.entity.relationships { _ = try owner.value(forKey: relationship.name) }
        return (stack, mine, owner)
    }

    /// Has someone else add an object of an entity to owner `o`, by the key of either.
    private static func add(_ entity: String, _ key: String, ofOwner isOwners: Bool = false, _ stack: ConformanceStack) throws {
        let theirs = stack.context()
        let (owner, new) = (try theirs.one("Owner", "o"), try theirs.add(entity, "new"))
        if isOwners { try owner.setValue(Set([new]), forKey: key) } else { try new.setValue(owner, forKey: key) }
        try theirs.save()
    }

    private static func deleting(
        _ name: String, _ entity: String, _ key: String, ofOwner isOwners: Bool = false,
        _ check: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name, in: .relationships) { environment in
            let (stack, mine, owner) = try owner(environment)
            try add(entity, key, ofOwner: isOwners, stack)
            mine.delete(owner)
            try mine.save()
            try expect(!mine.hasChanges, "changes are left")
            for round in 0..<3 {
                // In the context itself, in another one, and after the store was opened again.
                let context = try round == 0 ? mine : round == 1 ? stack.context() : stack.reopened().context()
                try expectEqual(try context.all("Owner").count, 0)
                try check(context)
            }
        }
    }

    private static func denying(_ name: String, _ entity: String, _ key: String, _ relationship: String, _ code: Int) -> ConformanceCase {
        ConformanceCase(name, in: .relationships) { environment in
            let (stack, mine, owner) = try owner(environment)
            try add(entity, key, ofOwner: entity == "Tag", stack)
            try owner.setValue("mine", forKey: "name")
            mine.delete(owner)
            let failure = try expectInvalid(code, mine)[0]
            let new = try stack.context().one(entity, "new")
            try expectEqual(failure.key, relationship)
            try expectEqual(failure.objectID, code == 1600 ? owner.objectID : new.objectID)
            if code == 1600 { try expect(failure.message.contains("\(new.objectID)"), failure.message) }
            // The context is as it was.
            try expectEqual(mine.deletedObjects, [owner])
            try expect(mine.updatedObjects.isEmpty && mine.insertedObjects.isEmpty, "other objects changed")
            try expectEqual(try names(stack.reopened().context().all("Base")), ["new", "o"])
        }
    }

    static var all: [ConformanceCase] {
        ["nullifying", "queuing", "leaving", "liking"].map { key in
            deleting("Deleting an owner to whom someone else added a member by \(key) leaves the member without one", "Member", key) {
                try expect(try $0.one("Member", "new").one(key) == nil, "there is an owner")
                try expectEqual(try $0.one("Member", "new").objectIDs(forRelationshipNamed: key), [])
            }
        } + [
            deleting("Cascade reaches a member that someone else added meanwhile", "Member", "cascading") {
                try expectEqual(try $0.all("Base").count, 0)
            },
            deleting("Cascade reaches a tag that someone else linked meanwhile", "Tag", "doomedTags", ofOwner: true) {
                try expectEqual(try $0.all("Base").count, 0)
            },
            deleting("Cascade reaches what someone else added to a relationship without inverse", "Part", "doomedParts", ofOwner: true) {
                try expectEqual(try $0.all("Base").count, 0)
            },
            deleting("Deleting an owner leaves what someone else added to a relationship without inverse", "Part", "parts", ofOwner: true) {
                try expectEqual(try names($0.all("Base")), ["new"])
            },
            deleting("Deleting an owner takes the links away that someone else made", "Tag", "tags", ofOwner: true) {
                try expectEqual(try $0.one("Tag", "new").objectIDs(forRelationshipNamed: "owners"), [])
            },
            denying("Deny counts a member that someone else added meanwhile, error 1600", "Member", "denying", "denied", 1600),
            denying("Deny counts a tag that someone else linked meanwhile, error 1600", "Tag", "keptTags", "keptTags", 1600),
            denying("Nullify cannot empty what someone else requires meanwhile, error 1570", "Badge", "owner", "owner", 1570),
            denying("A deletion cannot empty a required reference without inverse, error 1570", "Pin", "owner", "owner", 1570),
        ] + moreDeletions + newObjects
    }
}

// MARK: - Deny and no action

extension ReferenceCases {
    @ConformanceCaseList private static var moreDeletions: [ConformanceCase] {
        ConformanceCase("Deny does not count members that someone else gave another owner, or deleted", in: .relationships) { environment in
            for isDeleted in [false, true] {
                let (stack, first, owner) = try owner(environment, "\(isDeleted)")
                try first.add("Owner", "p")
                let (member, tag) = (try first.add("Member", "m"), try first.add("Tag", "t"))
                try member.setValue(owner, forKey: "denying")
                try tag.setValue(Set([owner]), forKey: "keeping")
                try first.save()
                let mine = stack.context()
                let here = try mine.one("Owner", "o")
                try expectEqual(try here.many("denied").count + here.many("keptTags").count, 2)
                let theirs = stack.context()
                if isDeleted {
                    for object in [try theirs.one("Member", "m"), try theirs.one("Tag", "t")] { theirs.delete(object) }
                } else {
                    try theirs.one("Member", "m").setValue(theirs.one("Owner", "p"), forKey: "denying")
                    try theirs.one("Tag", "t").setValue(Set([theirs.one("Owner", "p")]), forKey: "keeping")
                }
                try theirs.save()
                mine.delete(here)
                try mine.save()
                try expectEqual(try names(stack.reopened().context().all("Base")), isDeleted ? ["p"] : ["m", "p", "t"])
            }
        }
        ConformanceCase("Deny does not count members that left here, and counts those that joined", in: .relationships) { environment in
            let (stack, mine, owner) = try owner(environment)
            let (member, tag) = (try mine.add("Member", "m"), try mine.add("Tag", "t"))
            try member.setValue(owner, forKey: "denying")
            try owner.setValue(Set([tag]), forKey: "keptTags")
            try mine.save()
            mine.delete(owner)
            try expectEqual(try expectInvalid(1560, mine).map(\.key), ["denied", "keptTags"])
            try member.setValue(nil, forKey: "denying")
            try expectEqual(try expectInvalid(1600, mine).map(\.key), ["keptTags"])
            try owner.setValue(Set<ManagedObject>(), forKey: "keptTags")
            try mine.save()
            try expectEqual(try names(stack.reopened().context().all("Base")), ["m", "t"])
        }
        ConformanceCase("Deleting an owner of whom others still are takes their references away, whatever the rule", in: .relationships) {
            environment in
            for key in ["leaving", "liking"] {
                let (stack, first, owner) = try owner(environment, key)
                let member = try first.add("Member", "m")
                try member.setValue(owner, forKey: key)
                try first.save()
                first.delete(owner)
                try first.save()
                try expect(try member.one(key) == nil && !first.hasChanges, "the member has an owner")
                try member.setValue("again", forKey: "name")
                try first.save()
                let again = try stack.reopened().context().one("Member", "again")
                try expectEqual(try again.objectIDs(forRelationshipNamed: key), [])
            }
        }
        ConformanceCase("What is related to an object that is about to be deleted follows its delete rules", in: .relationships) {
            environment in
            for key in ["nullifying", "queuing", "leaving", "cascading", "denying", "partnering", "liking"] {
                let (stack, mine, owner) = try owner(environment, key)
                let old = try mine.add("Member", "old")
                try mine.save()
                mine.delete(owner)
                try mine.processPendingChanges()
                let new = try mine.add("Member", "new")
                // A partner has one owner at a time: the latter.
                for member in [old, new] { try member.setValue(owner, forKey: key) }
                if key == "denying" {
                    try expectInvalid(1600, mine)
                    continue
                }
                try mine.save()
                let found = try stack.reopened().context().all("Base")
                try expectEqual(try names(found), key == "cascading" ? [] : ["new", "old"], key)
                for member in found { try expectEqual(try member.objectIDs(forRelationshipNamed: key), [], key) }
            }
        }
        ConformanceCase("Tags that are linked to an object that is about to be deleted follow its delete rules", in: .relationships) {
            environment in
            for key in ["owners", "shelves", "dooming", "keeping"] {
                let (stack, mine, owner) = try owner(environment, key)
                let old = try mine.add("Tag", "old")
                try mine.save()
                mine.delete(owner)
                try mine.processPendingChanges()
                for tag in [old, try mine.add("Tag", "new")] { try tag.setValue(Set([owner]), forKey: key) }
                if key == "keeping" {
                    try expectInvalid(1600, mine)
                    continue
                }
                try mine.save()
                let found = try stack.reopened().context().all("Base")
                try expectEqual(try names(found), key == "dooming" ? [] : ["new", "old"], key)
                for tag in found { try expectEqual(try tag.objectIDs(forRelationshipNamed: key), [], key) }
            }
        }
    }

    @ConformanceCaseList private static var newObjects: [ConformanceCase] {
        ConformanceCase("A new object that is deleted before it was saved leaves every other side", in: .relationships) { environment in
            for key in ["nullifying", "queuing", "leaving", "denying", "partnering", "liking"] {
                let (stack, mine, _) = try owner(environment, key)
                let (new, member) = (try mine.add("Owner", "new"), try mine.add("Member", "m"))
                try member.setValue(new, forKey: key)
                mine.delete(new)
                // One without an inverse is cleared at the save.
                try mine.processPendingChanges()
                if key != "liking" { try expect(try member.one(key) == nil, key) }
                try mine.save()
                try expect(try member.one(key) == nil, key)
                try expectEqual(try stack.reopened().context().one("Member", "m").objectIDs(forRelationshipNamed: key), [])
            }
            let (_, mine, owner) = try owner(environment, "members")
            let inverses = ["nullifying": "nullified", "queuing": "queue", "leaving": "left", "denying": "denied", "partnering": "partner"]
            let new = try mine.add("Member", "new")
            for key in inverses.keys { try new.setValue(owner, forKey: key) }
            mine.delete(new)
            try mine.processPendingChanges()
            for key in inverses.values { try expectEqual(try owner.objectIDs(forRelationshipNamed: key), [], key) }
            try mine.save()
        }
        ConformanceCase("A required reference to a new object that was deleted is missing, error 1570", in: .relationships) { environment in
            let (_, mine, _) = try owner(environment)
            for (entity, key) in [("Pin", "owner"), ("Badge", "owner")] {
                let (new, holder) = (try mine.add("Owner", "new"), try mine.add(entity, "h"))
                try holder.setValue(new, forKey: key)
                mine.delete(new)
                let failures = try expectInvalid(1570, mine)
                try expectEqual(failures.map(\.objectID), [holder.objectID])
                try expectEqual(failures.map(\.key), [key])
                mine.rollback()
            }
        }
    }
}
