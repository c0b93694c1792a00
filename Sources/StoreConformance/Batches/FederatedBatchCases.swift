import Strata

/// Batch requests over several stores.
enum FederatedBatchCases {
    private static func numbers(_ context: ManagedObjectContext) throws -> [Int?] {
        try context.all("Note", sort: [QuerySort("n")]).map { try $0.value(forKey: "n") as? Int }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A batch insert goes to the first writable store, or to the one that is named", in: .federation) { environment in
            let stack = try environment.notes()
            let (first, second) = (try stack.store(0), try stack.store(1))
            var request = BatchInsertRequest(entityName: "Note", objects: [["n": 1], ["n": 2]])
            request.resultType = .objectIDs
            try expectEqual(Set(try stack.context().execute(request).objectIDs.map(\.storeID)), [first.id])
            request.affectedStores = [second]
            try expectEqual(Set(try stack.context().execute(request).objectIDs.map(\.storeID)), [second.id])
            try expectEqual(try numbers(stack.reopened().context()), [1, 1, 2, 2])
        }
        ConformanceCase("A batch update changes the objects of all stores, or of those that are named", in: .federation) { environment in
            let stack = try environment.notes()
            let context = try stack.deal(10)
            var request = BatchUpdateRequest(entityName: "Note", key("n") >= 4, set: ["name": "changed"])
            request.resultType = .objectIDs
            let ids = try context.execute(request).objectIDs
            try expectEqual(ids.count, 6)
            try expectEqual(Set(ids.compactMap(\.storeID)), Set(stack.coordinator.stores.map(\.id)))
            let one = try stack.store(1)
            var other = BatchUpdateRequest(entityName: "Note", set: ["name": "one"])
            other.affectedStores = [one]
            other.resultType = .objectIDs
            try expectEqual(Set(try context.execute(other).objectIDs.map(\.storeID)), [one.id])
            let again = try stack.reopened().context()
            let expected = (0..<10).map { $0 % stack.coordinatorCount == 1 ? "one" : $0 >= 4 ? "changed" : "note \($0)" }
            try expectEqual(try again.all("Note", sort: [QuerySort("n")]).map { try $0.text("name") }, expected)
        }
        ConformanceCase("A batch delete takes the first objects of all stores together", in: .federation) { environment in
            let stack = try environment.notes()
            let context = try stack.deal(12)
            var request = BatchDeleteRequest(entityName: "Note", sort: [QuerySort("n", ascending: false)], limit: 5, offset: 2)
            request.resultType = .objectIDs
            let result = try context.execute(request)
            try expectEqual(result.objectIDs.count, 5)
            context.mergeChanges(fromRemoteContextSave: result.changes)
            try expectEqual(try numbers(context), [0, 1, 2, 3, 4, 10, 11])
            try expectEqual(try numbers(stack.reopened().context()), [0, 1, 2, 3, 4, 10, 11])
        }
        ConformanceCase("A batch delete by IDs of several stores", in: .federation) { environment in
            let stack = try environment.notes()
            let context = try stack.deal(8)
            let ids = try context.all("Note", key("n") < 6).map(\.objectID)
            try context.execute(BatchDeleteRequest(objectIDs: ids))
            try expectEqual(try numbers(stack.reopened().context()), [6, 7])
        }
        ConformanceCase("A batch update that breaks a constraint in one store changes no other", in: .federation) { environment in
            let stack = try environment.readers()
            let context = stack.context()
            for store in stack.coordinator.stores {
                for card in ["1", "2"] {
                    let reader = try context.add("Reader", "r")
                    try reader.setValue(card, forKey: "card")
                    try context.assign(reader, to: store)
                    if store === stack.coordinator.stores.last { break }
                }
            }
            try context.save()
            try expectThrows(SaveConflictError.self) {
                try context.execute(BatchUpdateRequest(entityName: "Reader", set: ["card": "3", "name": "x"]))
            }
            try expectEqual(try stack.reopened().context().all("Reader", key("name") == "x").count, 0)
        }
        ConformanceCase("A batch update to a destination in another store is refused", in: .federation) { environment in
            let stack = try environment.notes()
            let context = try stack.deal(4)
            var request = BatchInsertRequest(entityName: "Note", objects: [["n": 9]])
            request.affectedStores = [try stack.store(1)]
            try context.execute(request)
            try expectStoreError(.unsupported) { try context.execute(BatchUpdateRequest(entityName: "Note", set: ["next": .null])) }
        }
        ConformanceCase("A batch over a read-only store is refused, and changes no other", in: .federation, requires: .persistence) {
            environment in
            let stack = try environment.notes()
            _ = try stack.deal(6)
            try stack.close()
            var descriptions = stack.descriptions
            descriptions[1].isReadOnly = true
            let again = try environment.stack(stack.container.model, stores: descriptions)
            let context = again.context()
            try expectStoreError(.readOnly) { try context.execute(BatchUpdateRequest(entityName: "Note", set: ["n": 0])) }
            try expectStoreError(.readOnly) { try context.execute(BatchDeleteRequest(entityName: "Note")) }
            try expectEqual(try numbers(context), [0, 1, 2, 3, 4, 5])
            try context.execute(BatchUpdateRequest(entityName: "Note", key("n") == 0, set: ["n": 10]))
            var insert = BatchInsertRequest(entityName: "Note", objects: [["n": 11]])
            insert.affectedStores = [try again.store(1)]
            try expectStoreError(.readOnly) { try context.execute(insert) }
            try expectEqual(try numbers(again.context()), [1, 2, 3, 4, 5, 10])
        }
    }
}

extension ConformanceStack {
    /// The number of stores.
    fileprivate var coordinatorCount: Int { descriptions.count }
}

extension ConformanceEnvironment {
    /// Readers in a store of the harness and one of its partner.
    fileprivate func readers() throws -> ConformanceStack {
        try stack(
            try Models.library.get(),
            stores: [description("first", configuration: "people"), description("second", of: partner, configuration: "people")])
    }
}
