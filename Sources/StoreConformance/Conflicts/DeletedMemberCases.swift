import Strata

/// Members that another context deleted after they were added to a relationship here.
enum DeletedMemberCases {
    /// A to-many relationship with the entities at both of its ends.
    private struct Membership: CustomStringConvertible {
        let owner, key, member: String
        var description: String { "\(owner).\(key)" }
    }

    private static let memberships = [
        Membership(owner: "Keeper", key: "animals", member: "Dog"),
        Membership(owner: "Parade", key: "animals", member: "Dog"),
        Membership(owner: "Keeper", key: "patients", member: "Dog"),
        Membership(owner: "Dog", key: "doctors", member: "Keeper"),
        Membership(owner: "Parade", key: "stars", member: "Dog"),
        Membership(owner: "Dog", key: "shows", member: "Parade"),
        Membership(owner: "Keeper", key: "fears", member: "Dog"),
    ]

    /// How a context finds out that a member is deleted.
    private enum Arrival: CaseIterable { case deletion, batch, update, updateAndDeletion, refresh }

    /// A context in which member `m` was added to owner `o`, and another one in which it was deleted since.
    private struct Pair {
        let stack: ConformanceStack
        let here: ManagedObjectContext
        let owner, member: ManagedObject
        private let membership: Membership

        init(_ environment: ConformanceEnvironment, _ membership: Membership, _ arrival: Arrival) throws {
            self.membership = membership
            stack = try environment.stack(Models.zoo.get(), "\(membership) \(arrival)")
            let first = stack.context()
            try first.add(membership.owner, "o")
            try first.add(membership.member, "m")
            try first.add(membership.member, "x")
            try first.save()
            here = stack.context()
            (owner, member) = (try here.one(membership.owner, "o"), try here.one(membership.member, "m"))
            _ = try owner.value(forKey: membership.key)
            try relate(to: [member])
            let there = stack.context()
            let theirs = try there.one(membership.member, "m")
            try theirs.setValue("n", forKey: "name")
            let updated = try there.save().changes
            var deleted = RemoteChanges()
            if arrival == .batch {
                var request = BatchDeleteRequest(entityName: membership.member, key("name") == "n")
                request.mergesIntoContexts = false
                request.resultType = .objectIDs
                deleted = try there.execute(request).changes
            } else {
                there.delete(theirs)
                deleted = try there.save().changes
            }
            if arrival == .update || arrival == .updateAndDeletion { here.mergeChanges(fromRemoteContextSave: updated) }
            if arrival == .refresh { here.refresh(member, mergeChanges: true) }
            if arrival != .update && arrival != .refresh { here.mergeChanges(fromRemoteContextSave: deleted) }
        }

        func relate(to members: [ManagedObject]) throws { try owner.relate(relationship(of: owner), to: members) }

        func expectMembers(_ names: [String]) throws {
            let stored = try stack.context().one(membership.owner, "o")
            for owner in [owner, stored] {
                try expectEqual(try owner.namesOfMembers(relationship(of: owner)), names, "\(membership)")
            }
        }

        private func relationship(of owner: ManagedObject) throws -> RelationshipDescription {
            try unwrap(owner.entity.relationship(named: membership.key))
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        // Only members of one-to-many relationships with an inverse left their owners, and these only where the
        // deletion itself was merged: links were a conflict, or the owner showed a deleted member for good.
        ConformanceCase("A member that another context deleted leaves a relationship to which it was added here", in: .conflicts) {
            environment in
            for (number, membership) in memberships.enumerated() {
                for (turn, arrival) in Arrival.allCases.enumerated() where Effort.tries(number, turn, oneOf: 2) {
                    let pair = try Pair(environment, membership, arrival)
                    try expect(pair.member.isDeleted, "\(membership) \(arrival): the member is not deleted")
                    try pair.expectMembers([])
                    try expect(!pair.here.hasChanges, "\(membership) \(arrival): there are changes")
                    let other = try pair.here.one(membership.member, "x")
                    try pair.relate(to: [other])
                    try pair.here.save()
                    try pair.expectMembers(["x"])
                }
            }
        }
        // The link was dropped without an error when the member's row was missing, though the deletion was not merged.
        ConformanceCase("A link to a member whose row was found gone is a conflict until the member is refreshed", in: .conflicts) {
            environment in
            for (owner, key, member) in [
                ("Keeper", "patients", "Dog"), ("Dog", "doctors", "Keeper"), ("Parade", "stars", "Dog"), ("Dog", "shows", "Parade"),
            ] {
                let stack = try environment.stack(Models.zoo.get(), "\(owner).\(key)")
                let first = stack.context()
                try first.add(owner, "o")
                let added = try first.add(member, "m")
                try first.save()
                let (here, there) = (stack.context(), stack.context())
                let (object, fault) = (try here.one(owner, "o"), here.object(with: added.objectID))
                try object.relate(unwrap(object.entity.relationship(named: key)), to: [fault])
                there.delete(try there.one(member, "m"))
                try there.save()
                _ = try? fault.value(forKey: "name")
                try expect(fault.isDeleted, "\(owner).\(key): not deleted")
                _ = try expectThrows(SaveConflictError.self) { try here.save() }
                here.refresh(fault, mergeChanges: true)
                try here.save()
                try expect(stack.context().one(owner, "o").namesOfMembers(unwrap(object.entity.relationship(named: key))).isEmpty, key)
            }
        }
    }
}
