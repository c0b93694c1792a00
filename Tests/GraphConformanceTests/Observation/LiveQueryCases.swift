import Strata

@testable import StrataConformance

/// Queries whose answers are followed.
enum LiveQueryCases {
    private static let adults = ObjectFetchRequest<Person>(Person.age >= 18, sort: [Person.name.ascending])

    /// A task that would wait for ever is cancelled, and the check fails.
    private static func within<T>(_ description: String, _ wait: () async throws -> T?) async throws -> T {
        try unwrap(try await wait(), "no answer: \(description)")
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A live query answers now, and again when objects come, change, and go", in: .observation) { environment in
            let context = try environment.stack(Models.company.get()).context()
            let ann = Person("ann", context, age: 20)
            try context.save()
            var answers = context.observe(adults).makeAsyncIterator()
            func next(_ what: String) async throws -> [String] {
                try inOrder(try await within(what) { try await answers.next(isolation: nil) })
            }
            try expectEqual(try await next("now"), ["ann"])
            let bob = Person("bob", context, age: 30)
            try expectEqual(try await next("an insertion"), ["ann", "bob"])
            bob.name = "aaron"
            try expectEqual(try await next("another order"), ["aaron", "ann"])
            ann.salary = 7
            try expectEqual(try await next("a changed member"), ["aaron", "ann"])
            ann.age = 3
            try expectEqual(try await next("an update"), ["aaron"])
            context.delete(bob)
            try expectEqual(try await next("a deletion"), [])
        }
        // Where the answer was the same array, changes of its objects were lost if they were of a property that the
        // query reads.
        ConformanceCase("A live query reports changes of its sort keys", in: .observation) { environment in
            let context = try environment.stack(Models.company.get()).context()
            let ann = Person("ann", context, age: 20)
            try context.save()
            var answers = context.observe(adults).makeAsyncIterator()
            try expectEqual(try await within("now") { try await answers.next(isolation: nil)?.first?.name }, "ann")
            ann.name = "anna"
            try expectEqual(try await within("a name") { try await answers.next(isolation: nil)?.first?.name }, "anna")
        }
        ConformanceCase("A live query of what is saved follows the saves of its own context", in: .observation) { environment in
            let context = try environment.stack(Models.company.get()).context()
            var request = adults
            request.includesPendingChanges = false
            var answers = context.observe(request).makeAsyncIterator()
            var ids = context.observeObjectIDs(of: request).makeAsyncIterator()
            try expectEqual(try await within("now") { try await answers.next(isolation: nil)?.count }, 0)
            try expectEqual(try await within("now") { try await ids.next(isolation: nil)?.count }, 0)
            _ = Person("ann", context, age: 20)
            try context.processPendingChanges()
            try context.save()
            try expectEqual(try await within("a save") { try await answers.next(isolation: nil)?.count }, 1)
            try expectEqual(try await within("a save") { try await ids.next(isolation: nil)?.count }, 1)
        }
        ConformanceCase("A live query sees what others save, and batch requests", in: .observation) { environment in
            let stack = try environment.stack(Models.company.get())
            let (here, there) = (stack.context(), stack.context())
            var counts = here.observeCount(of: adults).makeAsyncIterator()
            var ids = here.observeObjectIDs(of: adults).makeAsyncIterator()
            func count(_ what: String) async throws -> Int { try await within(what) { try await counts.next(isolation: nil) } }
            func idCount(_ what: String) async throws -> Int { try await within(what) { try await ids.next(isolation: nil)?.count } }
            try expectEqual(try await count("now"), 0)
            try expectEqual(try await idCount("now"), 0)
            _ = Person("ann", there, age: 20)
            try there.save()
            try expectEqual(try await count("a save"), 1)
            try expectEqual(try await idCount("a save"), 1)
            try there.execute(BatchInsertRequest(entityName: "Person", objects: [["name": "bob", "age": 40], ["name": "cid", "age": 4]]))
            try expectEqual(try await count("a batch"), 2)
            try there.execute(BatchUpdateRequest(entityName: "Person", key("name") == .string("cid"), set: ["age": Value.int(19)]))
            try expectEqual(try await count("a batch update"), 3)
            try there.execute(BatchDeleteRequest(entityName: "Person", key("name") == .string("ann")))
            try expectEqual(try await count("a batch deletion"), 2)
            try expectEqual(try await idCount("all of these"), 2)
        }
        ConformanceCase("Live groups and dictionaries are of what is saved", in: .observation) { environment in
            let stack = try environment.stack(Models.company.get())
            let (here, there) = (stack.context(), stack.context())
            let company = Company(context: there)
            company.name = "acme"
            _ = Person("ann", there, age: 20, company: company)
            try there.save()
            let request = ObjectFetchRequest<Person>().grouped(by: ["company.name"], computing: [.sum("age", as: "years")])
            var answers = here.observeDictionaries(of: request).makeAsyncIterator()
            func next(_ what: String) async throws -> [String] {
                try await within(what) { try await answers.next(isolation: nil) }.map {
                    "\($0["company.name"] ?? .null) \($0["years"] ?? .null)"
                }
            }
            try expectEqual(try await next("now"), ["\"acme\" 20"])
            _ = Person("bob", there, age: 30, company: company)
            try there.save()
            try expectEqual(try await next("another member"), ["\"acme\" 50"])
            company.name = "apex"
            try there.save()
            try expectEqual(try await next("another name of the group"), ["\"apex\" 50"])
        }
        ConformanceCase("A live query is asked again only when what it reads was changed", in: .observation) { environment in
            let stack = try environment.stack(Models.company.get())
            let context = stack.context()
            let ann = Person("ann", context, age: 20)
            let company = Company(context: context)
            try context.save()
            var counts = context.observeCount(of: adults).makeAsyncIterator()
            try expectEqual(try await within("now") { try await counts.next(isolation: nil) }, 1)
            // Neither can change the number, and nothing is said of them; what comes next is the answer to the last
            // change.
            ann.salary = 5
            company.city = "Rome"
            try context.save()
            _ = Person("child", context, age: 5)
            try context.save()
            let bob = Person("bob", context, age: 50)
            try context.save()
            try expectEqual(try await within("an insertion") { try await counts.next(isolation: nil) }, 2)
            bob.age = 1
            try expectEqual(try await within("an update") { try await counts.next(isolation: nil) }, 1)
        }
        ConformanceCase("A live query is notified of objects that a cascade deletes", in: .observation) { environment in
            let context = try environment.stack(Models.company.get()).context()
            let company = Company(context: context)
            Department(context: context).company = company
            try context.save()
            var counts = context.observeCount(of: ObjectFetchRequest<Department>()).makeAsyncIterator()
            try expectEqual(try await within("now") { try await counts.next(isolation: nil) }, 1)
            context.delete(company)
            try expectEqual(try await within("a cascade") { try await counts.next(isolation: nil) }, 0)
        }
        // Changes are recorded only where there is a listener, which may come later than the change.
        ConformanceCase("An observer of objects that are changed already is notified of their save", in: .observation) { environment in
            let context = try environment.stack(Models.company.get()).context()
            var departments = context.observeCount(of: ObjectFetchRequest<Department>()).makeAsyncIterator()
            try expectEqual(try await within("now") { try await departments.next(isolation: nil) }, 0)
            Company(context: context).city = "Rome"
            try context.save()
            _ = Person("ann", context, age: 20)
            try context.processPendingChanges()
            var saved = adults
            saved.includesPendingChanges = false
            var counts = context.observeCount(of: saved).makeAsyncIterator()
            try expectEqual(try await within("now") { try await counts.next(isolation: nil) }, 0)
            var told: [ContextEvent] = []
            let subscription = context.observeEvents { told.append($0) }
            try context.save()
            try expectEqual(try await within("a save") { try await counts.next(isolation: nil) }, 1)
            try expectEqual(told.filter { $0.kind == .didSave }.flatMap(\.inserted).count, 1)
            withExtendedLifetime(subscription) {}
        }
        ConformanceCase("A live query that is debounced answers once for many changes", in: .observation) { environment in
            let context = try environment.stack(Models.company.get()).context()
            var counts = context.observeCount(of: adults, debounce: .milliseconds(20)).makeAsyncIterator()
            try expectEqual(try await within("now") { try await counts.next(isolation: nil) }, 0)
            for number in 0..<20 {
                _ = Person("\(number)", context, age: 20)
                try context.save()
            }
            try expectEqual(try await within("many") { try await counts.next(isolation: nil) }, 20)
        }
        ConformanceCase("A live query of a background context ends where its task is cancelled", in: .observation) { environment in
            let stack = try environment.stack(Models.company.get())
            let background = BackgroundContext(stack.coordinator)
            let counts = background.observeCount(of: adults)
            let task = Task {
                var told: [Int] = []
                for try await count in counts {
                    told.append(count)
                    if count == 2 { break }
                }
                return told
            }
            for name in ["ann", "bob"] {
                try await background.perform { context in
                    _ = Person(name, context, age: 20)
                    try context.save()
                }
            }
            let told = try await task.value
            try expectEqual(told.last, 2)
        }
        ConformanceCase("A live query throws what a fetch throws, and is over", in: .observation) { environment in
            let context = try environment.stack(Models.company.get()).context()
            var answers = context.observe(ObjectFetchRequest<Person>(key("nonsense") == .int(1))).makeAsyncIterator()
            do {
                _ = try await answers.next(isolation: nil)
                throw ConformanceFailure("an answer came", fileID: #fileID, filePath: #filePath, line: #line)
            } catch is QueryError {}
            try expect(try await answers.next(isolation: nil) == nil, "it goes on")
        }
    }
}
