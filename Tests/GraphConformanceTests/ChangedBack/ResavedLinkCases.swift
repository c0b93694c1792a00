import FoundationEssentials
import Strata

@testable import StrataConformance

/// Relationships that a child context changes, saves, changes back, and saves again.
enum ResavedLinkCases {
    private typealias Way = RefilledLinkCases.Way
    private typealias Loaded = RefilledLinkCases.Loaded
    private typealias Graph = RefilledLinkCases.Graph

    /// How a relationship is changed back.
    private enum Back: CaseIterable { case change, undo }

    /// Which contexts save before the other one does.
    private enum Saving: CaseIterable { case child, grandchild, grandchildAndChild }

    private static func change(_ graph: Graph, _ relationship: RelationshipDescription, _ way: Way, adds: Bool) throws {
        let (tag, inverse) = (graph.tag(relationship, way), Graph.inverse(of: relationship, graph.post))
        if way == .set {
            let members = try graph.post.members(relationship).filter { $0 !== tag }
            return try graph.post.relate(relationship, to: adds ? [tag] + members : members)
        }
        guard way == .otherEnd || way == .inAndOutAtOtherEnd, let inverse else {
            return try graph.change(graph.post, relationship, tag, adds: adds)
        }
        try graph.change(tag, inverse, graph.post, adds: adds)
    }

    /// A change of a relationship and back.
    private struct Course {
        let way: Way
        let loaded: Loaded
        let back: Back
        let saving: Saving
    }

    private static func check(_ stack: ConformanceStack, _ name: String, _ course: Course) throws {
        let (way, loaded, back, saving) = (course.way, course.loaded, course.back, course.saving)
        let what = "\(name), \(way), \(loaded), \(back), \(saving)"
        let top = stack.context()
        var family = [stack.child(of: top)]
        if saving != .child { family.append(stack.child(of: family[0])) }
        let here = try unwrap(family.last)
        if back == .undo { here.undoManager = UndoManager() }
        let mine = try Graph(here)
        let relationship = try unwrap(mine.post.entity.relationship(named: name))
        // A destination that comes to a to-one relationship replaces another one.
        if way.adds && !relationship.isToMany { return }
        // A member that comes back through its own end after a save stands behind the others: that is another order.
        if relationship.isOrdered && way == .otherEnd && back == .change { return }
        try mine.load(relationship, loaded)
        try change(mine, relationship, way, adds: way.adds)
        try here.save()
        if saving == .grandchildAndChild { try family[0].save() }
        let theirs = try Graph(stack.context())
        try theirs.change(theirs.post, relationship, theirs.tag(relationship, way), adds: way.adds)
        try theirs.context.save()
        let expected = try theirs.post.namesOfMembers(relationship)
        if back == .undo { try here.undo() } else { try change(mine, relationship, way, adds: !way.adds) }
        for context in family.reversed() { try context.save() }
        try expect(try top.save().isEmpty, "\(what): something was saved")
        let after = try Graph(stack.context())
        try expectEqual(try after.post.namesOfMembers(relationship), expected, what)
        // As it was before, for the next one.
        try after.change(after.post, relationship, after.tag(relationship, way), adds: !way.adds)
        try after.context.save()
        withExtendedLifetime(mine) {}
    }

    private static func resaving(_ title: String, _ names: [String]) -> ConformanceCase {
        ConformanceCase(title, in: .changedBack) { environment in
            // The parent compared the second save with the store, where another context's change was already.
            let stack = try environment.stack(RefilledLinkCases.model)
            try RefilledLinkCases.fill(stack.context())
            for name in names {
                for way in Way.allCases {
                    for loaded in [Loaded.ownEnd, .bothEnds] {
                        for back in Back.allCases {
                            for saving in Saving.allCases {
                                try check(stack, name, Course(way: way, loaded: loaded, back: back, saving: saving))
                            }
                        }
                    }
                }
            }
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        resaving("A many-to-many relationship that a child saves, changes back and saves again is unchanged", ["tags", "ranked"])
        resaving("A one-to-many relationship that a child saves, changes back and saves again is unchanged", ["notes", "steps"])
        resaving("A relationship without an inverse that a child saves, changes back and saves again is unchanged", ["extras", "queue"])
        resaving("A to-one relationship that a child saves, changes back and saves again is unchanged", ["cover", "best"])
        ConformanceCase("A link that one child changes back is not made again by another child", in: .changedBack) { environment in
            // The parent forgot what was saved with the change that the first child took back.
            let stack = try environment.stack(RefilledLinkCases.model)
            for name in ["tags", "ranked"] {
                try RefilledLinkCases.fill(stack.context())
                let top = stack.context()
                let (first, second) = (try Graph(stack.child(of: top)), try Graph(stack.child(of: top)))
                let relationship = try unwrap(first.post.entity.relationship(named: name))
                for graph in [first, second] {
                    try graph.load(relationship, .ownEnd)
                    try change(graph, relationship, .oneByOne, adds: false)
                    try graph.context.save()
                }
                let theirs = try Graph(stack.context())
                try change(theirs, relationship, .oneByOne, adds: false)
                try theirs.context.save()
                for graph in [first, second] {
                    try change(graph, relationship, .oneByOne, adds: true)
                    try graph.context.save()
                }
                try expect(try top.save().isEmpty, "\(name): something was saved")
                let after = stack.context()
                try expectEqual(try after.one("Post", "p").namesOfMembers(relationship), ["b", "c"], name)
                for object in try after.all("Post") + after.all("Tag") { after.delete(object) }
                try after.save()
            }
        }
        ConformanceCase("An order that a child saves, changes back and saves again leaves another context's order alone", in: .changedBack)
        {
            environment in
            // The parent read the other context's order, took it for the one that the child's was made of, and saved a
            // third one.
            let stack = try environment.stack(RefilledLinkCases.model)
            try RefilledLinkCases.fill(stack.context())
            for (number, name) in ["ranked", "steps", "queue"].enumerated() {
                for orders in [["b", "a", "c"], ["c", "a"]] where number == 0 || orders.count == 3 {
                    let top = stack.context()
                    let mine = try Graph(stack.child(of: top))
                    let relationship = try unwrap(mine.post.entity.relationship(named: name))
                    let before = try mine.post.members(relationship)
                    let there = stack.context()
                    let theirs = try there.one("Post", "p")
                    try theirs.relate(relationship, to: theirs.members(relationship).reversed())
                    try there.save()
                    try mine.post.relate(relationship, to: orders.map { try mine.context.one("Tag", $0) })
                    try mine.context.save()
                    try mine.post.relate(relationship, to: before)
                    try mine.context.save()
                    try expect(try top.save().isEmpty, "\(name), \(orders): something was saved")
                    let after = try stack.context().one("Post", "p").members(relationship)
                    try expectEqual(try after.map { try $0.text("name") }, before.reversed().map { try $0.text("name") }, name)
                    try theirs.relate(relationship, to: theirs.members(relationship).reversed())
                    try there.save()
                }
            }
        }
    }
}
