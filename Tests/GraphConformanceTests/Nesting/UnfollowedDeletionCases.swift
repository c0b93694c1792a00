import Strata
import StrataTestModels

@testable import StrataConformance

/// Deletions in a child of objects that others reference without a delete rule that would clear this.
enum UnfollowedDeletionCases {
    private static let model = ModelResult.declared {
        Entity("Target") {
            Attribute("name", .string)
            Relationship("watchers", to: "Item", inverse: "watched", .toMany, deleteRule: .noAction)
            Relationship("seer", to: "Item", inverse: "seen", deleteRule: .noAction)
        }
        Entity("Item") {
            Attributes(["name": .string, "number": .integer64])
            Relationships([
                "note": .toOne("Target"), "notes": .toMany("Target"), "list": .ordered("Target"),
                "watched": .toOne("Target.watchers"), "seen": .toOne("Target.seer"),
            ])
        }
    }

    private static func relate(_ item: ManagedObject, to targets: [ManagedObject]) throws {
        for relationship in item.entity.relationships { try item.relate(relationship, to: targets) }
    }

    private static func expectNone(_ item: ManagedObject, _ what: String) throws {
        for relationship in item.entity.relationships {
            try expectEqual(try item.members(relationship).count, 0, "\(relationship.name), \(what)")
            try expectEqual(try item.objectIDs(forRelationshipNamed: relationship.name), [], "\(relationship.name), \(what)")
        }
    }

    /// - Parameters:
    ///   - levels: How many contexts are between the one that deletes and the store, itself included.
    ///   - isRelatedHere: Whether the child itself saved the references before.
    private static func check(_ environment: ConformanceEnvironment, levels: Int, isRelatedHere: Bool, isAutomatic: Bool) throws {
        let what = "\(levels) \(isRelatedHere) \(isAutomatic)"
        let stack = try environment.stack(model, what)
        let first = stack.context()
        let (target, item) = (try first.add("Target", "t"), try first.add("Item", "i"))
        if !isRelatedHere { try relate(item, to: [target]) }
        try first.save()
        var family = [stack.context()]
        for _ in 0..<levels { family.append(stack.child(of: family[family.count - 1])) }
        for context in family { context.automaticallyMergesChangesFromParent = isAutomatic }
        let child = family[levels]
        let (childsTarget, childsItem) = (try child.one("Target", "t"), try child.one("Item", "i"))
        if isRelatedHere {
            try relate(childsItem, to: [childsTarget])
            for context in family.reversed() { try context.save() }
        }
        child.delete(childsTarget)
        for context in family.reversed() {
            try context.save()
            try expectNone(childsItem, "\(what), in the child")
        }
        try childsItem.setValue(7, forKey: "number")
        for context in family.reversed() { try context.save() }
        try expectNone(childsItem, "\(what), in the child after another save")
        for context in family { context.refreshAllObjects() }
        try expectNone(childsItem, "\(what), in the child after a refresh")
        let stored = try stack.reopened().context().one("Item", "i")
        try expectNone(stored, "\(what), in the store")
        try expectEqual(try stored.value(forKey: "number") as? Int, 7, what)
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        // A to-one relationship referenced the deleted object until the child read it again.
        ConformanceCase("A child reads no reference to an object whose deletion it has saved", in: .nesting) { environment in
            for levels in 0...2 {
                for isRelatedHere in [false, true] {
                    for isAutomatic in [false, true] {
                        try check(environment, levels: levels, isRelatedHere: isRelatedHere, isAutomatic: isAutomatic)
                    }
                }
            }
        }
    }
}
