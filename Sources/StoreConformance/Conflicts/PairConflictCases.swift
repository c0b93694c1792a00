import Strata

/// One-to-one pairs where two contexts change them: each row has a version of its own, and a pair has two.
enum PairConflictCases {
    private typealias Pair = (name: String, inverse: String)

    private static let pairs: [String: [Pair]] = [
        "Node": [("twin", "twin"), ("next", "previous"), ("previous", "next"), ("partner", "partner")],
        "Leaf": [("partner", "partner")],
    ]

    /// Checks in a new context that the partner of an object references it.
    static func check(_ stack: ConformanceStack, _ when: @autoclosure () -> String) throws {
        let context = stack.context()
        for (entity, pairs) in pairs {
            for object in try context.all(entity) {
                for pair in pairs {
                    guard let partner = try object.one(pair.name) else { continue }
                    let back = try partner.one(pair.inverse)
                    let texts = try names([object, partner] + (back.map { [$0] } ?? []))
                    try expect(back === object, "\(pair.name) is not mutual between \(texts) \(when())")
                }
            }
        }
    }

    /// Nodes a, b, c and leaves x, y, z, of which a has x, b has y and c none.
    static func six(_ environment: ConformanceEnvironment, _ name: String = "store") throws -> ConformanceStack {
        let stack = try environment.stack(Models.shapes, name)
        let context = stack.context()
        let leaves = try ["x", "y", "z"].map { try context.add("Leaf", $0) }
        for (name, leaf) in zip(["a", "b", "c"], [leaves[0], leaves[1], nil]) {
            try context.add("Node", name).setValue(leaf, forKey: "partner")
        }
        try context.save()
        return stack
    }

    static func set(_ node: String, _ leaf: String?, _ context: ManagedObjectContext) throws {
        try context.one("Node", node).setValue(leaf.map { try context.one("Leaf", $0) }, forKey: "partner")
    }

    /// The partners as they are stored, such as "a-x b-y".
    static func stored(_ stack: ConformanceStack) throws -> String {
        try stack.context().all("Node", sort: [QuerySort("name")]).compactMap { node in
            try node.one("partner").map { try "\(node.text("name") ?? "")-\($0.text("name") ?? "")" }
        }.joined(separator: " ")
    }

    /// Both contexts have read everything; then theirs is saved, and mine meets it.
    private static func meeting(
        _ name: String, mine: [(String, String?)], theirs: [(String, String?)], _ expected: [(MergePolicy, String)], refreshed: String
    ) -> ConformanceCase {
        ConformanceCase(name, in: .conflicts) { environment in
            for (policy, outcome) in expected + [(MergePolicy.error, refreshed)] {
                let stack = try six(environment, policy.name)
                let (here, there) = (stack.context(), stack.context())
                here.mergePolicy = policy
                for (node, leaf) in mine { try set(node, leaf, here) }
                for (node, leaf) in theirs { try set(node, leaf, there) }
                try there.save()
                for round in 0..<8 {
                    do {
                        try here.save()
                        break
                    } catch let error as SaveConflictError where policy.resolution == .error && round < 7 {
                        for conflict in error.conflicts { here.refresh(here.object(with: conflict.objectID), mergeChanges: true) }
                    }
                }
                try check(stack, "under \(policy)")
                try expectEqual(try stored(stack), outcome, "under \(policy)")
                try expect(!here.hasChanges, "changes are left under \(policy)")
                for node in try here.all("Node") {
                    guard let leaf = try node.one("partner") else { continue }
                    try expect(try leaf.one("partner") === node, "the context has a pair that is not mutual, under \(policy)")
                }
                try expectEqual(try stored(stack.reopened()), outcome, "reopened, under \(policy)")
            }
        }
    }

    private static func seeded(_ policy: MergePolicy) -> ConformanceCase {
        ConformanceCase("Pairs stay mutual over random saves of two contexts: \(policy)", in: .conflicts) { environment in
            for seed in 0..<(environment.harness.isPersistent ? 2 : 25) {
                let stack = try environment.stack(Models.shapes, "store\(seed)")
                try random(stack, policy, SeededGenerator(seed: UInt64(seed + 1)))
            }
        }
    }

    private static func random(_ stack: ConformanceStack, _ policy: MergePolicy, _ seeded: SeededGenerator) throws {
        var generator = seeded
        let first = stack.context()
        for index in 0..<5 { try first.add("Node", "n\(index)") }
        for index in 0..<3 { try first.add("Leaf", "l\(index)") }
        try first.save()
        let contexts = (0..<2).map { _ in stack.context() }
        let objects = try contexts.map { context in
            context.mergePolicy = policy
            return (nodes: try context.all("Node", sort: [QuerySort("name")]), leaves: try context.all("Leaf", sort: [QuerySort("name")]))
        }
        var log: [String] = []
        for step in 0..<60 {
            let index = generator.below(2)
            let (context, (nodes, leaves)) = (contexts[index], objects[index])
            let all = nodes + leaves
            switch generator.below(14) {
            case 0..<9:
                let object = all[generator.below(all.count)]
                let own = pairs[object.entity.name] ?? []
                let pair = own[generator.below(own.count)]
                let others = pair.name == "partner" && object.entity.name == "Node" ? leaves : nodes
                let other = generator.chance(15) ? nil : others[generator.below(others.count)]
                try object.setValue(other, forKey: pair.name)
                log.append("\(index): \(try names([object]))\(pair.name) = \(try other.map { try names([$0]) } ?? [])")
            case 9:
                let (object, isMerging) = (all[generator.below(all.count)], generator.chance(60))
                context.refresh(object, mergeChanges: isMerging)
                log.append("\(index): refresh \(try names([object])) \(isMerging)")
            case 10 where generator.chance(30):
                context.rollback()
                log.append("\(index): rollback")
            default:
                log.append("\(index): save")
                try save(context, &generator)
                try check(stack, "at step \(step): \(log.suffix(30))")
            }
        }
    }

    /// Saves; after a conflict the objects are refreshed, or everything is taken back.
    private static func save(_ context: ManagedObjectContext, _ generator: inout SeededGenerator) throws {
        for _ in 0..<6 {
            do {
                try context.save()
                return
            } catch let error as SaveConflictError {
                for conflict in error.conflicts {
                    context.refresh(context.object(with: conflict.objectID), mergeChanges: generator.chance(80))
                }
            }
        }
        context.rollback()
    }

    @ConformanceCaseList private static var revived: [ConformanceCase] {
        // The first one found no partner any more, and released it; the second one found the first, and referenced it.
        ConformanceCase("Two partners that others deleted come back with both ends of their pair", in: .conflicts) { environment in
            for policy in [MergePolicy.mergeByPropertyObjectTrump, .overwrite] {
                for isSaved in [false, true] {
                    let stack = try environment.stack(Models.shapes.get(), "\(policy)\(isSaved)")
                    let (context, other) = (stack.context(), stack.context())
                    context.mergePolicy = policy
                    let (a, b) = (try context.add("Node", "a"), try context.add("Node", "b"))
                    if isSaved { try a.setValue(b, forKey: "twin") }
                    try context.save()
                    for node in try other.all("Node") { other.delete(node) }
                    try other.save()
                    if isSaved {
                        for node in [a, b] { try node.setValue("new", forKey: "name") }
                    } else {
                        try a.setValue(b, forKey: "twin")
                    }
                    try context.save()
                    let nodes = try stack.context().all("Node")
                    try expectEqual(nodes.count, 2)
                    try expect(nodes[0].one("twin") === nodes[1] && nodes[1].one("twin") === nodes[0], "the pair is not whole")
                    try expect(a.one("twin") === b && b.one("twin") === a, "the context's pair is not whole")
                }
            }
        }
    }

    static var all: [ConformanceCase] {
        revived + [
            // The leaf that they gave to mine was never loaded here, and kept it: two owned one.
            meeting(
                "A partner given here goes over one given by someone else, and nobody shares", mine: [("a", "y")], theirs: [("a", "z")],
                [
                    (.mergeByPropertyObjectTrump, "a-y"), (.overwrite, "a-y"), (.mergeByPropertyStoreTrump, "a-z b-y"),
                    (.rollback, "a-z b-y"),
                ], refreshed: "a-y"),
            meeting(
                "A partner that two take belongs to one of them", mine: [("a", "z")], theirs: [("b", "z")],
                [
                    (.mergeByPropertyObjectTrump, "a-z"), (.overwrite, "a-z"), (.mergeByPropertyStoreTrump, "a-x b-z"),
                    (.rollback, "a-x b-z"),
                ], refreshed: "a-z"),
            meeting(
                "A partner left here stays with the one who took it meanwhile", mine: [("a", "z")], theirs: [("c", "x")],
                [
                    (.mergeByPropertyObjectTrump, "a-z b-y c-x"), (.overwrite, "a-z b-y c-x"), (.mergeByPropertyStoreTrump, "b-y c-x"),
                    (.rollback, "b-y c-x"),
                ], refreshed: "a-z b-y c-x"),
            meeting(
                "Two swaps of the same partners end in one of them", mine: [("a", "y"), ("b", "x")], theirs: [("a", "y"), ("b", "z")],
                [(.mergeByPropertyObjectTrump, "a-y b-x"), (.overwrite, "a-y b-x"), (.mergeByPropertyStoreTrump, "a-y b-z")],
                refreshed: "a-y b-x"),
            ConformanceCase("A partner that a stale object leads to is compared with the store", in: .conflicts) { environment in
                // Nothing of it changed here, so that its version was not looked at.
                let stack = try six(environment)
                let (here, there) = (stack.context(), stack.context())
                let (b, y) = (try here.one("Node", "b"), try here.one("Leaf", "y"))
                try expect(try b.one("partner") === y && y.one("partner") === b, "b and y are no partners")
                try set("b", "z", there)
                try set("c", "y", there)
                try there.save()
                here.refresh(b, mergeChanges: false)
                try b.setValue(y, forKey: "partner")
                try expectConflict(here)
                here.refresh(y, mergeChanges: true)
                try here.save()
                try check(stack, "after the save")
                try expectEqual(try stored(stack), "a-x b-y")
            },
            ConformanceCase("Forgetting the changes of one end forgets them at the other", in: .conflicts) { environment in
                let stack = try six(environment)
                let context = stack.context()
                let (a, b) = (try context.one("Node", "a"), try context.one("Node", "b"))
                let (x, y) = (try context.one("Leaf", "x"), try context.one("Leaf", "y"))
                try a.setValue(y, forKey: "partner")
                context.refresh(y, mergeChanges: false)
                try expect(try y.one("partner") === b && b.one("partner") === y, "y and b are no partners any more")
                try expect(try a.one("partner") === x && x.one("partner") === a, "a and x are no partners any more")
                try context.save()
                try expectEqual(try stored(stack), "a-x b-y")
            },
        ]
            + [.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback, .error].map(seeded) + lost + read
    }
}
