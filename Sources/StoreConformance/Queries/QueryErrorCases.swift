import Strata

/// Queries that do not fit the model: each has its own error, and nothing else happens.
enum QueryErrorCases {
    private static func refuses(_ name: String, _ reason: QueryError.Reason, _ predicate: QueryPredicate) -> ConformanceCase {
        ConformanceCase(name, in: .queries) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            _ = Person("p", context)
            try context.save()
            for request in [ObjectFetchRequest<Person>(predicate), ObjectFetchRequest<Person>(!(predicate && .constant(true)))] {
                let error = try expectThrows(QueryError.self) { try context.fetch(request) }
                try expectEqual(error.reason, reason)
                try expectEqual(error.entity, "Person")
                try expect(!error.subject.isEmpty && !error.message.isEmpty, "\(error)")
                try expectThrows(QueryError.self) { try context.count(for: request) }
                try expectThrows(QueryError.self) { try context.fetchObjectIDs(request) }
            }
            try expectEqual(try context.names(of: Person.self), ["p"])
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        refuses("An unknown key is an error with its name", .unknownKey, key("nothing") == 1)
        refuses("An unknown key at the end of a path is an error", .unknownKey, key("company.nothing") == 1)
        refuses("A path through an attribute is an error", .illegalKeyPath, key("name.length") == 1)
        refuses("A path through a to-many relationship is an error", .illegalKeyPath, key("reports.name") == "x")
        refuses("A comparison with a to-many relationship is an error", .illegalKeyPath, key("reports") == .null)
        refuses("Text compared with a number is an error", .typeMismatch, key("age") == "old")
        refuses("A number compared with text is an error", .typeMismatch, key("name") == 5)
        refuses("A relationship compared with text is an error", .typeMismatch, key("company") == "A")
        refuses("IN without a list is an error", .typeMismatch, .comparison(.init(key("age"), .isIn, .constant(5))))
        refuses("IN with one element of another type is an error", .typeMismatch, key("age").isIn([1, "two"]))
        refuses("BETWEEN without two values is an error", .typeMismatch, .comparison(.init(key("age"), .between, .constant([1]))))
        refuses("A text operator on a number is an error", .illegalOperator, key("age").contains("1"))
        refuses("A regular expression that is none is an error", .illegalPattern, key("name").matches("("))
        refuses(
            "Two properties that cannot be compared are an error",
            .illegalOperator,
            .comparison(.init(key("name"), .less, key("age")))
        )
        refuses("Names that hold SQL are names that do not exist", .unknownKey, key("name = '' OR 1 = 1; --") == 1)
        ConformanceCase("A transient attribute cannot be asked for", in: .queries) { environment in
            let context = try environment.stack(Models.items).context()
            let error = try expectThrows(QueryError.self) { try context.fetch(ObjectFetchRequest<Item>(Item.scratch == "blank")) }
            try expectEqual(error.reason, .transient)
        }
        ConformanceCase("An unknown key in an order or a group is an error", in: .queries) { environment in
            let context = try environment.stack(Models.company).context()
            let sorted = try expectThrows(QueryError.self) { try context.fetch(ObjectFetchRequest<Person>(sort: [QuerySort("nothing")])) }
            try expectEqual(sorted.reason, .unknownKey)
            let grouped = try expectThrows(QueryError.self) {
                try context.fetchDictionaries(ObjectFetchRequest<Person>().grouped(by: ["nothing"], computing: [.count()]))
            }
            try expectEqual(grouped.reason, .unknownKey)
            let summed = try expectThrows(QueryError.self) {
                try context.fetchDictionaries(ObjectFetchRequest<Person>().grouped(computing: [.sum("name")]))
            }
            try expectEqual(summed.reason, .typeMismatch)
            let toMany = try expectThrows(QueryError.self) { try context.fetch(ObjectFetchRequest<Person>(sort: [QuerySort("reports")])) }
            try expectEqual(toMany.reason, .illegalKeyPath)
        }
        // An order by no key was none, or one by the object itself.
        ConformanceCase("A key path with an empty name is an error", in: .queries) { environment in
            let context = try environment.stack(Models.company).context()
            _ = Person("p", context)
            try context.save()
            for path in ["", ".", ".name", "name.", "boss..name", "boss.", " "] {
                func request(_ predicate: QueryPredicate? = nil, _ sort: [QuerySort] = []) -> ObjectFetchRequest<Person> {
                    ObjectFetchRequest(predicate, sort: sort)
                }
                for read in [
                    { _ = try context.fetch(request(nil, [QuerySort(path)])) }, { _ = try context.fetch(request(key(path) == "p")) },
                    { _ = try context.count(for: request(key(path) == "p")) },
                    { _ = try context.fetchDictionaries(request(nil, [QuerySort(path)]).fetching("name")) },
                    { _ = try context.fetchDictionaries(request().fetching(ExpressionDescription(name: "x", expression: .keyPath(path)))) },
                    {
                        var prefetching = request()
                        prefetching.relationshipKeyPathsForPrefetching = [path]
                        _ = try context.fetch(prefetching)
                    },
                ] {
                    do { try read() } catch is QueryError { continue }
                    throw ConformanceFailure("the key path \"\(path)\" was taken")
                }
            }
        }
        ConformanceCase("An unknown entity is an error with its name", in: .queries) { environment in
            let context = try environment.stack(Models.company).context()
            let error = try expectStoreError(.unknownEntity) { try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Nobody")) }
            try expectEqual(error.entity, "Nobody")
        }
        ConformanceCase("A class that no entity, or more than one, names cannot be fetched", in: .queries) { environment in
            let context = try environment.stack(Models.company).context()
            try expectStoreError(.unknownEntity) { try context.fetch(ObjectFetchRequest<ManagedObject>()) }
            try expectStoreError(.unknownEntity) { try context.fetch(ObjectFetchRequest<Item>()) }
            _ = Person("p", context)
            try context.save()
            try expectStoreError(.unknownEntity) { try context.fetch(ObjectFetchRequest<Company>(entityName: "Person")) }
        }
    }
}
