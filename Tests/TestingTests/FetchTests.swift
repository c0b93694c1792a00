#if Macros
    import Strata
    import StrataTesting
    import Testing

    @Suite("The fetches of a block", .timeLimit(.minutes(60)))
    struct FetchTests {
        private let container: PersistentContainer

        init() throws { container = try PersistentContainer(inMemory: Shelf.self, fixtures: .file("Fixtures/shelves.json")) }

        @Test("A fetch is one line, a relationship that it does not prefetch another one, and saves are none")
        func lines() throws {
            let context = container.newContext()
            #expect(try container.fetches { _ = try context.fetch(Book.self) } == ["fetch Book"])
            let shelf = try #require(try context.first(Shelf.self))
            #expect(container.fetches { _ = shelf.books } == ["Shelf.books"])
            #expect(container.fetches { _ = shelf.books }.isEmpty)
            let saving = try container.fetches {
                shelf.name = "Other"
                try context.save()
            }
            #expect(saving.isEmpty)
        }

        @Test("The logger is back after a block that throws, and after an asynchronous one")
        func logger() async throws {
            struct Failure: Error {}
            #expect(throws: Failure.self) { try container.fetches { throw Failure() } }
            #expect(container.coordinator.logger == nil)
            let lines = try await container.fetches {
                try await container.performBackgroundTask { context in _ = try context.count(Book.self) }
            }
            #expect(lines == ["count Book"])
            #expect(container.coordinator.logger == nil)
        }
    }
#endif
