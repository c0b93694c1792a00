import Strata

/// Objects that are changed without managed objects.
enum BatchUpdateCases {
    private static func refused<E: Error>(
        _ name: String, _ error: E.Type, _ values: @escaping @Sendable () -> [String: QueryExpression]
    ) -> ConformanceCase {
        ConformanceCase(name, in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            try stack.fiveUsers()
            let before = try stack.context().users()
            try expectThrows(E.self) { try stack.context().execute(BatchUpdateRequest(entityName: "User", set: values())) }
            try expectEqual(try stack.reopened().context().users(), before)
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A batch update changes what meets the condition, and nothing else", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            let inserted = try stack.fiveUsers().objectIDs
            var request = BatchUpdateRequest(entityName: "User", key("age") < 10, set: ["name": "李四"])
            request.resultType = .objectIDs
            let result = try stack.context().execute(request)
            try expectEqual(Set(result.objectIDs), Set(inserted[0...2]))
            try expectEqual(result.changes, RemoteChanges(updated: result.objectIDs))
            try expectEqual(
                try stack.reopened().context().users(), ["0001 李四 2", "0002 李四 6", "0003 李四 8", "0004 张六 16", "0005 张七 18"])
        }
        ConformanceCase("The three results of a batch update", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            try stack.fiveUsers()
            var request = BatchUpdateRequest(entityName: "User", key("age") > 10, set: ["age": 11])
            let status = try stack.context().execute(request)
            try expect(status.resultType == .statusOnly && status.objectIDs.isEmpty, "\(status)")
            request.resultType = .count
            try expectEqual(try stack.context().execute(request).count, 2)
            request.predicate = key("age") > 100
            try expectEqual(try stack.context().execute(request).count, 0)
        }
        ConformanceCase("A batch update sets nil, several attributes, and leaves the others", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            try stack.fiveUsers()
            let values: [String: Value] = ["age": .null, "name": "x", "score": 2]
            try stack.context().execute(BatchUpdateRequest(entityName: "User", key("id") == "0002", set: values))
            let user = try stack.reopened().context().one("User", "x")
            try expect(try user.value(forKey: "age") == nil, "age stayed")
            try expectEqual(try user.value(forKey: "score") as? Double, 2)
            try expectEqual(try user.value(forKey: "level") as? Int, 7)
            try expectEqual(try user.text("id"), "0002")
        }
        ConformanceCase("A batch update copies one attribute to another, as it was before", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            try stack.fiveUsers()
            let swap = ["age": key("level"), "level": key("age"), "name": key("id")]
            try stack.context().execute(BatchUpdateRequest(entityName: "User", set: swap))
            let users = try stack.reopened().context().all("User", sort: [QuerySort("id")])
            try expectEqual(try users.map { try $0.value(forKey: "level") as? Int }, [2, 6, 8, 16, 18])
            try expectEqual(try users.map { try $0.value(forKey: "age") as? Int }, [7, 7, 7, 7, 7])
            try expectEqual(try users.map { try $0.text("name") }, try users.map { try $0.text("id") })
        }
        ConformanceCase("A batch update reads a value at the end of a to-one path", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            try stack.fiveUsers()
            try stack.context().team()
            try stack.context().execute(BatchUpdateRequest(entityName: "User", set: ["name": key("team.name")]))
            try expectEqual(
                try stack.reopened().context().users(), ["0001 blue 2", "0002 blue 6", "0003 blue 8", "0004 nil 16", "0005 nil 18"])
        }
        ConformanceCase("A batch update computes values from those of each object", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            try stack.fiveUsers()
            let set: [String: QueryExpression] = [
                "age": .function(.add, [key("age"), .constant(1)]), "name": .function(.uppercase, [.constant("ab")]),
            ]
            try stack.context().execute(BatchUpdateRequest(entityName: "User", key("age") >= 8, set: set))
            try expectEqual(
                try stack.reopened().context().users(), ["0001 张三 2", "0002 张四 6", "0003 AB 9", "0004 AB 17", "0005 AB 19"])
        }
        ConformanceCase("A batch update aggregates over the relationships of each object", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            try stack.fiveUsers()
            let context = stack.context()
            for name in ["blue", "red"] {
                let team = try context.add("Team", name)
                try team.setValue(Set(context.all("User", name == "blue" ? key("age") < 7 : key("age") >= 16)), forKey: "users")
            }
            try context.save()
            let count = QueryExpression.function(.multiply, [key("team.users.age.@sum"), .constant(2)])
            try context.execute(BatchUpdateRequest(entityName: "User", key("team") != nil, set: ["level": count]))
            let users = try stack.reopened().context().all("User", sort: [QuerySort("id")])
            try expectEqual(try users.map { try $0.value(forKey: "level") as? Int }, [16, 16, 7, 68, 68])
        }
        ConformanceCase("A batch update is one more version: who changed the object before meets a conflict", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            try stack.fiveUsers()
            let context = stack.context()
            let user = try context.one("User", "张三")
            try user.setValue(3, forKey: "age")
            try stack.context().execute(BatchUpdateRequest(entityName: "User", set: ["level": 1]))
            let conflicts = try expectConflict(context)
            try expectEqual(conflicts.map(\.objectID), [user.objectID])
            guard case .changed(let row) = conflicts[0].reason else { throw ConformanceFailure("\(conflicts[0].reason)") }
            try expectEqual(row.version, 2)
        }
        ConformanceCase("A batch update includes sub-entities unless told otherwise", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            try stack.fiveUsers()
            try stack.context().execute(BatchInsertRequest(entityName: "Admin", objects: [["id": "9", "badge": 4]]))
            var request = BatchUpdateRequest(entityName: "User", set: ["age": 50])
            request.resultType = .count
            try expectEqual(try stack.context().execute(request).count, 6)
            request = BatchUpdateRequest(entityName: "User", set: ["age": 60])
            request.includesSubentities = false
            try stack.context().execute(request)
            let context = try stack.reopened().context()
            try expectEqual(try context.all("Admin").map { try $0.value(forKey: "age") as? Int }, [50])
            try expectEqual(try context.all("Admin").map { try $0.value(forKey: "badge") as? Int }, [4])
            try expectEqual(try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: "User", key("age") == 60)), 5)
        }
        ConformanceCase("A batch update that breaks a constraint changes nothing", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            try stack.fiveUsers()
            let before = try stack.context().users()
            let error = try expectThrows(SaveConflictError.self) {
                try stack.context().execute(BatchUpdateRequest(entityName: "User", key("age") < 10, set: ["id": "x", "age": 1]))
            }
            try expectEqual(error.cocoaCode, 133021)
            try expectEqual(try stack.reopened().context().users(), before)
        }
        ConformanceCase("A batch update moves objects to another destination, and the inverse follows", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            try stack.fiveUsers()
            let context = stack.context()
            let (blue, red) = (try context.add("Team", "blue"), try context.add("Team", "red"))
            try blue.setValue(Set(context.all("User", key("age") < 10)), forKey: "users")
            try context.save()
            try context.execute(BatchUpdateRequest(entityName: "User", key("age") > 7, set: ["team": .objectID(red.objectID)]))
            var again = stack.context()
            try expectEqual(try names(again.one("Team", "red").many("users")), ["张七", "张五", "张六"].sorted())
            try expectEqual(try names(again.one("Team", "blue").many("users")), ["张三", "张四"].sorted())
            try context.execute(BatchUpdateRequest(entityName: "User", key("age") == 2, set: ["team": .null]))
            again = try stack.reopened().context()
            try expectEqual(try names(again.one("Team", "blue").many("users")), ["张四"])
            try expect(try again.one("User", "张三").one("team") == nil, "the team stayed")
        }
        ConformanceCase("Objects that a batch update puts into an ordered relationship come last", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            try stack.fiveUsers()
            let context = stack.context()
            let lane = try context.add("Lane", "1")
            try lane.setValue([context.one("User", "张七"), context.one("User", "张三")], forKey: "runners")
            try context.save()
            let some = key("age") > 5 && key("age") < 10
            try context.execute(BatchUpdateRequest(entityName: "User", some, set: ["lane": .objectID(lane.objectID)]))
            try expectEqual(try inOrder(stack.reopened().context().one("Lane", "1").ordered("runners")), ["张七", "张三", "张四", "张五"])
        }
        ConformanceCase("Members that a batch update puts where they are keep their position", in: .batches) { environment in
            // All rows of the update got a position at the end, also those that had one.
            let stack = try environment.stack(Models.users)
            try stack.fiveUsers()
            let context = stack.context()
            let lane = try context.add("Lane", "1")
            try lane.setValue(["张三", "张七", "张四"].map { try context.one("User", $0) }, forKey: "runners")
            try context.save()
            let some = key("age") == 2 || key("age") == 8
            try context.execute(BatchUpdateRequest(entityName: "User", some, set: ["lane": .objectID(lane.objectID), "level": 9]))
            try expectEqual(try inOrder(stack.context().one("Lane", "1").ordered("runners")), ["张三", "张七", "张四", "张五"])
            let renaming = BatchUpdateRequest(entityName: "User", some, set: ["lane": .objectID(lane.objectID), "name": "x"])
            try stack.context().execute(renaming)
            try expectEqual(try inOrder(stack.reopened().context().one("Lane", "1").ordered("runners")), ["x", "张七", "张四", "x"])
        }
        ConformanceCase("A batch update to a destination that is gone is refused", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            try stack.fiveUsers()
            let context = stack.context()
            let team = try context.add("Team", "blue")
            try context.save()
            let id = team.objectID
            context.delete(team)
            try context.save()
            try expectStoreError(.notFound) { try context.execute(BatchUpdateRequest(entityName: "User", set: ["team": .objectID(id)])) }
        }
        refused("A batch update of an unknown property is refused", StoreError.self) { ["nmae": .constant("x")] }
        refused("A batch update with a value of the wrong type is refused", StoreError.self) { ["age": .constant("x")] }
        refused("A batch update with an expression of the wrong type is refused", StoreError.self) { ["age": key("name")] }
        refused("A batch update that gives an attribute an object is refused", StoreError.self) { ["age": key("team")] }
        refused("A batch update from many destinations is refused", QueryError.self) { ["age": key("pupil.team.users.age")] }
        refused("A batch update that computes nil for a mandatory attribute is refused", StoreError.self) { ["id": key("score")] }
        refused("A batch update that sets a mandatory attribute to nil is refused", StoreError.self) { ["id": .constant(.null)] }
        refused("A batch update of a one to one relationship is refused", StoreError.self) { ["mentor": .constant(.null)] }
        refused("A batch update from an unknown path is refused", QueryError.self) { ["name": key("team.nmae")] }
        ConformanceCase("A batch update with a condition that does not fit is refused", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            try stack.fiveUsers()
            try expectThrows(QueryError.self) {
                try stack.context().execute(BatchUpdateRequest(entityName: "User", key("nmae") == "x", set: ["age": 1]))
            }
        }
        ConformanceCase("A batch update of thousands of objects", in: .batches) { environment in
            let stack = try environment.stack(Models.items)
            let context = stack.context()
            let objects = (0..<5000).map { index -> [String: Value] in ["number": .int(Int64(index)), "text": .string("t\(index)")] }
            try context.execute(BatchInsertRequest(entityName: "Item", objects: objects))
            var request = BatchUpdateRequest(entityName: "Item", key("number") >= 1000, set: ["flag": true, "i64": 5])
            request.resultType = .count
            try expectEqual(try context.execute(request).count, 4000)
            let again = try stack.reopened().context()
            try expectEqual(try again.count(for: ObjectFetchRequest<Item>(Item.flag == true)), 4000)
            let kept = try again.fetch(ObjectFetchRequest<Item>(sort: [QuerySort("number")])).map { $0[Item.text] }
            try expect(kept == (0..<5000).map { "t\($0)" }, "other attributes changed")
        }
    }
}
