import Strata
import StrataTestModels

/// New objects that become part of one with the same unique values, and what conflicts say of them.
enum UnitingCases {
    private static func upsert(_ context: ManagedObjectContext, _ values: [String: Any?]) throws -> ManagedObject {
        let user = try context.insert("User")
        for (key, value) in values { try user.setValue(value, forKey: key) }
        return user
    }

    private static func text(_ user: ManagedObject) throws -> String {
        func number(_ key: String) throws -> String { try (user.value(forKey: key) as? Int).map(String.init) ?? "nil" }
        return "\(try user.text("id") ?? "nil") \(try user.text("name") ?? "nil") \(try number("age")) \(try number("level"))"
    }

    /// 0001 with the name a, the age 50 and the level 60; the defaults are 1 and 7.
    private static func stack(_ environment: ConformanceEnvironment, _ name: String = "store") throws -> ConformanceStack {
        let stack = try environment.stack(Models.users, name)
        let context = stack.context()
        _ = try upsert(context, ["id": "0001", "name": "a", "age": 50, "level": 60])
        try context.save()
        return stack
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A save that unites objects keeps stored values where only a default stands against them", in: .conflicts) {
            environment in
            // A default was taken for a value, and went over what was stored.
            for (isHeld, values, expected) in [
                (false, ["id": "0001", "name": "x"] as [String: Any?], "0001 x 50 60"),
                (true, ["id": "0001", "name": "x"], "0001 x 50 60"),
                (false, ["id": "0001", "age": 1, "name": nil], "0001 nil 1 60"),
                (true, ["id": "0001", "age": 1, "name": nil], "0001 nil 1 60"),
            ] {
                let stack = try stack(environment, "store\(isHeld)\(values.count)")
                let context = stack.context()
                context.mergePolicy = .mergeByPropertyObjectTrump
                let held = isHeld ? try context.one("User", "a") : nil
                _ = try upsert(context, values)
                try context.save()
                try expectEqual(try context.all("User").map(text), [expected])
                if let held { try expectEqual(try text(held), expected) }
                // As a batch insert does.
                let other = try UnitingCases.stack(environment, "batch\(isHeld)\(values.count)")
                var request = BatchInsertRequest(
                    entityName: "User",
                    objects: [
                        values.mapValues { value in
                            switch value {
                            case let text as String: .string(text)
                            case let number as Int: .int(Int64(number))
                            default: .null
                            }
                        }
                    ])
                request.mergePolicy = .mergeByPropertyObjectTrump
                _ = try other.coordinator.execute(request)
                try expectEqual(try other.context().all("User").map(text), [expected])
                try expectEqual(try stack.reopened().context().all("User").map(text), [expected])
            }
        }
        ConformanceCase("Every merge policy means the same to a save and to a batch insert", in: .conflicts) { environment in
            let named = MergePolicy("named") { _ in .values(["name": .string("named")]) }
            for (policy, expected) in [
                (MergePolicy.error, "0001 a 50 60"), (.mergeByPropertyStoreTrump, "0001 a 50 60"),
                (.mergeByPropertyObjectTrump, "0001 x 50 60"), (.overwrite, "0001 x 1 7"), (.rollback, "0001 a 50 60"),
                (named, "0001 named 50 60"),
            ] {
                let saving = try stack(environment, "save-\(policy.name)")
                let context = saving.context()
                context.mergePolicy = policy
                _ = try upsert(context, ["id": "0001", "name": "x"])
                let isSaved = (try? context.save()) != nil
                let inserting = try stack(environment, "batch-\(policy.name)")
                var request = BatchInsertRequest(entityName: "User", objects: [["id": .string("0001"), "name": .string("x")]])
                request.mergePolicy = policy
                let isInserted = (try? inserting.coordinator.execute(request)) != nil
                try expectEqual(isSaved, policy.name != "error")
                try expectEqual(isInserted, isSaved)
                for stack in [saving, inserting] { try expectEqual(try stack.context().all("User").map(text), [expected]) }
            }
        }
        ConformanceCase("A new object is the stored one from then on where nobody else here is", in: .conflicts) { environment in
            // It was left behind: not deleted, with setters that did nothing, and a trap where it was used as a
            // destination.
            let stack = try stack(environment)
            let context = stack.context()
            context.mergePolicy = .mergeByPropertyObjectTrump
            let user = try upsert(context, ["id": "0001", "name": "x"])
            let temporary = user.objectID
            try context.save()
            try expect(!user.isDeleted && !user.isInserted && !context.hasChanges, "the object is not saved")
            try expectEqual(try text(user), "0001 x 50 60")
            try expect(context.object(with: temporary) === user, "its first ID names another")
            try user.setValue("y", forKey: "name")
            try context.add("Team", "blue").setValue(Set([user]), forKey: "users")
            try context.save()
            let again = try stack.reopened().context()
            try expectEqual(try again.all("User").map(text), ["0001 y 50 60"])
            try expectEqual(try names(again.one("Team", "blue").many("users")), ["y"])
        }
        ConformanceCase("A new object that became part of another one stands for it", in: .conflicts) { environment in
            let stack = try stack(environment)
            let context = stack.context()
            context.mergePolicy = .mergeByPropertyObjectTrump
            let held = try context.one("User", "a")
            let user = try upsert(context, ["id": "0001", "name": "x"])
            let temporary = user.objectID
            try context.save()
            try expect(user.isDeleted && user.managedObjectContext == nil, "the new object is not gone")
            try expectEqual(try text(user), "0001 x 1 7")
            try expectEqual(try text(held), "0001 x 50 60")
            try expect(context.object(with: temporary) === held, "its ID names nothing")
            let team = try context.add("Team", "blue")
            try team.setValue(Set([user]), forKey: "users")
            let pupil = try upsert(context, ["id": "2", "mentor": user])
            team.add(user, to: ToMany<ManagedObject>("users"))
            try expect(try held.one("team") === team && pupil.one("mentor") === held, "the other is not the destination")
            try context.save()
            try expectEqual(try names(stack.reopened().context().one("Team", "blue").many("users")), ["x"])
        }
        ConformanceCase("A save that unites objects and fails after all leaves them apart", in: .conflicts) { environment in
            let stack = try stack(environment)
            let context = stack.context()
            context.mergePolicy = .mergeByPropertyObjectTrump
            let user = try upsert(context, ["id": "0001", "name": "x"])
            let (temporary, other) = (user.objectID, try upsert(stack.context(), ["id": "5"]))
            try other.managedObjectContext?.save()
            let saved = try context.existingObject(with: other.objectID)
            try saved.setValue("0001", forKey: "id")
            try expectConflict(context, code: 133021)
            try expect(user.isInserted && user.objectID == temporary && context.object(with: temporary) === user, "the object is united")
            try expectEqual(try text(user), "0001 x 1 7")
            context.refresh(saved, mergeChanges: false)
            try context.save()
            try expectEqual(try text(user), "0001 x 50 60")
        }
        ConformanceCase("Versions are resolved before constraints", in: .conflicts) { environment in
            // SQLite reported both at once: a new object was united with one that the policy took its unique value
            // from.
            let stack = try stack(environment)
            let context = stack.context()
            context.mergePolicy = MergePolicy("by reason") { conflict in
                if case .constraint = conflict.reason { return .error }
                return .rollback
            }
            let user = try context.one("User", "a")
            // Here 0001 becomes 0002, and a new one has 0003; in the store 0001 became 0003, and is so no more when it
            // is saved anew.
            try user.setValue("0002", forKey: "id")
            let new = try upsert(context, ["id": "0003", "name": "new"])
            let theirs = stack.context()
            try theirs.one("User", "a").setValue("0003", forKey: "id")
            try theirs.save()
            let error = try expectThrows(SaveConflictError.self) { try context.save() }
            try expectEqual(error.conflicts.count, 1)
            context.mergePolicy = .error
            let first = try expectConflict(context, code: 133020)
            try expectEqual(first.map(\.objectID), [user.objectID])
            context.mergePolicy = MergePolicy("mine") { conflict in
                if case .constraint = conflict.reason { return .error }
                return .mergeByPropertyObjectTrump
            }
            try context.save()
            try expect(!new.isDeleted, "the new object is gone")
            try expectEqual(
                try stack.reopened().context().all("User", sort: [QuerySort("id")]).map(text), ["0002 a 50 60", "0003 new 1 7"])
        }
        // SQLite writes entity by entity, and named the first one, which cannot be an object of the parent entity.
        ConformanceCase("Of two new objects with the same values the later one becomes part of the earlier", in: .conflicts) {
            environment in
            let model = try ManagedObjectModel {
                Entity("User") {
                    Attributes(["id": .string, "name": .string])
                    Unique("id")
                }
                Entity("Admin", parent: "User")
            }
            for hasID in [false, true] {
                for policy in [MergePolicy.mergeByPropertyObjectTrump, .overwrite, .mergeByPropertyStoreTrump, .rollback] {
                    let stack = try environment.stack(model, "\(policy) \(hasID)")
                    let context = stack.context()
                    context.mergePolicy = policy
                    let users = try [("Admin", "1", "a"), ("User", "1", "b"), ("User", "2", "c"), ("Admin", "3", "d"), ("Admin", "3", "e")]
                        .map { entity, id, name in
                            let user = try context.add(entity, name)
                            try user.setValue(id, forKey: "id")
                            return user
                        }
                    if hasID { try context.obtainPermanentIDs(for: [users[1], users[3]]) }
                    context.mergePolicy = .error
                    try expectEqual(Set(try expectConflict(context, code: 133021).map(\.objectID)), [users[1].objectID, users[4].objectID])
                    context.mergePolicy = policy
                    try context.save()
                    // One of a sub-entity cannot be one of the parent entity.
                    let others = stack.context()
                    others.mergePolicy = policy
                    try others.add("User", "f").setValue("4", forKey: "id")
                    try others.add("Admin", "g").setValue("4", forKey: "id")
                    _ = try expectConflict(others, code: 133021)
                    let isMine = policy.name == "mergeByPropertyObjectTrump" || policy.name == "overwrite"
                    let saved = try stack.reopened().context().all("User", sort: [QuerySort("id")])
                    try expectEqual(try saved.map { try $0.text("name") }, isMine ? ["b", "c", "e"] : ["a", "c", "d"])
                    try expectEqual(saved.map(\.entity.name), ["Admin", "User", "Admin"])
                }
            }
        }
        ConformanceCase("A conflict with a constraint names the values and both objects", in: .conflicts) { environment in
            // "reference -9223372036854773806" was all that it said of a new object.
            let stack = try stack(environment)
            let stored = try stack.context().one("User", "a").objectID
            let context = stack.context()
            let user = try upsert(context, ["id": "0001"])
            let conflict = try expectConflict(context, code: 133021)[0]
            try expectEqual(conflict.objectID, user.objectID)
            try expectEqual(conflict.otherID, stored)
            try expectEqual(conflict.values, ["id": "0001"])
            let text = "\(conflict)"
            try expect(text.contains("<User new #") && text.contains("id = ") && text.contains("0001"), text)
            try expect(text.contains(stored.uriRepresentation) && !text.contains("-92233"), text)
            let two = stack.context()
            let pair = [try upsert(two, ["id": "7"]), try upsert(two, ["id": "7"])].map(\.objectID)
            let between = try expectConflict(two, code: 133021)[0]
            try expect(pair.contains(between.objectID) && between.otherID.map(pair.contains) == true, "\(between)")
        }
    }
}
