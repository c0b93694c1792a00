import FoundationEssentials
import Strata

/// Batch inserts that meet a constraint: the article's table of merge policies, where the other object is stored
/// already and where it is in the same request.
enum UpsertCases {
    private static let policies: [(policy: MergePolicy, name: String, age: Int)] = [
        (.error, "张八", 16), (.mergeByPropertyStoreTrump, "张八", 16), (.rollback, "张八", 16),
        (.mergeByPropertyObjectTrump, "张九", 18), (.overwrite, "张九", 18),
    ]

    @discardableResult
    private static func insert(
        _ objects: [[String: Value]], _ policy: MergePolicy, _ context: ManagedObjectContext, entity: String = "User"
    ) throws -> BatchResult {
        context.mergePolicy = policy
        var request = BatchInsertRequest(entityName: entity, objects: objects)
        request.resultType = .objectIDs
        return try context.execute(request)
    }

    static var all: [ConformanceCase] {
        [
            ConformanceCase("A request that inserts all objects or none inserts none where one has a unique value of another", in: .batches)
            {
                environment in
                let stack = try environment.stack(Models.users)
                let context = stack.context()
                try insert([["id": "0006", "name": "张八", "age": 16]], .error, context)
                var request = BatchInsertRequest(entityName: "User", objects: [["id": "0007"], ["id": "0006"], ["id": "0008"]])
                request.isAllOrNothing = true
                let error = try expectThrows(BatchInsertError.self) { try context.execute(request) }
                try expectEqual(error.collisions.map(\.index), [1])
                try expectEqual(error.inserted, [])
                try expectEqual(try context.users(), ["0006 张八 16"])
                try expectEqual(try stack.reopened().context().users(), ["0006 张八 16"])
            }
        ]
            + policies.map { policy, name, age in
                ConformanceCase("An object with a unique value that is stored, under the policy \(policy)", in: .batches) { environment in
                    let stack = try environment.stack(Models.users)
                    let context = stack.context()
                    let first = try insert([["id": "0006", "name": "张八", "age": 16]], policy, context).objectIDs
                    let second: [[String: Value]] = [["id": "0007"], ["id": "0006", "name": "张九", "age": 18]]
                    if policy.resolution == .error {
                        let error = try expectThrows(BatchInsertError.self) { try insert(second, policy, context) }
                        try expectEqual(error.collisions.map(\.existing), first)
                        try expectEqual(error.collisions.map(\.index), [1])
                        try expectEqual(error.collisions[0].constraint, ["id"])
                        try expectEqual(error.collisions[0].values["name"], .string("张九"))
                        try expectEqual(error.inserted.count, 1)
                        try expectEqual(error.cocoaCode, 133021)
                        try expectEqual(try context.existingObject(with: error.inserted[0]).text("id"), "0007")
                    } else {
                        let result = try insert(second, policy, context)
                        try expectEqual(result.changes.inserted.count, 1)
                        try expectEqual(result.changes.updated, name == "张八" ? [] : first)
                    }
                    try expectEqual(try stack.reopened().context().users(), ["0006 \(name) \(age)", "0007 nil 1"])
                }
            }
            + policies.map { policy, name, age in
                ConformanceCase("Two objects of one request with a unique value, under the policy \(policy)", in: .batches) { environment in
                    let stack = try environment.stack(Models.users)
                    let context = stack.context()
                    let both: [[String: Value]] = [["id": "0006", "name": "张八", "age": 16], ["id": "0006", "name": "张九", "age": 18]]
                    if policy.resolution == .error {
                        let error = try expectThrows(BatchInsertError.self) { try insert(both, policy, context) }
                        try expectEqual(error.collisions.map(\.existing), error.inserted)
                    } else {
                        let result = try insert(both, policy, context)
                        try expectEqual(result.objectIDs.count, 1)
                        try expectEqual(result.changes.updated, [])
                    }
                    try expectEqual(try stack.reopened().context().users(), ["0006 \(name) \(age)"])
                }
            }
            + policies.map { policy, name, age in
                ConformanceCase("Two objects with a unique value in different chunks, under the policy \(policy)", in: .batches) {
                    environment in
                    let stack = try environment.stack(Models.users)
                    let filler = (0..<5000).map { index -> [String: Value] in ["id": .string("filler \(index)")] }
                    let first: [[String: Value]] = [["id": "0006", "name": "张八", "age": 16]]
                    let last: [[String: Value]] = [["id": "0006", "name": "张九", "age": 18]]
                    _ = try? insert(first + filler + last, policy, stack.context())
                    let context = try stack.reopened().context()
                    try expectEqual(try context.users(key("id") == "0006"), ["0006 \(name) \(age)"])
                    try expectEqual(try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: "User")), 5001)
                }
            } + [
                ConformanceCase("An upsert leaves what is not given as it is, also relationships", in: .batches) { environment in
                    let stack = try environment.stack(Models.users)
                    let context = stack.context()
                    let user = try context.add("User", "old")
                    for (key, value) in ["id": "1", "age": 5, "level": 9] as [String: any Sendable] {
                        try user.setValue(value, forKey: key)
                    }
                    try user.setValue(context.add("Team", "blue"), forKey: "team")
                    try context.save()
                    _ = try insert([["id": "1", "name": "new"]], .mergeByPropertyObjectTrump, stack.context())
                    let changed = try stack.reopened().context().one("User", "new")
                    try expectEqual(try changed.value(forKey: "age") as? Int, 5)
                    try expectEqual(try changed.value(forKey: "level") as? Int, 9)
                    try expectEqual(try changed.one("team")?.text("name"), "blue")
                },
                ConformanceCase("Overwriting gives defaults to what is not given", in: .batches) { environment in
                    let stack = try environment.stack(Models.users)
                    _ = try insert([["id": "1", "name": "old", "age": 5, "score": 1.5]], .error, stack.context())
                    _ = try insert([["id": "1", "level": 8]], .overwrite, stack.context())
                    let user = try stack.reopened().context().all("User")[0]
                    try expectEqual(try user.text("name"), nil)
                    try expectEqual(try user.value(forKey: "age") as? Int, 1)
                    try expectEqual(try user.value(forKey: "level") as? Int, 8)
                    try expect(try user.value(forKey: "score") == nil, "score stayed")
                },
                ConformanceCase("An upsert is one more version: who changed the object before meets a conflict", in: .batches) {
                    environment in
                    let stack = try environment.stack(Models.users)
                    try stack.fiveUsers()
                    let context = stack.context()
                    let user = try context.one("User", "张三")
                    try user.setValue(3, forKey: "age")
                    _ = try insert([["id": "0001", "age": 40]], .mergeByPropertyObjectTrump, stack.context())
                    try expectConflict(context)
                    context.refresh(user, mergeChanges: false)
                    try expectEqual(try user.value(forKey: "age") as? Int, 40)
                },
                ConformanceCase("Several objects of one request change one stored object in turn", in: .batches) { environment in
                    let stack = try environment.stack(Models.users)
                    let id = try stack.fiveUsers().objectIDs[0]
                    let result = try insert(
                        [["id": "0001", "age": 40], ["id": "0001", "name": "b"], ["id": "0001", "level": 2]], .mergeByPropertyObjectTrump,
                        stack.context())
                    try expectEqual(result.objectIDs, [id])
                    try expectEqual(result.count, 3)
                    let user = try stack.reopened().context().one("User", "b")
                    try expectEqual(try user.value(forKey: "age") as? Int, 40)
                    try expectEqual(try user.value(forKey: "level") as? Int, 2)
                },
                // An upsert reported every property of the entity as changed.
                ConformanceCase("An upsert tells the properties whose values it changed", in: .batches) { environment in
                    let stack = try environment.stack(Models.users)
                    let heard = Heard(stack.coordinator)
                    let ids = try stack.fiveUsers().objectIDs
                    _ = try heard.only()
                    let objects: [[String: Value]] = [["id": "0001", "age": 40], ["id": "0002", "age": 6], ["id": "0001", "name": "b"]]
                    _ = try insert(objects, .mergeByPropertyObjectTrump, stack.context())
                    let updated = try heard.only().updated
                    try expectEqual(updated.map(\.id), Array(ids[..<2]))
                    try expectEqual(updated.map { Set($0.changedProperties) }, [["age", "name"], []])
                },
                ConformanceCase("Objects of one request meet what those before them changed, and no later one", in: .batches) {
                    environment in
                    let stack = try environment.stack(Models.users)
                    _ = try insert([["id": "1", "badge": 1, "name": "a"]], .error, stack.context(), entity: "Admin")
                    let fillers = (0..<40).map { number -> [String: Value] in
                        ["id": .string("filler \(number)"), "badge": .int(Int64(100 + number))]
                    }
                    let result = try insert(
                        fillers + [
                            // Becomes part of the first one, whose badge it changes; the next one may have that badge
                            // then.
                            ["id": "1", "badge": 2], ["id": "2", "badge": 1, "name": "a"],
                            // Has the badge and the name that the first one has by now.
                            ["id": "3", "badge": 2, "name": "a", "age": 9],
                        ], .mergeByPropertyObjectTrump, stack.context(), entity: "Admin")
                    try expectEqual(result.count, 43)
                    try expectEqual(result.changes.inserted.count, 41)
                    try expectEqual(result.changes.updated.count, 1)
                    let admins = try stack.reopened().context().all("Admin", key("name") == "a", sort: [QuerySort("id")])
                    try expectEqual(try admins.map { try $0.text("id") }, ["2", "3"])
                    try expectEqual(try admins.map { try $0.value(forKey: "badge") as? Int }, [1, 2])
                    try expectEqual(try admins.map { try $0.value(forKey: "age") as? Int }, [1, 9])
                },
                ConformanceCase("A constraint over two attributes, and one of an ancestor, hold in a batch", in: .batches) { environment in
                    let stack = try environment.stack(Models.users)
                    let admins: [[String: Value]] = [
                        ["id": "1", "badge": 1, "name": "a"], ["id": "2", "badge": 1, "name": "b"], ["id": "3", "badge": 2, "name": "a"],
                        ["id": "4", "badge": 1, "name": "a"], ["id": "5", "badge": 1], ["id": "6", "badge": 1], ["id": "1", "badge": 9],
                    ]
                    let error = try expectThrows(BatchInsertError.self) { try insert(admins, .error, stack.context(), entity: "Admin") }
                    try expectEqual(error.collisions.map(\.index), [3, 6])
                    try expectEqual(error.collisions.map(\.constraint), [["badge", "name"], ["id"]])
                    try expectEqual(try stack.reopened().context().all("Admin").count, 5)
                },
                ConformanceCase("A user with the ID of an admin changes the admin; one of a guest cannot", in: .batches) { environment in
                    let stack = try environment.stack(Models.users)
                    _ = try insert([["id": "1", "badge": 5, "name": "a"]], .error, stack.context(), entity: "Admin")
                    _ = try insert([["id": "2", "badge": 5, "name": "g"]], .error, stack.context(), entity: "Guest")
                    _ = try insert([["id": "1", "name": "b"]], .mergeByPropertyObjectTrump, stack.context())
                    let context = stack.context()
                    try expectEqual(try context.one("Admin", "b").value(forKey: "badge") as? Int, 5)
                    try expectThrows(BatchInsertError.self) {
                        try insert([["id": "2", "badge": 6]], .mergeByPropertyObjectTrump, stack.context(), entity: "Admin")
                    }
                    try expectEqual(try stack.reopened().context().one("Guest", "g").value(forKey: "badge") as? Int, 5)
                },
                ConformanceCase("A policy of one's own decides from the values", in: .batches) { environment in
                    let stack = try environment.stack(Models.users)
                    try stack.fiveUsers()
                    let oldest = MergePolicy("oldest") { conflict in
                        let isOlder = (conflict.values["age"] ?? .null).compare(conflict.stored["age"] ?? .null) == .greater
                        return isOlder ? .values(["age": conflict.values["age"] ?? .null]) : .rollback
                    }
                    _ = try insert([["id": "0001", "age": 40, "name": "x"], ["id": "0005", "age": 3]], oldest, stack.context())
                    try expectEqual(try stack.reopened().context().users(key("id").isIn(["0001", "0005"])), ["0001 张三 40", "0005 张七 18"])
                },
                ConformanceCase("A unique value that is no number is one like others", in: .batches) { environment in
                    // The owner of a NaN was never found, as no predicate holds it equal to another: the store then
                    // refused the whole request.
                    let date = Value.date(Date(timeIntervalSinceReferenceDate: .nan))
                    let kinds: [(AttributeType, nan: Value, other: Value)] = [
                        (.double, .double(.nan), 1), (.float, .double(.nan), 1), (.decimal, .decimal(.nan), 1),
                        (.date, date, .date(Date(timeIntervalSinceReferenceDate: 1))),
                    ]
                    for (type, nan, other) in kinds {
                        for isIndexed in [false, true] {
                            let model = try ManagedObjectModel {
                                Entity("A") {
                                    Attribute("k", type)
                                    Attribute("n", .integer64)
                                    Unique("k")
                                    if isIndexed { FetchIndex("byK", on: "k") }
                                }
                            }
                            let context = try environment.stack(model, "\(type) \(isIndexed)").context()
                            let first: [[String: Value]] = [["k": nan, "n": 1], ["k": other, "n": 2], ["k": nan, "n": 3], ["k": .null]]
                            let error = try expectThrows(BatchInsertError.self) { try insert(first, .error, context, entity: "A") }
                            try expectEqual(error.collisions.map(\.index), [2], "\(type)")
                            try expectEqual(error.inserted.count, 3, "\(type)")
                            let again = try expectThrows(BatchInsertError.self) {
                                try insert([["k": nan, "n": 4], ["k": .null]], .error, context, entity: "A")
                            }
                            try expectEqual(again.collisions.map(\.existing), [error.inserted[0]], "\(type)")
                            try expectEqual(again.inserted.count, 1, "\(type)")
                            let third: [[String: Value]] = [["k": nan, "n": 5], ["k": other, "n": 6]]
                            let result = try insert(third, .mergeByPropertyObjectTrump, context, entity: "A")
                            try expectEqual(result.changes.updated, [error.inserted[0], error.inserted[1]], "\(type)")
                            let rows = try context.all("A", key("n") != .null, sort: [QuerySort("n")])
                            try expectEqual(try rows.map { try $0.value(forKey: "n") as? Int }, [5, 6], "\(type)")
                            try expectEqual(try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: "A")), 4, "\(type)")
                        }
                    }
                },
            ]
    }
}
