import Strata

/// Several stores that answer as one.
enum FederationCases {
    private static func numbers(_ objects: [ManagedObject]) throws -> [Int] { try objects.map { try $0.value(forKey: "n") as? Int ?? -1 } }

    private static func request(
        _ predicate: QueryPredicate? = nil,
        _ sort: [QuerySort] = [QuerySort("n")],
        limit: Int? = nil,
        offset: Int = 0
    ) -> ObjectFetchRequest<ManagedObject> {
        ObjectFetchRequest(entityName: "Note", predicate, sort: sort, limit: limit, offset: offset)
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("Objects go to the store whose configuration holds their entity", in: .federation) { environment in
            let stack = try environment.library()
            let context = stack.context()
            let (author, reader) = (try context.add("Author", "a"), try context.add("Reader", "r"))
            try context.save()
            try expectEqual(author.objectID.storeID, try stack.store(0).id)
            try expectEqual(reader.objectID.storeID, try stack.store(1).id)
            try expect(try stack.coordinator.store(of: author.objectID) === stack.store(0), "the author's store is another")
            let other = stack.context()
            try expectEqual(try names(other.all("Author")), ["a"])
            try expectEqual(try names(other.all("Reader")), ["r"])
        }
        ConformanceCase("An entity in several stores goes to the first, or to the one it is assigned to", in: .federation) { environment in
            let stack = try environment.library()
            let context = stack.context()
            let (first, second) = (try context.add("Note", "first"), try context.add("Note", "second"))
            try context.assign(second, to: stack.store(1))
            try context.save()
            try expectEqual(first.objectID.storeID, try stack.store(0).id)
            try expectEqual(second.objectID.storeID, try stack.store(1).id)
            try expectEqual(try names(stack.context().all("Note")), ["first", "second"])
        }
        ConformanceCase("A read-only store is passed over for new objects", in: .federation, requires: .persistence) { environment in
            let stack = try environment.library()
            let writer = stack.context()
            try writer.add("Note", "old")
            try writer.save()
            try stack.close()
            var descriptions = stack.descriptions
            descriptions[0].isReadOnly = true
            let again = try environment.stack(try Models.library.get(), stores: descriptions)
            let context = again.context()
            let note = try context.add("Note", "new")
            try context.save()
            try expectEqual(note.objectID.storeID, try again.store(1).id)
            try expectEqual(try names(again.context().all("Note")), ["new", "old"])
            try expectStoreError(.readOnly) {
                try context.add("Author", "x")
                try context.save()
            }
        }
        ConformanceCase("FETCH within a request asks the stores that the request asks", in: .federation) { environment in
            let stack = try environment.notes()
            _ = try stack.deal(20)
            let context = stack.context()
            let everywhere = request(try QueryPredicate(format: "n >= FETCH('Note', NULL, YES) - 1"))
            try expectEqual(try numbers(context.fetch(everywhere)), [19])
            var limited = request(try QueryPredicate(format: "n < FETCH('Note', NULL, YES)"))
            limited.affectedStores = [try stack.store(0)]
            let own = stride(from: 0, to: 20, by: stack.coordinator.stores.count)
            try expectEqual(try numbers(context.fetch(limited)), own.filter { $0 < Array(own).count })
            // A path from a given object leads on in the object's own store.
            let last = try unwrap(context.fetch(everywhere).first)
            limited.predicate = try QueryPredicate(format: "n < %@.n - 10", last)
            try expectEqual(try numbers(context.fetch(limited)), own.filter { $0 < 9 })
        }
        ConformanceCase("One fetch over several stores is merged in its order", in: .federation) { environment in
            let stack = try environment.notes()
            _ = try stack.deal(40)
            let context = stack.context()
            try expectEqual(try numbers(context.fetch(request())), Array(0..<40))
            try expectEqual(try numbers(context.fetch(request(nil, [QuerySort("n", ascending: false)]))), (0..<40).reversed())
            let byHalf = try numbers(context.fetch(request(nil, [QuerySort("x"), QuerySort("n", ascending: false)])))
            let expected = (0..<40).sorted { a, b in
                let (x, y) = (a % 5 == 4 ? -1 : a / 2, b % 5 == 4 ? -1 : b / 2)
                return x == y ? a > b : x < y
            }
            try expectEqual(byHalf, expected)
        }
        ConformanceCase("Limit and offset apply to all stores together", in: .federation) { environment in
            let stack = try environment.notes()
            _ = try stack.deal(30)
            let context = stack.context()
            for (offset, limit) in [(0, 7), (5, 10), (28, 5), (30, 5), (3, nil), (0, 0)] as [(Int, Int?)] {
                let expected = Array((0..<30).dropFirst(offset).prefix(limit ?? .max))
                try expectEqual(
                    try numbers(context.fetch(request(limit: limit, offset: offset))),
                    expected,
                    "offset \(offset), limit \(limit ?? -1)"
                )
                try expectEqual(try context.count(for: request(limit: limit, offset: offset)), expected.count)
                try expectEqual(try context.fetchObjectIDs(request(limit: limit, offset: offset)).count, expected.count)
            }
            try expectEqual(try numbers(context.fetch(request(key("n") >= 10, limit: 3, offset: 2))), [12, 13, 14])
        }
        ConformanceCase("Counts and IDs come from all stores", in: .federation) { environment in
            let stack = try environment.notes()
            _ = try stack.deal(25)
            let context = stack.context()
            try expectEqual(try context.count(for: request()), 25)
            try expectEqual(try context.count(for: request(key("n") < 10)), 10)
            let objects = try context.fetch(request())
            try expectEqual(try context.fetchObjectIDs(request()), objects.map(\.objectID))
            try expectEqual(Set(objects.compactMap(\.objectID.storeID)).count, stack.coordinator.stores.count)
        }
        ConformanceCase("Aggregates combine over all stores", in: .federation) { environment in
            let stack = try environment.notes()
            _ = try stack.deal(20)
            let context = stack.context()
            let groups = try context.fetchDictionaries(
                request(nil, []).grouped(computing: [.count(), .sum("n"), .average("n"), .min("n"), .max("name"), .average("x"), .sum("x")])
            )
            try expectEqual(groups.count, 1)
            let halves: [Double] = (0..<20).filter { $0 % 5 != 4 }.map { Double($0 / 2) }
            let sum: Double = halves.reduce(0, +)
            try expectEqual(groups[0]["count"], 20)
            try expectEqual(groups[0]["sum_n"], 190)
            try expectEqual(groups[0]["average_n"], 9.5)
            try expectEqual(groups[0]["min_n"], 0)
            try expectEqual(groups[0]["max_name"], "note 9")
            try expectEqual(groups[0]["sum_x"], .double(sum))
            try expectEqual(groups[0]["average_x"], .double(sum / Double(halves.count)))
        }
        ConformanceCase("Groups of several stores are one where their keys are equal", in: .federation) { environment in
            let stack = try environment.notes()
            _ = try stack.deal(20)
            let groups = try stack.context().fetchDictionaries(request(nil, []).grouped(by: ["x"], computing: [.count(), .sum("n")]))
            try expectEqual(groups.map { $0["x"] }.first, .null)
            try expectEqual(groups.first?["count"], 4)
            try expectEqual(groups.count, 11)
            let ordered = try stack.context().fetchDictionaries(
                request(nil, [QuerySort("sum_n", ascending: false)], limit: 1).grouped(by: ["x"], computing: [.count(), .sum("n")]))
            try expectEqual(ordered.count, 1)
            try expectEqual(ordered[0]["sum_n"], 46)
        }
        ConformanceCase("A fetch can be limited to some of the stores", in: .federation) { environment in
            let stack = try environment.notes()
            _ = try stack.deal(20)
            let context = stack.context()
            let stores = stack.coordinator.stores
            for (index, store) in stores.enumerated() {
                var limited = request()
                limited.affectedStores = [store]
                let expected = (0..<20).filter { $0 % stores.count == index }
                try expectEqual(try numbers(context.fetch(limited)), expected)
                try expectEqual(try context.count(for: limited), expected.count)
            }
            var none = request()
            none.affectedStores = []
            try expectEqual(try context.fetch(none).count, 0)
            try expectEqual(try context.count(for: none), 0)
        }
        ConformanceCase("Pending changes count among the objects of all stores", in: .federation) { environment in
            let stack = try environment.notes()
            let context = try stack.deal(10)
            context.delete(try context.one("Note", "note 3"))
            try context.one("Note", "note 4").setValue(100, forKey: "n")
            let new = try context.add("Note", "new")
            try new.setValue(5, forKey: "n")
            try context.assign(new, to: stack.store(1))
            try expectEqual(try numbers(context.fetch(request())), [0, 1, 2, 5, 5, 6, 7, 8, 9, 100])
            var limited = request(key("n") == 5)
            limited.affectedStores = [try stack.store(1)]
            try expect(try context.fetch(limited).contains(new), "the new object is not where it goes")
            limited.affectedStores = [try stack.store(0)]
            try expect(try !context.fetch(limited).contains(new), "the new object is where it does not go")
            try context.save()
            try expectEqual(try numbers(stack.context().fetch(request())), [0, 1, 2, 5, 5, 6, 7, 8, 9, 100])
        }
        ConformanceCase("Equal references of two stores are two objects", in: .federation) { environment in
            let stack = try environment.notes()
            let context = try stack.deal(stack.coordinator.stores.count)
            let other = stack.context()
            let notes = try other.all("Note", sort: [QuerySort("n")])
            try expectEqual(Set(notes.map(\.objectID)).count, notes.count)
            try expectEqual(Set(notes.map(\.objectID.uriRepresentation)).count, notes.count)
            for (note, original) in zip(notes, try context.all("Note", sort: [QuerySort("n")])) {
                try expectEqual(note.objectID, original.objectID)
                try expectEqual(
                    try names(other.all("Note", .comparison(.init(.evaluatedObject, .equal, .constant(.objectID(note.objectID)))))),
                    try names([note])
                )
            }
        }
        ConformanceCase("A fetch over no store is refused", in: .federation) { environment in
            let stack = try environment.library()
            try stack.close()
            let context = stack.context()
            try expectStoreError(.noStore) { try context.all("Author") }
            try expectStoreError(.noStore) { try context.count(for: request()) }
            try expectStoreError(.noStore) { try context.fetchDictionaries(request(nil, []).grouped(computing: [.count(), .sum("n")])) }
        }
    }
}
