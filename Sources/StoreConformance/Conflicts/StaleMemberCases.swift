import Strata

/// Deletions by cascade where another context has moved members away since they were loaded.
enum StaleMemberCases {
    private static let model = CascadeModel.model

    /// Which objects a context has read before another one moves a member.
    private enum Held: CaseIterable { case nothing, members, membersWithRows, otherEnd }

    /// Which context deletes the owner.
    private enum Kind: CaseIterable { case top, child, childOfOneThatRead, childOfOneThatMoves }

    private static func fill(_ context: ManagedObjectContext, _ name: String) throws {
        let (p, q) = (try context.add("Owner", "p"), try context.add("Owner", "q"))
        let relationship = try unwrap(p.entity.relationship(named: name))
        let items = try ["a", "b"].map { try context.add("Item", $0) }
        try p.relate(relationship, to: relationship.isToMany ? items : [items[0]])
        try q.relate(relationship, to: [])
        try context.save()
    }

    private static func read(_ context: ManagedObjectContext, _ name: String, _ held: Held) throws -> [ManagedObject] {
        let owner = try context.one("Owner", "p")
        let relationship = try unwrap(owner.entity.relationship(named: name))
        if held == .nothing { return [owner] }
        let members = try owner.members(relationship)
        if held == .members { return [owner] }
        for member in members { _ = try member.text("name") }
        if held == .otherEnd, let inverse = context.model.inverse(of: relationship), !inverse.isHidden {
            for member in members { _ = try member.members(inverse) }
        }
        return [owner] + members
    }

    /// Moves a member from one owner to another one.
    private static func move(_ context: ManagedObjectContext, _ name: String) throws {
        let (p, q, item) = (try context.one("Owner", "p"), try context.one("Owner", "q"), try context.one("Item", "a"))
        let relationship = try unwrap(p.entity.relationship(named: name))
        try p.relate(relationship, to: p.members(relationship).filter { $0 !== item })
        try q.relate(relationship, to: [item])
    }

    private static func check(_ stack: ConformanceStack, _ name: String, _ held: Held, _ kind: Kind) throws {
        let what = "\(name), \(held), \(kind)"
        try fill(stack.context(), name)
        let top = stack.context()
        let here = kind == .top ? top : stack.child(of: top)
        var kept = try read(here, name, held)
        if kind == .childOfOneThatRead { kept += try read(top, name, held) }
        let there = kind == .childOfOneThatMoves ? top : stack.context()
        try move(there, name)
        if there !== top { try there.save() }
        here.delete(kept[0])
        var isSaved = true
        do {
            try here.save()
            if here !== top { try top.save() }
        } catch is SaveConflictError { isSaved = false }
        let after = stack.context()
        let q = try after.one("Owner", "q")
        let relationship = try unwrap(q.entity.relationship(named: name))
        if there !== top || isSaved {
            try expectEqual(try q.namesOfMembers(relationship), ["a"], what)
            // The other one went with its owner, and nothing else did.
            let isAlone = !isSaved || !relationship.isToMany
            try expectEqual(try names(after.all("Item")), isAlone ? ["a", "b"] : ["a"], what)
        }
        let hasLinks = if case .links = relationship.storage { true } else { false }
        // Where rows say who belongs to whom, those that were read before have versions that tell.
        let mayConflict = !hasLinks && (held != .nothing || !relationship.isToMany) && kind != .childOfOneThatMoves
        try expect(isSaved || mayConflict, "\(what): a conflict")
        for object in try after.all("Owner") + after.all("Item") { after.delete(object) }
        try after.save()
        withExtendedLifetime(kept) {}
    }

    private static func moving(_ title: String, _ names: [String]) -> ConformanceCase {
        ConformanceCase(title, in: .conflicts) { environment in
            // Cascade deleted all members that were known, wherever they were by then.
            let stack = try environment.stack(model)
            for name in names {
                for held in Held.allCases { for kind in Kind.allCases { try check(stack, name, held, kind) } }
            }
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        moving("A member of a one-to-many relationship that another context moved is not deleted by cascade", ["items", "steps", "extras"])
        moving("A member of a many-to-many relationship that another context moved is not deleted by cascade", ["links", "ranked"])
        moving("A member of a one-to-one relationship that another context moved is not deleted by cascade", ["star"])
        ConformanceCase("A member that another context moved is not deleted by another cascade of its former owner", in: .conflicts) {
            environment in
            // One of the rules did not reach it any more, another one did.
            for name in ["items", "steps", "extras", "links", "ranked"] {
                let stack = try environment.stack(model, name)
                let writer = stack.context()
                try fill(writer, name)
                try writer.one("Owner", "p").setValue(writer.one("Item", "a"), forKey: "star")
                try writer.save()
                let here = stack.context()
                let kept = try read(here, name, .members)
                let there = stack.context()
                try move(there, name)
                try there.save()
                here.delete(kept[0])
                try here.save()
                let a = try stack.context().one("Item", "a")
                try expect(try a.one("starOf") == nil, "\(name): the item leads to a deleted owner")
            }
        }
        ConformanceCase("A member that another context moved after it was deleted by cascade conflicts", in: .conflicts) { environment in
            // No row changes with a link, so no version showed it.
            for policy in [MergePolicy.error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump] {
                let stack = try environment.stack(model, policy.name)
                try fill(stack.context(), "links")
                let here = stack.context()
                here.mergePolicy = policy
                here.delete(try here.one("Owner", "p"))
                try here.processPendingChanges()
                let there = stack.context()
                try move(there, "links")
                try there.save()
                if policy.name == MergePolicy.error.name {
                    for _ in 1...2 { try expectConflict(here) }
                    try expectEqual(try names(stack.context().all("Item")), ["a", "b"], policy.name)
                } else {
                    try here.save()
                    let kept = policy.name == MergePolicy.mergeByPropertyStoreTrump.name ? ["a"] : []
                    try expectEqual(try names(stack.context().all("Item")), kept, policy.name)
                    try expectEqual(try names(stack.context().one("Owner", "q").many("links")), kept, policy.name)
                }
            }
        }
        ConformanceCase("A member that another context added is deleted by cascade", in: .conflicts) { environment in
            let stack = try environment.stack(model)
            try fill(stack.context(), "links")
            let here = stack.context()
            let kept = try read(here, "links", .otherEnd)
            let there = stack.context()
            try there.add("Item", "c", ["linkedBy": Set([try there.one("Owner", "p")])])
            try there.save()
            here.delete(kept[0])
            try here.save()
            try expectEqual(try names(stack.context().all("Item")), [])
        }
        ConformanceCase("Members that are added and removed here are deleted by cascade and kept", in: .conflicts) { environment in
            for name in ["links", "ranked", "items", "steps", "extras"] {
                let stack = try environment.stack(model, name)
                try fill(stack.context(), name)
                let here = stack.context()
                let owner = try here.one("Owner", "p")
                let relationship = try unwrap(owner.entity.relationship(named: name))
                try owner.relate(relationship, to: [try here.one("Item", "b"), try here.add("Item", "c")])
                here.delete(owner)
                try here.save()
                try expectEqual(try names(stack.context().all("Item")), ["a"], name)
            }
        }
    }
}
