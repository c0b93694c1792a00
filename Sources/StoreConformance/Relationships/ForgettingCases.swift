import Strata

/// Changes of relationships that are taken back are so at both ends.
enum ForgettingCases {
    private typealias Ends = (key: String, entity: String, inverse: String)

    /// The many-to-many relationships of a node.
    private static let links: [Ends] = [
        ("peers", "Node", "peers"), ("ranked", "Node", "ranked"), ("likes", "Node", "likedBy"), ("tags", "Leaf", "tagged"),
        ("shelf", "Leaf", "shelves"), ("playlist", "Leaf", "playedBy"),
    ]
    private static let owned: [Ends] = [("leaves", "Leaf", "node"), ("children", "Node", "parent")]

    private static func set(_ object: ManagedObject, _ key: String, _ others: [ManagedObject]) throws {
        let isOrdered = object.entity.relationship(named: key)?.isOrdered == true
        try object.setValue(isOrdered ? others as Any : Set(others), forKey: key)
    }

    /// Node `a` and another object `b`, with or without a relationship between them.
    private static func pair(
        _ environment: ConformanceEnvironment, _ ends: Ends, _ label: String, areRelated: Bool
    ) throws -> (stack: ConformanceStack, context: ManagedObjectContext, a: ManagedObject, b: ManagedObject) {
        let stack = try environment.stack(Models.shapes, "\(ends.key) \(label) \(areRelated)")
        let context = stack.context()
        let (a, b) = (try context.add("Node", "a"), try context.add(ends.entity, "b"))
        if areRelated { try set(a, ends.key, [b]) }
        try context.save()
        return (stack, context, a, b)
    }

    /// Checks, here and in the store, that both ends have the relationship, or neither.
    private static func expect(
        _ areRelated: Bool, _ ends: Ends, _ pair: (a: ManagedObject, b: ManagedObject), in stack: ConformanceStack, line: Int = #line
    ) throws {
        func check(_ a: ManagedObject, _ b: ManagedObject) throws {
            try expectEqual(try a.objectIDs(forRelationshipNamed: ends.key), areRelated ? [b.objectID] : [], ends.key, line: line)
            try expectEqual(try b.objectIDs(forRelationshipNamed: ends.inverse), areRelated ? [a.objectID] : [], ends.inverse, line: line)
        }
        try check(pair.a, pair.b)
        let other = try stack.reopened().context()
        try check(other.one("Node", "a"), other.one(ends.entity, "b"))
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        // One that is its own inverse was saved at one end alone: the other object seemed to have no part in the
        // change.
        ConformanceCase("A link is made and removed at both ends, also where one of them is out of date", in: .relationships) {
            environment in
            for ends in links {
                for areRelated in [false, true] {
                    let (stack, context, a, b) = try pair(environment, ends, "out of date", areRelated: areRelated)
                    let mine = stack.context()
                    let (own, other) = (mine.object(with: a.objectID), mine.object(with: b.objectID))
                    _ = try other.objectIDs(forRelationshipNamed: ends.inverse)
                    try set(a, ends.key, areRelated ? [] : [b])
                    try context.save()
                    try set(own, ends.key, areRelated ? [other] : [])
                    try mine.save()
                    try expect(areRelated, ends, (own, other), in: stack)
                }
            }
        }
        // One end of a relationship that is its own inverse was saved without the other.
        ConformanceCase("What refreshing forgets of a link is forgotten at both ends", in: .relationships) { environment in
            for ends in links {
                for areRelated in [false, true] {
                    for isFirst in [false, true] {
                        let (stack, context, a, b) = try pair(environment, ends, "\(isFirst)", areRelated: areRelated)
                        _ = try b.objectIDs(forRelationshipNamed: ends.inverse)
                        try set(a, ends.key, areRelated ? [] : [b])
                        context.refresh(isFirst ? a : b, mergeChanges: false)
                        try expectEqual(try a.objectIDs(forRelationshipNamed: ends.key), areRelated ? [b.objectID] : [])
                        try expectEqual(try b.objectIDs(forRelationshipNamed: ends.inverse), areRelated ? [a.objectID] : [])
                        try context.save()
                        try expect(areRelated, ends, (a, b), in: stack)
                    }
                }
            }
        }
        ConformanceCase("What refreshing forgets of a member, its owner forgets too", in: .relationships) { environment in
            for ends in owned {
                for areRelated in [false, true] {
                    let (stack, context, a, b) = try pair(environment, ends, "member", areRelated: areRelated)
                    _ = try a.value(forKey: ends.key)
                    try set(a, ends.key, areRelated ? [] : [b])
                    context.refresh(b, mergeChanges: false)
                    try expectEqual(try a.objectIDs(forRelationshipNamed: ends.key), areRelated ? [b.objectID] : [])
                    try context.save()
                    try expect(areRelated, ends, (a, b), in: stack)
                }
            }
        }
        ConformanceCase("Members keep the owner that they were given when it is refreshed, and it has them", in: .relationships) {
            environment in
            for ends in owned {
                for areRelated in [false, true] {
                    let (stack, context, a, b) = try pair(environment, ends, "owner", areRelated: areRelated)
                    _ = try a.value(forKey: ends.key)
                    try b.setValue(areRelated ? nil : a, forKey: ends.inverse)
                    try a.setValue("x", forKey: "name")
                    context.refresh(a, mergeChanges: false)
                    try expectEqual(try a.text("name"), "a")
                    try expectEqual(try a.objectIDs(forRelationshipNamed: ends.key), areRelated ? [] : [b.objectID])
                    try context.save()
                    try expect(!areRelated, ends, (a, b), in: stack)
                }
            }
        }
        ConformanceCase("Refreshing a deleted object brings its relationships back", in: .relationships) { environment in
            for ends in links + owned {
                let (stack, context, a, b) = try pair(environment, ends, "deleted", areRelated: true)
                _ = try b.value(forKey: ends.inverse)
                context.delete(a)
                try context.processPendingChanges()
                context.refresh(a, mergeChanges: false)
                try b.setValue("b", forKey: "name")
                try context.save()
                try expect(true, ends, (a, b), in: stack)
            }
        }
        // An object that was inserted again stayed deleted, without a word.
        ConformanceCase("An object that is inserted again before its deletion is saved stays", in: .relationships) { environment in
            for ends in links + owned {
                for rulesAreFollowed in [false, true] {
                    let (stack, context, a, b) = try pair(environment, ends, "again \(rulesAreFollowed)", areRelated: true)
                    _ = try b.value(forKey: ends.inverse)
                    context.delete(a)
                    if rulesAreFollowed { try context.processPendingChanges() }
                    context.insert(a)
                    try expectEqual(a.isDeleted, false)
                    try expectEqual(a.isUpdated, false)
                    try context.save()
                    try expect(true, ends, (a, b), in: stack)
                }
            }
        }
        ConformanceCase("A new object that is deleted and inserted again is saved, with what it was given", in: .relationships) {
            environment in
            for ends in links + owned {
                for rulesAreFollowed in [false, true] {
                    let stack = try environment.stack(Models.shapes, "\(ends.key) new \(rulesAreFollowed)")
                    let context = stack.context()
                    let (a, b) = (try context.add("Node", "a"), try context.add(ends.entity, "b"))
                    try set(a, ends.key, [b])
                    context.delete(a)
                    if rulesAreFollowed { try context.processPendingChanges() }
                    try expectEqual(a.isInserted, false)
                    context.insert(a)
                    try expectEqual(a.isInserted && !a.isDeleted, true)
                    try context.save()
                    try expectEqual(try a.text("name"), "a")
                    // What the delete rules undid between new objects is nowhere kept.
                    try expect(!rulesAreFollowed, ends, (a, b), in: stack)
                }
            }
        }
        ConformanceCase("A deletion that was taken back keeps other changes, and can be made again", in: .relationships) { environment in
            let stack = try environment.stack(Models.shapes)
            let context = stack.context()
            let a = try context.add("Node", "a")
            try context.save()
            try a.setValue("changed", forKey: "name")
            context.delete(a)
            context.insert(a)
            try expectEqual(a.isUpdated, true)
            try context.save()
            try expectEqual(try stack.context().one("Node", "changed").isDeleted, false)
            context.delete(a)
            context.insert(a)
            try expectEqual(context.hasChanges, false)
            context.delete(a)
            try context.save()
            try expectEqual(try stack.context().all("Node").count, 0)
            // Deleted and saved, it is an object without a context, which becomes a new one.
            context.insert(a)
            try context.save()
            try expectEqual(try stack.reopened().context().all("Node").count, 1)
        }
        // The first of the two found the other one deleted, and did without.
        ConformanceCase("Two deletions that a policy takes back leave what is between the objects", in: .conflicts) { environment in
            for (number, ends) in (links + owned).enumerated() {
                for (turn, policy) in [MergePolicy.mergeByPropertyStoreTrump, .rollback].enumerated() {
                    for isFirst in [false, true] where Effort.tries(number + turn, isFirst ? 1 : 0, oneOf: 2) {
                        let (stack, context, a, b) = try pair(environment, ends, "\(number) \(policy) \(isFirst)", areRelated: true)
                        let theirs = stack.context()
                        for object in [try theirs.one("Node", "a"), try theirs.one(ends.entity, "b")] {
                            try object.setValue("changed", forKey: "name")
                            try theirs.save()
                            try object.setValue(object.objectID == a.objectID ? "a" : "b", forKey: "name")
                            try theirs.save()
                        }
                        context.mergePolicy = policy
                        for object in isFirst ? [a, b] : [b, a] { context.delete(object) }
                        try context.save()
                        try expect(true, ends, (a, b), in: stack)
                    }
                }
            }
        }
        // What was related to an object that the context took for gone was saved at one end only.
        ConformanceCase("An object that was gone and was made anew is related to at both ends", in: .conflicts) { environment in
            for (key, entity, inverse) in links + owned + [("twin", "Node", "twin"), ("next", "Node", "previous")] {
                let (stack, context, a, b) = try pair(environment, (key, entity, inverse), "anew", areRelated: false)
                let (theirs, others) = (stack.context(), stack.context())
                let copy = try others.one(entity, "b")
                _ = try copy.text("name")
                theirs.delete(try theirs.one(entity, "b"))
                try theirs.save()
                context.mergeChanges(fromRemoteContextSave: [.deleted: [b.objectID]])
                others.mergePolicy = .overwrite
                for name in ["x", "b"] {
                    try copy.setValue(name, forKey: "name")
                    try others.save()
                }
                if a.entity.relationship(named: key)?.isToMany == true {
                    try set(a, key, [b])
                } else {
                    try a.setValue(b, forKey: key)
                }
                try context.save()
                try expect(true, (key, entity, inverse), (a, b), in: stack)
            }
        }
        ConformanceCase("An object that is made anew has no links in its context, either", in: .conflicts) { environment in
            for ends in links {
                let (stack, context, a, b) = try pair(environment, ends, "lost", areRelated: true)
                _ = (try a.value(forKey: ends.key), try b.value(forKey: ends.inverse))
                let theirs = stack.context()
                theirs.delete(try theirs.one(ends.entity, "b"))
                try theirs.save()
                context.mergePolicy = .overwrite
                for name in ["x", "b"] {
                    try b.setValue(name, forKey: "name")
                    try context.save()
                }
                try expect(false, ends, (a, b), in: stack)
            }
        }
    }
}
