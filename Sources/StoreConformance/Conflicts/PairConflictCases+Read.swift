import Strata

extension PairConflictCases {
    /// What is read of pairs before a save, where another context's pairs came over unsaved ones.
    @ConformanceCaseList static var read: [ConformanceCase] {
        // One end was the stored one and the other the unsaved one: the node had a leaf that had another node.
        ConformanceCase("Both ends of a pair agree where a merge brings a stored pair that an unsaved one replaces", in: .conflicts) {
            environment in
            for (leaf, mine, isRead, isAssigned) in [
                ("z", "c", false, false), ("z", "c", true, false), ("z", "c", true, true), ("x", nil, false, false),
                ("x", nil, true, false),
                ("x", nil, true, true),
            ] as [(String, String?, Bool, Bool)] {
                let what = "\(leaf) \(mine ?? "nil") \(isRead) \(isAssigned)"
                let stack = try six(environment, what)
                let (here, there) = (stack.context(), stack.context())
                let (nodes, leaves) = (try here.all("Node"), try here.all("Leaf"))
                let b = try here.one("Node", "b")
                if isRead { for object in nodes + leaves { _ = try object.one("partner") } }
                let changed = try here.one("Leaf", leaf)
                try changed.setValue(mine.map { try here.one("Node", $0) }, forKey: "partner")
                try set("b", leaf, there)
                here.mergeChanges(fromRemoteContextSave: try there.save().changes)
                func check() throws {
                    for object in nodes + leaves {
                        let partner = try object.one("partner")
                        try expectEqual(try object.objectIDs(forRelationshipNamed: "partner"), partner.map { [$0.objectID] } ?? [], what)
                        if let partner { try expect(try partner.one("partner") === object, what) }
                    }
                }
                try check()
                try expect(try b.one("partner") == nil, what)
                if isAssigned {
                    try b.setValue(changed, forKey: "partner")
                    try expect(try b.one("partner") === changed, what)
                    try check()
                }
                try here.save()
                try check()
                try PairConflictCases.check(stack, what)
                let pairs = mine.map { "a-x \($0)-\(leaf)" } ?? ""
                try expectEqual(try stored(stack), isAssigned ? (mine == nil ? "b-x" : "a-x b-z") : pairs, what)
            }
        }
    }
}
