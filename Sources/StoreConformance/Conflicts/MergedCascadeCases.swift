import Strata

/// Deletions whose rules were followed before another context saved what they deleted.
enum MergedCascadeCases {
    private static let model = CascadeModel.model

    /// How a context takes over what another one saved.
    private enum Merge: CaseIterable { case nothing, automatic, refresh }

    private static func fill(_ context: ManagedObjectContext, _ name: String) throws {
        let (p, item) = (try context.add("Owner", "p"), try context.add("Item", "item"))
        _ = try context.add("Owner", "q")
        try p.relate(unwrap(p.entity.relationship(named: name)), to: [item])
        try context.save()
    }

    private static func move(_ context: ManagedObjectContext, _ name: String) throws {
        let (p, q) = (try context.one("Owner", "p"), try context.one("Owner", "q"))
        let relationship = try unwrap(p.entity.relationship(named: name))
        try p.relate(relationship, to: [])
        try q.relate(relationship, to: [context.one("Item", "item")])
        try context.save()
    }

    /// Saves a context and those above it, which may fail with a conflict alone.
    private static func save(_ family: [ManagedObjectContext]) throws {
        do { for context in family.reversed() { try context.save() } } catch is SaveConflictError {}
    }

    static let all =
        ["items", "steps", "links", "star"].flatMap { name in
            [
                // A merge took the newer row over, and with it the version by which the save would have found the
                // conflict.
                ConformanceCase("An object deleted by cascade over \(name), and moved and merged since, is not lost", in: .conflicts) {
                    environment in
                    for merge in Merge.allCases {
                        for levels in 0...1 { try checkMerge(name, merge, levels, environment) }
                    }
                },
                // The parent received the child's deletions alone, and had nothing to compare with the store.
                ConformanceCase("An object that a child deleted by cascade over \(name), and moved since, is not lost", in: .conflicts) {
                    environment in
                    let stack = try environment.stack(model)
                    let top = stack.context()
                    try fill(stack.context(), name)
                    let child = stack.child(of: top)
                    try child.delete(child.one("Owner", "p"))
                    try child.save()
                    try move(stack.context(), name)
                    try save([top])
                    try expectEqual(try names(stack.context().all("Item")), ["item"])
                },
            ]
        } + [
            // The object that was made anew referenced what the context deletes, so that the retry took the deletion
            // back.
            ConformanceCase("A deletion stays where the policy makes an object anew that references it", in: .conflicts) { environment in
                for (number, policy) in [MergePolicy.mergeByPropertyObjectTrump, .overwrite].enumerated() {
                    let stack = try environment.stack(model)
                    let filling = stack.context()
                    let owner = try filling.add("Owner", "p\(number)")
                    try filling.add("Item", "i\(number)", ["taggedBy": owner, "reference": owner])
                    try filling.save()
                    let context = stack.context()
                    context.mergePolicy = policy
                    _ = try context.one("Item", "i\(number)").one("reference")
                    try context.delete(context.one("Owner", "p\(number)"))
                    try context.processPendingChanges()
                    let other = stack.context()
                    try other.delete(other.one("Item", "i\(number)"))
                    try other.save()
                    try context.save()
                    try expectEqual(try stack.context().all("Owner").count, 0)
                    try stack.close()
                }
            }
        ]

    private static func checkMerge(_ name: String, _ merge: Merge, _ levels: Int, _ environment: ConformanceEnvironment) throws {
        let stack = try environment.stack(model)
        let writer = stack.context()
        for object in try writer.all("Item") + writer.all("Owner") { writer.delete(object) }
        try writer.save()
        try fill(writer, name)
        var family = [stack.context()]
        if levels == 1 { family.append(stack.child(of: family[0])) }
        if merge == .automatic { for context in family { context.automaticallyMergesChangesFromParent = true } }
        let context = family[levels]
        let item = try context.one("Item", "item")
        try context.delete(context.one("Owner", "p"))
        try context.processPendingChanges()
        try expect(item.isDeleted, "the rules were not followed")
        try move(stack.context(), name)
        switch merge {
        case .nothing: break
        case .automatic:
            for context in family { _ = try context.all("Item") }
        case .refresh:
            for member in family {
                member.refresh(member === context ? item : try member.existingObject(with: item.objectID), mergeChanges: true)
            }
        }
        try save(family)
        try expectEqual(try names(stack.context().all("Item")), ["item"])
        try stack.close()
    }
}
