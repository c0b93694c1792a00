import Strata
import StrataTestModels
import Synchronization

/// Upserts of stored objects that another context has changed since they were read.
enum StaleUnitingCases {
    private static let model = ModelResult.declared {
        Entity("User") {
            Attributes(["id": .integer64, "name": .string, "level": .integer64])
            Relationships([
                "boss": .toOne("User.team"), "team": .toMany("User.boss"), "tags": .toMany("Tag.users"),
                "marks": .toMany("Tag"),
            ])
            Unique("id")
        }
        Entity("Tag", attributes: ["name": .string], relationships: ["users": .toMany("User.tags")])
    }

    private static func user(_ id: Int, _ context: ManagedObjectContext) throws -> ManagedObject {
        try unwrap(context.all("User", key("id") == .int(Int64(id))).first)
    }

    /// User 1 with a name, the boss 7, and a tag in both relationships to tags; user 8.
    private static func stack(_ environment: ConformanceEnvironment, _ name: String?, _ store: String) throws -> ConformanceStack {
        let stack = try environment.stack(model, store)
        let context = stack.context()
        let users = try [1, 7, 8].map { id in
            let user = try context.insert("User")
            try user.setValue(id, forKey: "id")
            return user
        }
        try fill(users[0], name: name, level: 1, boss: users[1], tags: [context.add("Tag", "t")])
        try context.save()
        return stack
    }

    private static func fill(
        _ user: ManagedObject, name: String?, level: Int, boss: ManagedObject, tags: Set<ManagedObject>
    ) throws {
        try user.setValue(name, forKey: "name")
        try user.setValue(level, forKey: "level")
        try user.setValue(boss, forKey: "boss")
        for key in ["tags", "marks"] { try user.setValue(tags, forKey: key) }
    }

    private static func text(_ user: ManagedObject) throws -> String {
        let (level, boss) = (try user.value(forKey: "level") as? Int, try user.one("boss")?.value(forKey: "id") as? Int)
        let tags = try ["tags", "marks"].map { try names(user.many($0)) }
        return "\(try user.text("name") ?? "nil") \(level ?? -1) \(boss ?? -1) \(tags)"
    }

    private static func changeElsewhere(_ context: ManagedObjectContext) throws {
        try fill(user(1, context), name: "y", level: 1, boss: user(8, context), tags: [])
        try context.save()
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        // What was equal to the values that the context had read counted as unchanged, and the other context's values
        // stayed.
        ConformanceCase("An upsert stores the values that it was given over ones that its context has not read", in: .conflicts) {
            environment in
            for policy in [MergePolicy.mergeByPropertyObjectTrump, .overwrite] {
                for (held, name) in [(false, "x"), (true, "x"), (false, nil), (true, nil)] as [(Bool, String?)] {
                    for isChild in [false, true] {
                        let stack = try stack(environment, name, "\(policy.name) \(held) \(name ?? "nil") \(isChild)")
                        let top = stack.context()
                        let context = isChild ? stack.child(of: top) : top
                        (top.mergePolicy, context.mergePolicy) = (policy, policy)
                        let stored = held ? try user(1, context) : nil
                        if let stored { _ = try text(stored) }
                        let (boss, tag) = (try user(7, context), try context.one("Tag", "t"))
                        _ = try tag.many("users")
                        try changeElsewhere(stack.context())
                        let new = try context.insert("User")
                        try new.setValue(1, forKey: "id")
                        try fill(new, name: name, level: 2, boss: boss, tags: [tag])
                        try context.save()
                        if isChild { try top.save() }
                        let expected = "\(name ?? "nil") 2 7 [[\"t\"], [\"t\"]]"
                        let what = "\(policy.name), held \(held), child \(isChild)"
                        if let stored, !isChild { try expectEqual(try text(stored), expected, what) }
                        try expectEqual(try text(user(1, stack.context())), expected, what)
                    }
                }
            }
        }
        ConformanceCase("An upsert stores the values that it was given over ones saved between its attempts", in: .conflicts) {
            environment in
            for held in [false, true] {
                let stack = try stack(environment, "x", "\(held)")
                let context = stack.context()
                let stored = held ? try user(1, context) : nil
                if let stored { _ = try text(stored) }
                let (boss, tag) = (try user(7, context), try context.one("Tag", "t"))
                let isFirst = Mutex(true)
                let coordinator = stack.coordinator
                context.mergePolicy = MergePolicy("changing") { conflict in
                    let isFirst = isFirst.withLock { isFirst in
                        defer { isFirst = false }
                        return isFirst
                    }
                    if case .constraint = conflict.reason, isFirst { try changeElsewhere(ManagedObjectContext(coordinator)) }
                    return .mergeByPropertyObjectTrump
                }
                let new = try context.insert("User")
                try new.setValue(1, forKey: "id")
                try fill(new, name: "x", level: 2, boss: boss, tags: [tag])
                try context.save()
                try expectEqual(try text(user(1, stack.context())), "x 2 7 [[\"t\"], [\"t\"]]", "held \(held)")
            }
        }
    }
}
