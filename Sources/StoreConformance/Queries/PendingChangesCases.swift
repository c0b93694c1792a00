import Strata

/// Fetches that see changes which are not saved.
enum PendingChangesCases {
    /// Items 0 to 9 with their number as value, and changes: 1 is deleted, 2 becomes 100, 50 and 3.5 are new, 8 becomes
    /// nil.
    private static func build(_ environment: ConformanceEnvironment) throws -> ManagedObjectContext {
        let stack = try environment.stack(Models.indexedItems)
        let writer = stack.context()
        Item.insert((0..<10).map { Double($0) }, of: Item.double, into: writer)
        try writer.save()
        let context = stack.context()
        let items = try context.fetch(ObjectFetchRequest<Item>(sort: [Item.number.ascending]))
        context.delete(items[1])
        items[2][Item.double] = 100
        items[8][Item.double] = nil
        for value in [50, 3.5] { Item(context: context)[Item.double] = value }
        return context
    }

    private static func values(_ context: ManagedObjectContext, _ request: ObjectFetchRequest<Item>) throws -> [Double?] {
        try context.fetch(request).map { $0[Item.double] }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A fetch sees inserts, changes and deletions that are not saved", in: .queries) { environment in
            let context = try build(environment)
            let all = ObjectFetchRequest<Item>(sort: [Item.double.ascending])
            try expectEqual(try values(context, all), [nil, 0, 3, 3.5, 4, 5, 6, 7, 9, 50, 100])
            try expectEqual(try context.count(for: all), 11)
            try expectEqual(try values(context, ObjectFetchRequest(Item.double > 8, sort: [Item.double.ascending])), [9, 50, 100])
            try expectEqual(try values(context, ObjectFetchRequest(Item.double < 4, sort: [Item.double.descending])), [3.5, 3, 0])
            try expectEqual(try values(context, ObjectFetchRequest(Item.double == nil)), [nil])
        }
        ConformanceCase("Limit and offset count pending changes", in: .queries) { environment in
            let context = try build(environment)
            let whole = try values(context, ObjectFetchRequest<Item>(sort: [Item.double.ascending]))
            for (offset, limit) in [(0, 3), (2, 4), (5, 1), (9, 10), (11, 1), (3, nil)] as [(Int, Int?)] {
                let request = ObjectFetchRequest<Item>(sort: [Item.double.ascending], limit: limit, offset: offset)
                let expected = Array(whole.dropFirst(offset).prefix(limit ?? .max))
                try expectEqual(try values(context, request), expected, "offset \(offset), limit \(limit ?? -1)")
                try expectEqual(try context.count(for: request), expected.count)
                try expectEqual(try context.fetchObjectIDs(request).count, expected.count)
            }
        }
        ConformanceCase("A fetch without pending changes sees the store alone", in: .queries) { environment in
            let context = try build(environment)
            var request = ObjectFetchRequest<Item>(Item.double >= 0)
            request.includesPendingChanges = false
            try expectEqual(try context.count(for: request), 10)
            try expectEqual(try context.fetchObjectIDs(request).count, 10)
        }
        ConformanceCase("A fetched object with changes keeps them", in: .queries) { environment in
            let context = try build(environment)
            let changed = try unwrap(context.fetch(ObjectFetchRequest<Item>(Item.double == 100)).first)
            try expect(changed.isUpdated, "the object lost its changes")
            try expectEqual(changed[Item.number], 2)
            try context.save()
            try expectEqual(try values(context, ObjectFetchRequest(Item.double >= 50, sort: [Item.double.ascending])), [50, 100])
        }
        ConformanceCase("Predicates over relationships see changes that are not saved", in: .queries) { environment in
            let stack = try environment.stack(Models.company)
            let writer = stack.context()
            let saved = Company(context: writer)
            saved.city = "Rome"
            for name in ["p", "q"] { _ = Person(name, writer, company: saved) }
            try writer.save()
            let context = stack.context()
            let new = Company(context: context)
            new.city = "Oslo"
            try context.named("p", Person.self).company = new
            _ = Person("r", context, company: new)
            try expectEqual(try context.names(of: Person.self, key("company.city") == "Oslo"), ["p", "r"])
            try expectEqual(try context.names(of: Person.self, Person.company == new), ["p", "r"])
            try expectEqual(try context.names(of: Person.self, key("company.city") == "Rome"), ["q"])
            let byCity = try context.fetch(ObjectFetchRequest<Person>(sort: [QuerySort("company.city"), QuerySort("name")]))
            try expectEqual(try inOrder(byCity), ["p", "r", "q"])
        }
        ConformanceCase("A fetch sees new objects of sub-entities", in: .queries) { environment in
            let stack = try environment.stack(Models.zoo)
            let context = stack.context()
            try context.add("Dog", "saved")
            try context.save()
            try context.add("Cat", "new")
            try context.add("Bird", "newer")
            try expectEqual(try names(context.all("Animal")), ["new", "newer", "saved"])
            try expectEqual(try names(context.all("Mammal")), ["new", "saved"])
            try expectEqual(try names(context.all("Bird")), ["newer"])
        }
        ConformanceCase("New objects come after saved ones with equal keys, in the order of their insertion", in: .queries) { environment in
            let stack = try environment.stack(Models.items)
            let context = stack.context()
            Item.insert(["a", "a"], of: Item.text, into: context)
            try context.save()
            for number in 2..<5 {
                let item = Item(context: context)
                item[Item.number] = Int64(number)
                item[Item.text] = "a"
            }
            let found = try context.fetch(ObjectFetchRequest<Item>(sort: [Item.text.ascending])).map { $0[Item.number] }
            try expectEqual(found, [0, 1, 2, 3, 4])
        }
    }
}
