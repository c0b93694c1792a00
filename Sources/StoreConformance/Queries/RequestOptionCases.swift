import Strata
import StrataTestModels

/// What requests can say beside condition, order, limit and offset.
enum RequestOptionCases {
    /// Items 0 to 249.
    private static func items(_ environment: ConformanceEnvironment) throws -> ConformanceStack {
        let stack = try environment.stack(Models.items)
        let writer = stack.context()
        Item.insert((0..<250).map { Double($0 % 7) }, of: Item.double, into: writer)
        try writer.save()
        return stack
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A request has Core Data's defaults", in: .queries) { _ in
            let request = ObjectFetchRequest<Item>()
            try expect(
                request.entityName == nil && request.predicate == nil && request.limit == nil && request.offset == 0, "not everything")
            try expect(
                request.includesSubentities && request.includesPendingChanges && request.includesPropertyValues, "something is left out")
            try expect(request.returnsObjectsAsFaults && !request.returnsDistinctResults, "no faults, or distinct results")
            try expect(!request.shouldRefreshRefetchedObjects && request.fetchBatchSize == 0, "refreshed, or in batches")
            try expect(request.relationshipKeyPathsForPrefetching.isEmpty && request.propertiesToFetch == nil, "more or less than objects")
            try expect(
                request.propertiesToGroupBy.isEmpty && request.havingPredicate == nil && request.affectedStores == nil,
                "groups, or few stores")
        }
        ConformanceCase("Indexes over some objects, and over expressions, change no answer", in: .queries) { environment in
            let model = try ManagedObjectModel {
                Entity("Line") {
                    Attributes(["name": .string, "price": .double, "count": .integer32])
                    FetchIndex("dear", on: "price").where("price > 2 AND name != nil")
                    FetchIndex("named", on: "name").where("name != nil")
                    FetchIndex("some", on: "count").where("count IN {1, 2}")
                    FetchIndex("hard", on: "count").where("name CONTAINS[c] 'a' OR price / count > 3")
                    FetchIndex("total", on: .init(expression: "price * count"))
                    FetchIndex("loud", on: .init(expression: "uppercase:(name)"))
                }
            }
            let stack = try environment.stack(model)
            let context = stack.context()
            for number in 0..<40 {
                let line = try context.insert("Line")
                try line.setValue(number.isMultiple(of: 3) ? nil : "n\(number % 7)", forKey: "name")
                try line.setValue(number.isMultiple(of: 5) ? nil : Double(number % 6), forKey: "price")
                try line.setValue(number.isMultiple(of: 4) ? nil : number % 4, forKey: "count")
            }
            func answers(_ context: ManagedObjectContext) throws -> [Int] {
                try [
                    "name != nil", "name == nil", "price > 2", "price > 2 AND name != nil", "price > 1 AND name != nil", "price == nil",
                    "count == 1", "count IN {1, 2}", "count IN {1, 3}", "count != 1", "price * count > 4", "price * count == nil",
                    "uppercase:(name) == 'N1'", "name BEGINSWITH 'n1'",
                ].map { try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: "Line", QueryPredicate(format: $0))) }
            }
            let pending = try answers(context)
            try context.save()
            try expectEqual(try answers(stack.reopened().context()), pending)
        }
        ConformanceCase("A lazy fetch gives the objects of a fetch, batch by batch", in: .queries) { environment in
            let context = try items(environment).context()
            var request = ObjectFetchRequest<Item>(Item.double > 0, sort: [Item.double.descending], limit: 100, offset: 3)
            request.fetchBatchSize = 8
            let whole = try context.fetch(request).map(\.objectID)
            let lazy = try context.fetchLazily(request)
            try expectEqual(lazy.count, 100)
            try expectEqual(lazy.objectIDs, whole)
            try expectEqual(lazy.map(\.objectID), whole)
            try expectEqual(lazy.reversed().map { $0[Item.double] }, try context.fetch(request).reversed().map { $0[Item.double] })
            try expectEqual(lazy[50].objectID, whole[50])
            try expectEqual(lazy.last?.objectID, whole.last)
        }
        ConformanceCase("A lazy fetch lets batches go that nobody holds", in: .queries) { environment in
            let context = try items(environment).context()
            var request = ObjectFetchRequest<Item>(sort: [Item.number.ascending])
            request.fetchBatchSize = 10
            let lazy = try context.fetchLazily(request)
            try expectEqual(context.registeredObjects.count, 0)
            let held = lazy[4]
            for item in lazy { _ = item[Item.number] }
            try expect(context.registeredObjects.count <= 21, "\(context.registeredObjects.count) objects are still here")
            try expect(lazy[4] === held, "there are two objects of one row")
            try expectEqual(lazy[249][Item.number], 249)
        }
        ConformanceCase("A lazy fetch has the pending changes, also once they are saved", in: .queries) { environment in
            let context = try items(environment).context()
            var request = ObjectFetchRequest<Item>(Item.double > 5, sort: [Item.number.descending])
            request.fetchBatchSize = 4
            let before = try context.count(for: request)
            let new = Item(context: context)
            new[Item.number] = 1000
            new[Item.double] = 6
            let changed = try unwrap(context.fetch(ObjectFetchRequest<Item>(Item.number == 0)).first)
            changed[Item.double] = 6
            let lazy = try context.fetchLazily(request)
            try expectEqual(lazy.count, before + 2)
            try expect(lazy[0] === new, "the new object is not first")
            try expect(lazy[before + 1] === changed, "the changed object is not last")
            try context.save()
            try expect(lazy[0] === new, "the new object is another one after the save")
        }
        ConformanceCase("A fetch without values gives faults that read when they are touched", in: .queries) { environment in
            let stack = try items(environment)
            let context = stack.context()
            var request = ObjectFetchRequest<Item>(sort: [Item.number.ascending], limit: 3)
            request.includesPropertyValues = false
            let found = try context.fetch(request)
            let writer = stack.context()
            try unwrap(writer.fetch(ObjectFetchRequest<Item>(Item.number == 1)).first)[Item.text] = "later"
            try writer.save()
            try expect(found.allSatisfy(\.isFault), "an object has values")
            try expectEqual(found[1][Item.text], "later")
        }
        ConformanceCase("A fetch refreshes objects where asked to, and leaves their changes", in: .queries) { environment in
            let stack = try items(environment)
            let context = stack.context()
            let all = try context.fetch(ObjectFetchRequest<Item>(Item.number < 2, sort: [Item.number.ascending]))
            try expectEqual(all.map { $0[Item.text] }, [nil, nil])
            all[1][Item.i16] = 7
            let writer = stack.context()
            for item in try writer.fetch(ObjectFetchRequest<Item>(Item.number < 2)) {
                item[Item.text] = "new"
                item[Item.i16] = 1
            }
            try writer.save()
            var request = ObjectFetchRequest<Item>(Item.number < 2)
            _ = try context.fetch(request)
            try expectEqual(all.map { $0[Item.text] }, [nil, nil], "a plain fetch leaves objects as they are")
            request.shouldRefreshRefetchedObjects = true
            _ = try context.fetch(request)
            try expectEqual(all.map { $0[Item.text] }, ["new", "new"])
            try expectEqual(all.map { $0[Item.i16] }, [1, 7])
        }
        ConformanceCase("Prefetched destinations are those that faults bring", in: .queries) { environment in
            let stack = try environment.stack(Models.company)
            let writer = stack.context()
            for number in 0..<6 {
                let company = Company(context: writer)
                company.name = "c\(number)"
                for index in 0..<3 {
                    let department = Department(context: writer)
                    department.name = "d\(number)\(2 - index)"
                    company.departments.append(department)
                }
                let skill = Skill(context: writer)
                skill.name = "s\(number)"
                for index in 0..<number { Person("p\(number)\(index)", writer, company: company).skills = [skill] }
            }
            try writer.save()
            let context = try stack.reopened().context()
            var request = ObjectFetchRequest<Company>(sort: [Company.name.ascending])
            request.relationshipKeyPathsForPrefetching = ["departments", "people.skills.people", "people.boss"]
            let companies = try context.fetch(request)
            for (number, company) in companies.enumerated() {
                try expectEqual(company.departments.map(\.name), (0..<3).map { "d\(number)\(2 - $0)" })
                try expectEqual(try names(company.people), (0..<number).map { "p\(number)\($0)" })
                for person in company.people {
                    try expectEqual(try names(person.skills), ["s\(number)"])
                    try expectEqual(person.skills.first?.people.count, number)
                }
            }
            for path in ["nothing", "name", "people.name", "people..boss", ""] {
                request.relationshipKeyPathsForPrefetching = [path]
                try expectEqual(try expectThrows(QueryError.self) { try context.fetch(request) }.reason, .unknownKey, path)
            }
        }
    }
}
