import Strata
import StrataTestModels

@testable import StrataConformance

/// Deletions in a child context of objects whose relationships the child had changed before.
enum ChildDeletionCases {
    private static let model = ModelResult.declared {
        Entity("Item") {
            Attribute("name", .string)
            Relationship("list", to: "Target", inverse: "items", deleteRule: .cascade)
            Relationship("partner", to: "Target", inverse: "partnerOf", deleteRule: .cascade)
            Relationship("note", to: "Target", deleteRule: .cascade)
            Relationship("notes", to: "Target", .toMany, deleteRule: .cascade)
            Relationship("tags", to: "Target", inverse: "tagged", .toMany, deleteRule: .cascade)
            Relationship("parts", to: "Target", inverse: "whole", .ordered, deleteRule: .cascade)
        }
        Entity("Target") {
            Attribute("name", .string)
            Relationships([
                "items": .toMany("Item.list"), "partnerOf": .toOne("Item.partner"), "tagged": .toMany("Item.tags"),
                "whole": .toOne("Item.parts"),
            ])
        }
    }

    // The parent followed the delete rule by its own references, and deleted what the child had taken from the object
    // before.
    static let all = ["list", "partner", "note", "notes", "tags", "parts"].map { name in
        ConformanceCase("A child deletes an object after it has changed \(name): what it removed stays", in: .nesting) { environment in
            for levels in 1...2 {
                for replaces in [false, true] { try check(name, levels, replaces, environment) }
            }
        }
    }

    /// - Parameter levels: How many contexts are between the one that deletes and the store, itself included.
    private static func check(_ name: String, _ levels: Int, _ replaces: Bool, _ environment: ConformanceEnvironment) throws {
        let stack = try environment.stack(model)
        let top = stack.context()
        let mark = "\(levels) \(replaces)"
        let item = try top.add("Item", "item \(mark)")
        let relationship = try unwrap(item.entity.relationship(named: name))
        try item.relate(relationship, to: [top.add("Target", "old \(mark)")])
        _ = try top.add("Target", "new \(mark)")
        try top.save()
        var family = [top]
        for _ in 0..<levels { family.append(stack.child(of: family[family.count - 1])) }
        let child = family[levels]
        let deleted = try child.one("Item", "item \(mark)")
        try deleted.relate(relationship, to: replaces ? [child.one("Target", "new \(mark)")] : [])
        child.delete(deleted)
        for context in family.reversed() { try context.save() }
        let context = stack.context()
        try expectEqual(try context.all("Item").count, 0)
        // What the child deleted the object with is deleted too.
        let left = try names(context.all("Target", key("name").endsWith(mark)))
        try expectEqual(left, replaces ? ["old \(mark)"] : ["new \(mark)", "old \(mark)"])
        try stack.close()
    }
}
