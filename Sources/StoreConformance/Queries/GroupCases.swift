import FoundationEssentials
import Strata

/// Groups and aggregates.
enum GroupCases {
    private static func build(_ environment: ConformanceEnvironment) throws -> ManagedObjectContext {
        let stack = try environment.stack(Models.company)
        let context = stack.context()
        for (index, (city, age, salary)) in [
            ("Rome", 30, 10.5), ("Rome", 40, nil), ("Oslo", 20, 1.25), (nil, 50, 2), ("Rome", 30, 4), ("Oslo", nil, nil),
        ].enumerated() as EnumeratedSequence<[(String?, Int16?, Double?)]> {
            let company = Company(context: context)
            company.city = city
            let person = Person("p\(index)", context, age: age, company: company)
            person.salary = salary
        }
        try context.save()
        return try stack.reopened().context()
    }

    private static let everything: [ExpressionDescription] = [
        .count(), .sum("salary"), .average("salary"), .min("salary"), .max("salary"), .sum("age"), .average("age"), .min("name"),
        .max("name"),
        .count("salary"),
    ]

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("Aggregates over all objects pass over nil", in: .queries) { environment in
            let groups = try build(environment).fetchDictionaries(ObjectFetchRequest<Person>().grouped(computing: everything))
            try expectEqual(groups.count, 1)
            let group = groups[0]
            try expectEqual(group["count"], 6)
            try expectEqual(group["sum_salary"], 17.75)
            try expectEqual(group["average_salary"], 4.4375)
            try expectEqual(group["min_salary"], 1.25)
            try expectEqual(group["max_salary"], 10.5)
            try expectEqual(group["sum_age"], 170)
            try expectEqual(group["average_age"], 34.0)
            try expectEqual(group["min_name"], "p0")
            try expectEqual(group["max_name"], "p5")
            try expectEqual(group["count_salary"], 4)
        }
        ConformanceCase("Aggregates over nothing are zero or nil", in: .queries) { environment in
            let groups = try build(environment).fetchDictionaries(
                ObjectFetchRequest<Person>(Person.age > 1000).grouped(computing: everything))
            try expectEqual(groups.count, 1)
            let group = groups[0]
            try expectEqual(group["count"], 0)
            try expectEqual(group["sum_salary"], 0)
            try expectEqual(group["average_salary"], .null)
            try expectEqual(group["min_name"], .null)
            try expectEqual(group["max_salary"], .null)
        }
        ConformanceCase("Objects are grouped by an attribute, nil too", in: .queries) { environment in
            let groups = try build(environment).fetchDictionaries(
                ObjectFetchRequest<Person>().grouped(by: ["age"], computing: [.count(), .sum("salary")]))
            try expectEqual(groups.map { $0["age"] }, [.null, 20, 30, 40, 50])
            try expectEqual(groups.map { $0["count"] }, [1, 1, 2, 1, 1])
            try expectEqual(groups.map { $0["sum_salary"] }, [0, 1.25, 14.5, 0, 2.0])
        }
        ConformanceCase("Objects are grouped by a path, with a condition, order and limit", in: .queries) { environment in
            let request = ObjectFetchRequest<Person>(
                Person.age != nil,
                sort: [QuerySort("count", ascending: false), QuerySort("company.city")],
                limit: 2
            )
            let groups = try build(environment).fetchDictionaries(
                request.grouped(by: ["company.city"], computing: [.count(), .max("age")]))
            try expectEqual(groups.map { $0["company.city"] }, ["Rome", .null])
            try expectEqual(groups.map { $0["count"] }, [3, 1])
            try expectEqual(groups.map { $0["max_age"] }, [40, 50])
        }
        ConformanceCase("Objects are grouped by two keys", in: .queries) { environment in
            let groups = try build(environment).fetchDictionaries(
                ObjectFetchRequest<Person>().grouped(by: ["company.city", "age"], computing: [.count()]))
            try expectEqual(groups.count, 5)
            let rome = try unwrap(groups.first { $0["company.city"] == "Rome" && $0["age"] == 30 })
            try expectEqual(rome["count"], 2)
        }
        ConformanceCase("Grouping nothing gives no groups", in: .queries) { environment in
            let groups = try build(environment).fetchDictionaries(
                ObjectFetchRequest<Person>(.constant(false)).grouped(by: ["age"], computing: [.count()]))
            try expectEqual(groups.count, 0)
        }
        ConformanceCase("Text groups by its bytes, and zeros of both signs are one group", in: .queries) { environment in
            let stack = try environment.stack(Models.items)
            let context = stack.context()
            for (text, number) in [("\u{E9}", 0.0), ("e\u{301}", -0.0), ("E", 1), ("e", 1), ("\u{E9}", 1)] {
                let item = Item(context: context)
                item[Item.text] = text
                item[Item.double] = number
            }
            try context.save()
            let texts = try context.fetchDictionaries(ObjectFetchRequest<Item>().grouped(by: ["text"], computing: [.count()]))
            try expectEqual(texts.map { $0["count"] }, [1, 1, 1, 2])
            let numbers = try context.fetchDictionaries(ObjectFetchRequest<Item>().grouped(by: ["double"], computing: [.count()]))
            try expectEqual(numbers.map { $0["count"] }, [2, 3])
        }
        ConformanceCase("Sums of integers and decimals are exact", in: .queries) { environment in
            let stack = try environment.stack(Models.items)
            let context = stack.context()
            for (number, decimal) in [((1 << 53) + 1, "0.1"), (1, "0.2"), (-3, "100000000000000000000")] as [(Int64, String)] {
                let item = Item(context: context)
                item[Item.i64] = number
                item[Item.decimal] = Decimal(string: decimal)
            }
            try context.save()
            let groups = try context.fetchDictionaries(
                ObjectFetchRequest<Item>().grouped(computing: [.sum("i64"), .sum("decimal"), .min("decimal"), .max("decimal"), .min("i64")])
            )
            try expectEqual(groups[0]["sum_i64"], .int((1 << 53) - 1))
            try expectEqual(groups[0]["sum_decimal"], Decimal(string: "100000000000000000000.3").map { .decimal($0) })
            try expectEqual(groups[0]["min_decimal"], Decimal(string: "0.1").map { .decimal($0) })
            try expectEqual(groups[0]["min_i64"], -3)
        }
        ConformanceCase("A sum of integers that overflows becomes a fraction rather than a trap", in: .queries) { environment in
            let stack = try environment.stack(Models.items)
            let context = stack.context()
            Item.insert([.max, .max], of: Item.i64, into: context)
            try context.save()
            let groups = try context.fetchDictionaries(ObjectFetchRequest<Item>().grouped(computing: [.sum("i64"), .average("i64")]))
            try expectEqual(groups[0]["sum_i64"], .double(0x1p64))
            try expectEqual(groups[0]["average_i64"], .double(0x1p63))
        }
        ConformanceCase("A sum of integers is exact in whatever order they come", in: .queries) { environment in
            let stack = try environment.stack(Models.items)
            let context = stack.context()
            let numbers: [Int64] = [.max, .max, 5, -.max, .min, 1, .min, .max]
            Item.insert(numbers, of: Item.i64, into: context)
            Item.insert(numbers.reversed(), of: Item.i64, into: context)
            try context.save()
            let groups = try context.fetchDictionaries(
                ObjectFetchRequest<Item>().grouped(computing: [.sum("i64"), .average("i64")]))
            try expectEqual(groups[0]["sum_i64"], 8)
            try expectEqual(groups[0]["average_i64"], 0.5)
        }
        ConformanceCase("Objects of sub-entities are grouped with their parent's", in: .queries) { environment in
            let stack = try environment.stack(Models.zoo)
            let context = stack.context()
            for (index, entity) in ["Dog", "Cat", "Bird", "Dog"].enumerated() {
                try context.add(entity, "\(index)").setValue(entity == "Bird" ? 2 : 4, forKey: "legs")
            }
            try context.save()
            func groups(_ entity: String) throws -> [FetchedDictionary] {
                try context.fetchDictionaries(
                    ObjectFetchRequest<ManagedObject>(entityName: entity).grouped(by: ["legs"], computing: [.count()]))
            }
            try expectEqual(try groups("Animal").map { $0["count"] }, [1, 3])
            try expectEqual(try groups("Mammal").map { $0["count"] }, [3])
        }
    }
}
