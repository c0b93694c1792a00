import Strata

@testable import StrataConformance

/// Relationships to objects that were never saved, and are deleted: a save clears them, and they are read before.
enum ForgottenDestinationCases {
    @ConformanceCaseList static var all: [ConformanceCase] {
        // What was read before the save failed with `notFound`, as if it were saved.
        ConformanceCase("A child reads what led in its parent to an object that never was saved, and is deleted", in: .nesting) {
            environment in
            let stack = try environment.stack(Models.shapes.get())
            let parent = stack.context()
            let node = try parent.add("Node", "n")
            try parent.save()
            let leaf = try parent.add("Leaf", "l")
            try node.setValue(leaf, forKey: "bookmark")
            try node.setValue(Set([leaf]), forKey: "basket")
            parent.delete(leaf)
            // The row as it would be saved decides.
            try expectEqual(try parent.all("Node", key("bookmark.name") == .string("l")).count, 0)
            let child = stack.child(of: parent)
            let childs = try child.one("Node", "n")
            try expect(try childs.one("bookmark") == nil, "the node references a deleted object")
            try expect(try childs.many("basket").isEmpty, "the node references a deleted object")
        }
    }
}
