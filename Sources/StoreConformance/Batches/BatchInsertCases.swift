import Strata

/// Objects that are inserted without managed objects.
enum BatchInsertCases {
    /// Users, from a source that goes on when its task is cancelled: which it does itself before one of them.
    private struct Unstoppable: AsyncSequence, AsyncIteratorProtocol {
        let count: Int
        var cancelsAt: Int?
        private var index = 0

        init(count: Int, cancelsAt: Int? = nil) {
            self.count = count
            self.cancelsAt = cancelsAt
        }

        func makeAsyncIterator() -> Unstoppable { self }

        mutating func next() async -> [String: Value]? {
            if index == cancelsAt { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
            if index == count { return nil }
            index += 1
            return ["id": .string("\(index)")]
        }
    }

    private static func expectNothing(_ stack: ConformanceStack, line: Int = #line) throws {
        try expectEqual(try stack.context().users(), [], "", line: line)
    }

    /// Checks that a request is refused, and leaves nothing.
    private static func refused(
        _ name: String, _ code: StoreError.Code, key: String?, _ objects: @escaping @Sendable () -> [[String: Value]],
        entity: String = "User"
    ) -> ConformanceCase {
        ConformanceCase(name, in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            let error = try expectStoreError(code) {
                try stack.context().execute(BatchInsertRequest(entityName: entity, objects: objects()))
            }
            try expectEqual(error.key, key)
            try expectNothing(stack)
            try stack.fiveUsers()
            try expectEqual(try stack.context().users().count, 5)
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("Dictionaries are inserted, and the result names them", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            let result = try stack.fiveUsers()
            try expectEqual(result.objectIDs.count, 5)
            try expectEqual(result.count, 5)
            try expectEqual(result.changes, RemoteChanges(inserted: result.objectIDs))
            let context = try stack.reopened().context()
            try expectEqual(try context.users(), ["0001 张三 2", "0002 张四 6", "0003 张五 8", "0004 张六 16", "0005 张七 18"])
            for (index, id) in result.objectIDs.enumerated() {
                let uri = id.uriRepresentation
                let found = try unwrap(context.coordinator.objectID(forURI: uri))
                try expectEqual(try context.existingObject(with: found).text("id"), "000\(index + 1)")
            }
        }
        ConformanceCase("Attributes that are not given take their defaults, and nil where it is given", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            let objects: [[String: (any ValueConvertible)?]] = [
                ["id": "1"], ["id": "2", "age": nil, "score": 2], ["id": "3", "level": 8],
            ]
            try stack.context().execute(BatchInsertRequest(entityName: "User", objects: objects))
            let users = try stack.reopened().context().all("User", sort: [QuerySort("id")])
            try expectEqual(try users.map { try $0.value(forKey: "age") as? Int }, [1, nil, 1])
            try expectEqual(try users.map { try $0.value(forKey: "level") as? Int }, [7, 7, 8])
            try expectEqual(try users.map { try $0.value(forKey: "score") as? Double }, [nil, 2, nil])
        }
        ConformanceCase("Objects of a batch are saved as others are: changed, related, deleted", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            let result = try stack.fiveUsers()
            let context = stack.context()
            let users = try context.existingObjects(with: result.objectIDs)
            let team = try context.add("Team", "blue")
            try team.setValue(Set(users[0...2]), forKey: "users")
            try users[3].setValue("x", forKey: "name")
            context.delete(users[4])
            try context.save()
            let again = try stack.reopened().context()
            try expectEqual(try names(again.one("Team", "blue").many("users")), ["张三", "张五", "张四"].sorted())
            try expectEqual(try again.users(), ["0001 张三 2", "0002 张四 6", "0003 张五 8", "0004 x 16"])
        }
        ConformanceCase("The three results of a batch insert", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            var request = BatchInsertRequest(entityName: "User", objects: [["id": "1"], ["id": "2"]])
            let status = try stack.context().execute(request)
            try expect(status.resultType == .statusOnly && status.objectIDs.isEmpty && status.changes.isEmpty, "\(status)")
            request = BatchInsertRequest(entityName: "User", objects: [["id": "3"], ["id": "4"], ["id": "5"]])
            request.resultType = .count
            let count = try stack.context().execute(request)
            try expect(count.count == 3 && count.objectIDs.isEmpty, "\(count)")
        }
        ConformanceCase("A block gives dictionaries until it says that there are no more", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            var index = 0
            let request = BatchInsertRequest(entityName: "User") { (user: inout [String: Value]) in
                index += 1
                user["id"] = .string("\(index)")
                user["age"] = .int(Int64(index))
                return index > 3
            }
            try stack.context().execute(request)
            try expectEqual(try stack.reopened().context().users(), ["1 nil 1", "2 nil 2", "3 nil 3"])
        }
        ConformanceCase("A block fills in rows by typed keys, more than one chunk of them", in: .batches) { environment in
            let stack = try environment.stack(Models.items)
            let count = 5000
            var index = 0
            var request = BatchInsertRequest(entityName: "Item") { (row: inout BatchRow) in
                if index == count { return true }
                row[Item.number] = Int64(index)
                if index % 3 == 0 { row[Item.text] = "item \(index)" }
                index += 1
                return false
            }
            request.resultType = .objectIDs
            let result = try stack.context().execute(request)
            try expectEqual(result.objectIDs.count, count)
            let context = try stack.reopened().context()
            let items = try context.fetch(ObjectFetchRequest<Item>(sort: [QuerySort("number")]))
            try expect(items.map { $0[Item.number] } == (0..<count).map { Int64($0) }, "numbers differ")
            try expect(items.enumerated().allSatisfy { $1[Item.text] == ($0 % 3 == 0 ? "item \($0)" : nil) }, "texts differ")
        }
        ConformanceCase("An asynchronous sequence is inserted chunk by chunk", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            let objects = AsyncStream<[String: Value]> { stream in
                for index in 1...25 { stream.yield(["id": .string("\(100 + index)"), "age": .int(Int64(index))]) }
                stream.finish()
            }
            var request = AsyncBatchInsertRequest(entityName: "User", objects: objects)
            request.chunkSize = 10
            request.resultType = .objectIDs
            let result = try await stack.coordinator.execute(request)
            try expectEqual(result.objectIDs.count, 25)
            try expectEqual(try stack.reopened().context().users().count, 25)
        }
        ConformanceCase("A cancelled task ends an asynchronous insert, whatever its sequence does", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            let coordinator = stack.coordinator
            let task = Task {
                var request = AsyncBatchInsertRequest(entityName: "User", objects: Unstoppable(count: 100, cancelsAt: 25))
                request.chunkSize = 10
                return try await coordinator.execute(request).count
            }
            do {
                let count = try await task.value
                try expect(false, "\(count) objects were inserted")
            } catch is CancellationError {}
            try expectEqual(try stack.reopened().context().users().count, 20)
        }
        ConformanceCase("An asynchronous batch of no entity is refused, even an empty one", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            for count in [0, 3] {
                let request = AsyncBatchInsertRequest(entityName: "Nobody", objects: Unstoppable(count: count))
                do {
                    _ = try await stack.coordinator.execute(request)
                    try expect(false, "\(count) objects of no entity were inserted")
                } catch let error as StoreError {
                    try expectEqual(error.code, .unknownEntity)
                }
            }
            let none = AsyncBatchInsertRequest(entityName: "User", objects: Unstoppable(count: 0))
            try expectEqual(try await stack.coordinator.execute(none).count, 0)
        }
        ConformanceCase("An empty batch changes nothing", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            let result = try stack.context().execute(BatchInsertRequest(entityName: "User", objects: [[String: Value]]()))
            try expectEqual(result.count, 0)
            try expectNothing(stack)
        }
        refused("An unknown name in a batch is refused", .unknownKey, key: "nmae") { [["id": "1"], ["id": "2", "nmae": "x"]] }
        refused("A transient attribute in a batch insert is refused", .unknownKey, key: "scratch") { [["id": "1", "scratch": "x"]] }
        refused("A value of the wrong type in a batch is refused", .wrongValue, key: "age") { [["id": "1"], ["id": "2", "age": "old"]] }
        refused("A number out of range in a batch is refused", .wrongValue, key: "age") { [["id": "1", "age": 40_000]] }
        refused("A mandatory value that is missing in a batch is refused", .wrongValue, key: "id") { [["id": "1"], ["name": "x"]] }
        refused("A mandatory value that is nil in a batch is refused", .wrongValue, key: "id") { [["id": .null]] }
        refused("An object that does not fit in the last chunk keeps the first from being inserted", .wrongValue, key: "age") {
            (0..<5000).map { ["id": .string("\($0)"), "age": $0 == 4999 ? "old" : 1] }
        }
        refused("A batch of no entity is refused", .unknownEntity, key: nil, { [["id": "1"]] }, entity: "Nobody")
        ConformanceCase("What a source throws leaves nothing of the batch", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            var index = 0
            let request = BatchInsertRequest(entityName: "User") { (user: inout [String: Value]) in
                index += 1
                if index == 3000 { throw Witness.Complaint() }
                user["id"] = .string("\(index)")
                return false
            }
            try expectThrows(Witness.Complaint.self) { try stack.context().execute(request) }
            try expectNothing(stack)
            try stack.fiveUsers()
        }
        ConformanceCase("Rows of a batch have every type of value", in: .batches) { environment in
            let stack = try environment.stack(Models.items)
            let context = stack.context()
            Item.insert(["a", nil, "ß\u{0}x"], of: Item.text, into: context)
            try context.save()
            let objects = try context.all("Item").map { item -> [String: Value] in
                ["number": 10, "text": .string(try item.text("text") ?? "none"), "flag": true, "double": 2, "i16": 3, "float": 0.5]
            }
            try context.execute(BatchInsertRequest(entityName: "Item", objects: objects))
            let items = try stack.reopened().context().fetch(ObjectFetchRequest<Item>(Item.number == 10, sort: [QuerySort("text")]))
            try expectEqual(items.map { $0[Item.text] }, ["a", "none", "ß\u{0}x"])
            try expect(items.allSatisfy { $0[Item.flag] == true && $0[Item.double] == 2 }, "values differ")
            try expect(items.allSatisfy { $0[Item.i16] == 3 && $0[Item.float] == 0.5 }, "numbers differ")
        }
        ConformanceCase("A batch insert does not touch the context that executes it", in: .batches) { environment in
            let stack = try environment.stack(Models.users)
            let context = stack.context()
            let pending = try context.insert("User")
            try stack.fiveUsers()
            try context.execute(BatchInsertRequest(entityName: "User", objects: [["id": "9"]]))
            try expect(pending.isInserted && context.registeredObjects == [pending], "the context's objects changed")
            context.rollback()
            try expectEqual(try context.users().count, 6)
        }
    }
}
