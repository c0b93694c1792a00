import Strata
import Synchronization

/// Blocks that read and write a container, its health, and the observers of its work.
enum ContainerCases {
    private struct Failure: Error {}

    /// The operations of a coordinator.
    private final class Operations: OperationObserver {
        private let all = Mutex<[CompletedOperation]>([])
        var observesRoundTrips: Bool { true }
        func didComplete(_ operation: CompletedOperation) { all.withLock { $0.append(operation) } }
        func didUse(_ connection: ConnectionUse, of store: any PersistentStore) {}
        func take() -> [CompletedOperation] {
            all.withLock { all in
                defer { all = [] }
                return all
            }
        }
    }

    private static let people = ObjectFetchRequest<Person>()

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("Tasks that read and write a container lose nothing, and read whole saves", in: .saving) { environment in
            let stack = try environment.stack(Models.company) { $0.options.maximumReaders = 3 }
            let container = stack.container
            let counts = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        try await container.write { context in
                            for half in ["a", "b"] { _ = Person("\(number)\(half)", context) }
                        }
                        return 0
                    }
                    group.addTask { try await container.read { try $0.count(for: people) } }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try expect(counts.allSatisfy { $0.isMultiple(of: 2) }, "\(counts)")
            try expectEqual(try await container.read { try $0.count(for: people) }, 80)
        }
        ConformanceCase("A block that reads sees one state, and none that throws saves anything", in: .saving) { environment in
            let stack = try environment.stack(Models.company)
            let container = stack.container
            try await container.write { _ = Person("a", $0) }
            do {
                try await container.write { context in
                    _ = Person("b", context)
                    throw Failure()
                }
            } catch is Failure {}
            let counts = try await container.read { context in
                let before = try context.count(for: people)
                try container.newBackgroundContext().performAndWait { other in
                    _ = Person("c", other)
                    try other.save()
                }
                return [before, try context.count(for: people)]
            }
            try expectEqual(counts, [1, 1])
            try expectEqual(try await container.read { try $0.count(for: people) }, 2)
        }
        ConformanceCase("The health of a store shows the last commit, and that a closed store does not work", in: .reopen) { environment in
            let stack = try environment.stack(Models.company)
            let health = try unwrap(stack.coordinator.health.first)
            try expect(health.isOpen && health.isWritable, "the store counts as closed")
            try expect(health.lastSave == nil, "nothing was saved")
            let context = stack.context()
            _ = Person("a", context)
            try context.save()
            try expect(try unwrap(stack.coordinator.health.first).lastSave != nil, "the save is missing")
            let store = try unwrap(stack.coordinator.stores.first)
            try stack.coordinator.remove(store)
            try expect(stack.coordinator.health.isEmpty, "the store was removed")
            // A store need not know.
            if let failure = store.condition.failure { try expectEqual(failure.code, .closed) }
        }
        ConformanceCase("Observers are notified of each operation with its results and the rows read", in: .saving) { environment in
            let stack = try environment.stack(Models.company)
            let operations = Operations()
            stack.coordinator.instrumentation.observers = [operations]
            let context = stack.context()
            for name in ["a", "b", "c"] { _ = Person(name, context) }
            try context.save()
            let save = operations.take()
            try expectEqual(save.map(\.operation.kind), [.save])
            try expectEqual(save.map(\.operation.inserted), [3])
            try expectEqual(try stack.context().fetch(people).count, 3)
            let fetch = operations.take()
            try expectEqual(fetch.map(\.operation.kind), [.fetch])
            try expectEqual(fetch.map(\.operation.entity), ["Person"])
            try expectEqual(fetch.map(\.resultCount), [3])
            // A store need not count.
            try expectEqual(fetch.map { $0.rowsRead ?? 3 }, [3])
            try expectEqual(fetch.flatMap(\.stores).map(\.id), stack.coordinator.stores.map(\.id))
            stack.coordinator.instrumentation.observers = []
            _ = try stack.context().fetch(people)
            try expectEqual(operations.take().count, 0)
        }
    }
}
