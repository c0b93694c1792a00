import Strata

/// What delete rules do where the store is another one than the context has seen.
enum ReferenceRuleCases {
    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("Deny names the members that joined here, and not those that left", in: .relationships) { environment in
            let (_, mine, owner) = try ReferenceCases.owner(environment)
            let members = try ["stays", "leaves", "joins"].map { try mine.add("Member", $0) }
            for member in members[..<2] { try member.setValue(owner, forKey: "denying") }
            try mine.save()
            try members[1].setValue(nil, forKey: "denying")
            try members[2].setValue(owner, forKey: "denying")
            mine.delete(owner)
            let failure = try expectInvalid(1600, mine)[0]
            try expectEqual(failure.value, .int(2))
            for (member, isNamed) in zip(members, [true, false, true]) {
                try expect(failure.message.contains("\(member.objectID)") == isNamed, failure.message)
            }
        }
        ConformanceCase("A deletion that goes over someone else's change cascades to what that leads to", in: .relationships) {
            environment in
            // The rule had been followed along the row that was read.
            let model = try ManagedObjectModel {
                Entity("Owner") {
                    Attribute("name", .string)
                    Relationship("part", to: "Part", deleteRule: .cascade)
                }
                Entity("Part") { Attribute("name", .string) }
            }
            let stack = try environment.stack(model)
            let (mine, theirs) = (stack.context(), stack.context())
            let owner = try mine.add("Owner", "o")
            try owner.setValue(mine.add("Part", "old"), forKey: "part")
            try mine.save()
            try theirs.one("Owner", "o").setValue(theirs.add("Part", "new"), forKey: "part")
            try theirs.save()
            mine.mergePolicy = .overwrite
            mine.delete(owner)
            try mine.save()
            try expectEqual(try stack.context().all("Owner").count, 0)
            try expectEqual(try names(stack.context().all("Part")), [])
        }
        ConformanceCase("Deleting an owner frees a member that was nobody's when it was read", in: .relationships) { environment in
            // The rule was followed to the row as it had been read, over and over.
            let (stack, mine, owner) = try ReferenceCases.owner(environment)
            let member = try mine.add("Member", "m")
            try mine.save()
            try expect(try member.one("nullifying") == nil, "the member has an owner")
            let theirs = stack.context()
            try theirs.one("Member", "m").setValue(theirs.one("Owner", "o"), forKey: "nullifying")
            try theirs.save()
            mine.delete(owner)
            try mine.save()
            try expect(try member.one("nullifying") == nil && !mine.hasChanges, "the member has an owner")
            try expectEqual(try stack.context().one("Member", "m").objectIDs(forRelationshipNamed: "nullifying"), [])
        }
        ConformanceCase("A batch delete of objects that have no rule of their own leaves nothing that leads to them", in: .batches) {
            environment in
            // The store deleted them by itself.
            let (stack, mine, owner) = try ReferenceCases.owner(environment)
            try owner.setValue(mine.add("Member", "m"), forKey: "partner")
            try mine.save()
            try mine.execute(BatchDeleteRequest(entityName: "Member"))
            let context = stack.context()
            try expectEqual(try names(context.all("Base")), ["o"])
            try expectEqual(try context.one("Owner", "o").objectIDs(forRelationshipNamed: "partner"), [])
            try expectEqual(try stack.coordinator.verify(stack.store()), [])
        }
        ConformanceCase("An order whose owner someone else deleted is let go of under a merge policy", in: .conflicts) { environment in
            // It is written whole, with members that no context holds.
            let (stack, first, owner) = try ReferenceCases.owner(environment)
            try owner.setValue([first.add("Tag", "t"), first.add("Tag", "u")], forKey: "shelf")
            try first.save()
            let (mine, theirs) = (stack.context(), stack.context())
            mine.mergePolicy = .mergeByPropertyObjectTrump
            let here = try mine.one("Owner", "o")
            func lengthen() throws { try here.setValue([mine.add("Tag", "new")] + here.ordered("shelf"), forKey: "shelf") }
            try lengthen()
            theirs.delete(try theirs.one("Owner", "o"))
            try theirs.save()
            try mine.save()
            try expectEqual(try names(stack.reopened().context().all("Base")), ["new", "t", "u"])
        }
    }
}
