import FoundationEssentials
import Strata

/// Dictionaries instead of objects.
enum DictionaryCases {
    /// The people of the article: one 张三 of 18, two 李四 of 19; each works somewhere, and the first is the boss.
    private static func build(_ environment: ConformanceEnvironment) throws -> ManagedObjectContext {
        let stack = try environment.stack(Models.company)
        let context = stack.context()
        let company = Company(context: context)
        company.name = "Strata"
        company.city = "Rome"
        let boss = Person("张三", context, age: 18, company: company)
        for _ in 0..<2 { Person("李四", context, age: 19, company: company).boss = boss }
        try context.save()
        return try stack.reopened().context()
    }

    private static func texts(_ rows: [FetchedDictionary]) -> [String] { rows.map(\.description) }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("Properties to fetch come as dictionaries", in: .queries) { environment in
            let context = try build(environment)
            let request = ObjectFetchRequest<Person>(sort: [QuerySort("age")]).fetching("name", "age")
            let rows = try context.fetchDictionaries(request)
            try expectEqual(
                rows.map(\.dictionary),
                [["name": "张三", "age": 18], ["name": "李四", "age": 19], ["name": "李四", "age": 19]])
            try expectEqual(rows[0].names, ["name", "age"])
            try expectEqual(rows[0].values, ["张三", 18])
            try expectEqual(rows[0][Person.age], 18)
            try expectEqual(rows[0]["age", as: Int.self], 18)
            try expect(rows[0]["salary"] == nil, "a value that was not fetched")
        }
        ConformanceCase("Dictionaries are sorted by what is computed of a to-many relationship, as objects are", in: .queries) {
            environment in
            let stack = try environment.stack(Models.company)
            let writer = stack.context()
            for (name, ages) in [("a", [5, 9]), ("b", []), ("c", [20]), ("d", [1, 2, 3]), ("e", [7, 7])] as [(String, [Int16])] {
                let company = Company(context: writer)
                company.name = name
                company.city = ages.count > 1 ? "big" : "small"
                for age in ages { _ = Person(name, writer, age: age, company: company) }
            }
            try writer.save()
            let context = try stack.reopened().context()
            for path in [
                "people.@count", "people.@sum.age", "people.age.@sum", "people.age.@avg", "people.@max.age", "people.@min.age",
            ] {
                for sort in [
                    [QuerySort(path), QuerySort("name")], [QuerySort(path, ascending: false), QuerySort("name", ascending: false)],
                    [QuerySort("city"), QuerySort(path, ascending: false), QuerySort("name")],
                ] {
                    for (limit, offset) in [(nil, 0), (2, 1)] as [(Int?, Int)] {
                        var request = ObjectFetchRequest<Company>(sort: sort, limit: limit, offset: offset)
                        let objects = try context.fetch(request).map(\.name)
                        request.propertiesToFetch = ["name"]
                        try expectEqual(try context.fetchDictionaries(request).map { $0[Company.name] }, objects, "\(sort)")
                        try expectEqual(try context.fetchDictionaries(request).first?.names, ["name"])
                    }
                }
            }
            let cities = ObjectFetchRequest<Company>(sort: [QuerySort("people.@count", ascending: false)]).fetching("city", distinct: true)
            try expectEqual(try context.fetchDictionaries(cities).map(\.values), [["big"], ["small"]])
            try expectThrows(QueryError.self) {
                try context.fetchDictionaries(ObjectFetchRequest<Company>(sort: [QuerySort("people.@nothing")]).fetching("name"))
            }
            try expectThrows(QueryError.self) {
                try context.fetchDictionaries(ObjectFetchRequest<Company>(sort: [QuerySort("people.age")]).fetching("name"))
            }
        }
        ConformanceCase("Distinct dictionaries come once", in: .queries) { environment in
            let context = try build(environment)
            var request = ObjectFetchRequest<Person>(sort: [QuerySort("age")]).fetching("name", "age", distinct: true)
            try expectEqual(
                try context.fetchDictionaries(request).map(\.values), [["张三", 18], ["李四", 19]])
            request.limit = 1
            request.offset = 1
            try expectEqual(try context.fetchDictionaries(request).map(\.values), [["李四", 19]], "limit and offset count dictionaries")
        }
        ConformanceCase("Dictionaries hold paths, objects and expressions", in: .queries) { environment in
            let context = try build(environment)
            let boss = try context.named("张三", Person.self)
            let request = ObjectFetchRequest<Person>(sort: [QuerySort("age", ascending: false), QuerySort("name")]).fetching(
                "company.name", "boss", "boss.company.city", "SELF",
                ExpressionDescription(name: "id", expression: .keyPath("objectID")),
                ExpressionDescription(name: "double age", expression: .function(.multiply, [.keyPath("age"), .constant(2)])),
                ExpressionDescription(name: "reports", expression: .keyPath("reports.@count")),
                ExpressionDescription(name: "oldest report", expression: .keyPath("reports.age.@max")),
                ExpressionDescription(name: "kind", expression: .constant("person")))
            let rows = try context.fetchDictionaries(request)
            try expectEqual(rows.count, 3)
            try expectEqual(rows.map { $0["company.name"] }, ["Strata", "Strata", "Strata"])
            try expectEqual(rows.map { $0["boss"] }, [.objectID(boss.objectID), .objectID(boss.objectID), .null])
            try expectEqual(rows.map { $0["boss.company.city"] }, ["Rome", "Rome", .null])
            try expectEqual(rows[2]["SELF"], .objectID(boss.objectID))
            try expectEqual(rows.map { $0["SELF"] }, rows.map { $0["id"] })
            try expectEqual(rows.map { $0["double age"] }, [38, 38, 36])
            try expectEqual(rows.map { $0["reports"] }, [0, 0, 2])
            try expectEqual(rows.map { $0["oldest report"] }, [.null, .null, 19])
            try expectEqual(rows.map { $0["kind"] }, ["person", "person", "person"])
        }
        ConformanceCase("Without properties to fetch, dictionaries hold all attributes", in: .queries) { environment in
            let stack = try environment.stack(Models.items)
            let context = stack.context()
            let date = Date(timeIntervalSinceReferenceDate: 123.5)
            let item = Item(context: context)
            item[Item.text] = "a"
            item[Item.date] = date
            try context.save()
            let row = try unwrap(context.fetchDictionaries(ObjectFetchRequest<Item>()).first)
            try expectEqual(
                Set(row.names),
                [
                    "number", "i16", "i32", "i64", "decimal", "double", "float", "text", "flag", "date", "data", "uuid", "url", "tags",
                    "blob",
                ])
            try expectEqual(row["text"], "a")
            try expectEqual(row["date"], .date(date))
            try expectEqual(row["uuid"], .null)
        }
        ConformanceCase("Dictionaries sort by paths and by the names of expressions", in: .queries) { environment in
            let stack = try environment.stack(Models.sales)
            let context = stack.context()
            Sale.insert(into: context)
            try context.save()
            let kept = ExpressionDescription(name: "kept", expression: .function(.subtract, [.keyPath("sold"), .keyPath("returned")]))
            let hat = ExpressionDescription(name: "hat", expression: .keyPath("productLine"))
            var request = ObjectFetchRequest<Sale>(sort: [QuerySort("kept", ascending: false)], limit: 3, offset: 1).fetching(kept, hat)
            try expectEqual(try context.fetchDictionaries(request).map { $0["kept"] }, [38, 35, 27])
            request.sort = [QuerySort("shop.city"), QuerySort("kept")]
            (request.limit, request.offset) = (nil, 0)
            try expectEqual(try context.fetchDictionaries(request).map { $0["kept"] }, [5, 42, 21, 27, 38, 17, 18, 35])
            request.sort = [QuerySort("hat", ascending: false), QuerySort("sold")]
            try expectEqual(try context.fetchDictionaries(request).map { $0["kept"] }, [5, 18, 21, 35, 38, 42, 17, 27])
        }
        ConformanceCase("Results are brought to their type", in: .queries) { environment in
            let stack = try environment.stack(Models.sales)
            let context = stack.context()
            Sale.insert(into: context)
            try context.save()
            let mean = QueryExpression.function(.average, [.keyPath("sold")])
            let request = ObjectFetchRequest<Sale>().grouped(
                by: ["productLine"], computing: [mean.named("exact"), mean.named("whole", .integer32), mean.named("decimal", .decimal)])
            let stetson = try context.fetchDictionaries(request)[1]
            try expect(abs((stetson["exact", as: Double.self] ?? 0) - 142.0 / 3) < 1e-9, "\(stetson)")
            try expectEqual(stetson["whole"], 47)
            try expect(stetson["decimal", as: Decimal.self] != nil, "no decimal in \(stetson)")
            let wrong = ObjectFetchRequest<Sale>().fetching(QueryExpression.keyPath("productLine").named("line", .date))
            try expectEqual(try expectThrows(QueryError.self) { try context.fetchDictionaries(wrong) }.reason, .typeMismatch)
        }
        ConformanceCase("Dictionaries never see changes that are not saved", in: .queries) { environment in
            let context = try build(environment)
            let person = try context.named("张三", Person.self)
            person.name = "changed"
            _ = Person("new", context)
            let rows = try context.fetchDictionaries(ObjectFetchRequest<Person>(sort: [QuerySort("name")]).fetching("name"))
            try expectEqual(rows.map { $0["name"] }, ["张三", "李四", "李四"])
        }
        ConformanceCase("Properties that cannot be fetched are errors", in: .queries) { environment in
            let context = try build(environment)
            func reason(_ request: ObjectFetchRequest<Person>) throws -> QueryError.Reason {
                let error = try expectThrows(QueryError.self) { try context.fetchDictionaries(request) }
                return error.reason
            }
            let all = ObjectFetchRequest<Person>()
            try expectEqual(try reason(all.fetching("nothing")), .unknownKey)
            try expectEqual(try reason(all.fetching("reports")), .illegalKeyPath, "a to-many relationship")
            try expectEqual(try reason(all.fetching("reports.name")), .illegalKeyPath, "a path through one")
            try expectEqual(try reason(all.fetching("name.age")), .illegalKeyPath)
            try expectEqual(try reason(all.fetching("name", "name")), .duplicateName)
            try expectEqual(try reason(all.fetching(ExpressionDescription(name: "", expression: .keyPath("name")))), .duplicateName)
            let union = ExpressionDescription(name: "names", expression: .keyPath("reports.@unionOfObjects.name"))
            try expectEqual(try reason(all.fetching(union)), .illegalKeyPath, "a list")
        }
        ConformanceCase("IDs in dictionaries know the entity of their object", in: .queries) { environment in
            let stack = try environment.stack(Models.zoo)
            let context = stack.context()
            try context.add("Dog", "rex")
            try context.add("Bird", "tweety")
            try context.save()
            let again = try stack.reopened().context()
            let request = ObjectFetchRequest<ManagedObject>(entityName: "Animal", sort: [QuerySort("name")]).fetching("SELF", "name")
            let ids = try again.fetchDictionaries(request).compactMap { $0["SELF"]?.objectID }
            try expectEqual(ids.map(\.entity.name), ["Dog", "Bird"])
            try expectEqual(try inOrder(ids.map { again.object(with: $0) }), ["rex", "tweety"])
        }
    }
}
