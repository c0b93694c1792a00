import Strata

/// Orders that were changed in a context and, meanwhile, in the store.
enum OrderMergeCases {
    /// A way in which a context learns what is in the store now.
    private enum Way: String, CaseIterable {
        case refreshing, refreshingAll, refetching, merging

        func learn(_ owner: ManagedObject, _ context: ManagedObjectContext) throws {
            switch self {
            case .refreshing: context.refresh(owner, mergeChanges: true)
            case .refreshingAll: context.refreshAllObjects()
            case .refetching:
                var request = ObjectFetchRequest<ManagedObject>(entityName: owner.entity.name)
                request.shouldRefreshRefetchedObjects = true
                _ = try context.fetch(request)
            case .merging: context.mergeChanges(fromRemoteContextSave: [.updated: [owner.objectID]])
            }
        }
    }

    /// A company, or a node with a queue, of d0, d1, d2, whose order is changed here and in the store.
    private static func merge(
        _ name: String, _ expected: [String],
        mine: @escaping @Sendable (_ owner: ManagedObject, _ key: String, ManagedObjectContext) throws -> Void,
        theirs: @escaping @Sendable (_ owner: ManagedObject, _ key: String, ManagedObjectContext) throws -> Void = { _, _, _ in }
    ) -> ConformanceCase {
        ConformanceCase(name, in: .relationships) { environment in
            for way in Way.allCases {
                for (owner, member, key) in [("Node", "Node", "children"), ("Node", "Leaf", "playlist")] {
                    let stack = try environment.stack(Models.shapes, "\(way)-\(key)")
                    let first = stack.context()
                    try first.add(owner, "owner").setValue((0..<3).map { try first.add(member, "d\($0)") }, forKey: key)
                    try first.save()
                    let (here, there) = (stack.context(), stack.context())
                    let (own, other) = (try here.one(owner, "owner"), try there.one(owner, "owner"))
                    try expectEqual(try inOrder(own.ordered(key)), ["d0", "d1", "d2"])
                    try mine(own, key, here)
                    try theirs(other, key, there)
                    try there.save()
                    try way.learn(own, here)
                    try expectEqual(try inOrder(own.ordered(key)), expected, "\(way) \(key)")
                    for round in 0..<4 {
                        do {
                            try here.save()
                            break
                        } catch let error as SaveConflictError where round < 3 {
                            for conflict in error.conflicts { here.refresh(here.object(with: conflict.objectID), mergeChanges: true) }
                        }
                    }
                    try expectEqual(try inOrder(own.ordered(key)), expected, "\(way) \(key), saved")
                    try expectEqual(
                        try inOrder(stack.reopened().context().one(owner, "owner").ordered(key)), expected, "\(way) \(key), stored")
                }
            }
        }
    }

    private static func insert(_ name: String, at index: Int, _ owner: ManagedObject, _ key: String, _ context: ManagedObjectContext) throws
    {
        var members = try owner.ordered(key)
        members.insert(try context.add(key == "children" ? "Node" : "Leaf", name), at: index)
        try owner.setValue(members, forKey: key)
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("An order that was taken apart and put together again is no change", in: .relationships) { environment in
            // It was written over another one that someone else had saved meanwhile.
            for (owner, member, key) in [("Node", "Node", "children"), ("Node", "Leaf", "playlist")] {
                let stack = try environment.stack(Models.shapes, key)
                let (here, there) = (stack.context(), stack.context())
                let own = try here.add(owner, "owner")
                let members = try (0..<3).map { try here.add(member, "d\($0)") }
                try own.setValue(members, forKey: key)
                try here.save()
                try own.setValue([ManagedObject](), forKey: key)
                try own.setValue(members, forKey: key)
                try expect(!own.hasPersistentChangedValues, "\(key) is changed")
                let other = try there.one(owner, "owner")
                try other.setValue(Array(other.ordered(key).reversed()), forKey: key)
                try there.save()
                try here.save()
                try expectEqual(try inOrder(stack.context().one(owner, "owner").ordered(key)), ["d2", "d1", "d0"], key)
            }
        }
        ConformanceCase("An order that is saved brings no link back that others removed", in: .relationships) { environment in
            // The order was written with links of its own, which made again what another context had removed meanwhile.
            let stack = try environment.stack(Models.shapes)
            for (key, member) in [("playlist", "Leaf"), ("ranked", "Node")] {
                let (here, there) = (stack.context(), stack.context())
                let owner = try here.add("Node", "owner of \(key)")
                try owner.setValue((0..<3).map { try here.add(member, "\(key)\($0)") }, forKey: key)
                try here.save()
                let other = try there.one("Node", "owner of \(key)")
                try other.setValue(other.ordered(key).filter { try $0.text("name") != "\(key)1" }, forKey: key)
                try there.save()
                try owner.setValue(Array(owner.ordered(key).reversed()) + [here.add(member, "\(key)3")], forKey: key)
                try here.save()
                let stored = try stack.context().one("Node", "owner of \(key)")
                try expectEqual(try inOrder(stored.ordered(key)), ["\(key)2", "\(key)0", "\(key)3"])
                for store in stack.coordinator.stores { try expectEqual(try stack.coordinator.verify(store).count, 0) }
            }
        }
        // Unsaved members came back in the order of their IDs, behind all others.
        merge("Unsaved members keep their positions when their owner is read anew", ["z", "d0", "y", "d1", "d2", "x", "w"]) {
            try insert("w", at: 3, $0, $1, $2)
            try insert("x", at: 3, $0, $1, $2)
            try insert("y", at: 1, $0, $1, $2)
            try insert("z", at: 0, $0, $1, $2)
        }
        merge("A member removed here is not among those that are read anew", ["d0", "x", "d2"]) {
            try insert("x", at: 2, $0, $1, $2)
            let members = try $0.ordered($1)
            try $0.setValue([members[0], members[2], members[3]], forKey: $1)
        }
        merge("What others appended comes before what was appended here", ["d0", "x", "d1", "d2", "theirs", "mine"]) {
            try insert("mine", at: 3, $0, $1, $2)
            try insert("x", at: 1, $0, $1, $2)
        } theirs: {
            try insert("theirs", at: 3, $0, $1, $2)
        }
        merge("What was added here follows what it stood behind, wherever others moved that", ["d2", "d1", "d0", "x"]) {
            try insert("x", at: 1, $0, $1, $2)
        } theirs: { owner, key, _ in
            try owner.setValue(owner.ordered(key).reversed() as [ManagedObject], forKey: key)
        }
        merge("An order that was changed here holds, with what others added and without what they removed", ["d2", "d0", "theirs"]) {
            owner, key, _ in
            try owner.setValue(owner.ordered(key).reversed() as [ManagedObject], forKey: key)
        } theirs: { owner, key, context in
            try insert("theirs", at: 1, owner, key, context)
            let members = try owner.ordered(key)
            try owner.setValue(members.filter { $0 !== members[2] }, forKey: key)
        }
    }
}
