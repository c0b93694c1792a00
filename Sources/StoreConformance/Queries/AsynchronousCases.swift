import Dispatch
import Strata
import Synchronization

/// Fetches that run beside their context.
enum AsynchronousCases {
    private static func build(_ environment: ConformanceEnvironment) throws -> ConformanceStack {
        let stack = try environment.stack(Models.items)
        let writer = stack.context()
        Item.insert((0..<1200).map { Double($0) }, of: Item.double, into: writer)
        try writer.save()
        return stack
    }

    /// Collects what a fetch reports.
    private final class Reports: Sendable {
        private let all = Mutex<[FetchProgress]>([])
        var seen: [FetchProgress] { all.withLock { $0 } }
        func add(_ progress: FetchProgress) { all.withLock { $0.append(progress) } }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("An asynchronous fetch gives what a fetch gives, and reports its progress", in: .queries) { environment in
            let stack = try build(environment)
            let background = BackgroundContext(stack.coordinator)
            let reports = Reports()
            let request = ObjectFetchRequest<Item>(Item.double < 1100, sort: [Item.double.descending], limit: 1050, offset: 2)
            let found = try await background.fetch(request, estimatedResultCount: 7, progress: reports.add) { $0.map { $0[Item.double] } }
            try expectEqual(found, (48...1097).reversed().map { Double($0) })
            let seen = reports.seen
            try expectEqual(seen.first, FetchProgress(completedCount: 0, totalCount: 7))
            try expectEqual(seen.last, FetchProgress(completedCount: 1050, totalCount: 1050))
            try expectEqual(seen.map(\.completedCount), seen.map(\.completedCount).sorted())
        }
        ConformanceCase("An asynchronous fetch sees what is pending when it ends", in: .queries) { environment in
            let stack = try build(environment)
            let background = BackgroundContext(stack.coordinator)
            let request = ObjectFetchRequest<Item>(Item.double >= 1198, sort: [Item.double.ascending])
            try await background.perform { context in
                try unwrap(context.fetch(request).first)[Item.double] = 5000
                Item(context: context)[Item.double] = 4000
            }
            let found = try await background.fetch(request) { $0.map { $0[Item.double] } }
            try expectEqual(found, [1199, 4000, 5000])
        }
        ConformanceCase("An asynchronous fetch brings nothing back that its context saved or merged meanwhile", in: .queries) {
            environment in
            // The answer of the older snapshot was taken: the deleted object came back to life, the changed one to its
            // old values.
            for savesElsewhere in [false, true] {
                let stack = try environment.stack(Models.items, savesElsewhere ? "elsewhere" : "here")
                let writer = stack.context()
                Item.insert((0..<10).map { Double($0) }, of: Item.double, into: writer)
                try writer.save()
                let background = BackgroundContext(stack.coordinator)
                let other = savesElsewhere ? BackgroundContext(stack.coordinator) : background
                let (reports, report) = AsyncStream.makeStream(of: Void.self)
                let gate = DispatchSemaphore(value: 0)
                let request = ObjectFetchRequest<Item>(Item.double < 8, sort: [Item.double.ascending])
                // The fetch waits with its snapshot until the context has saved.
                let progress: @Sendable (FetchProgress) -> Void = { progress in
                    if progress.totalCount == nil { return }
                    report.yield()
                    gate.wait()
                    gate.signal()
                }
                async let found = background.fetch(request, progress: progress) { items in
                    let seen = items.map { $0[Item.text] ?? "\($0[Item.double] ?? -1)" }
                    // Nothing of it conflicts with what was saved.
                    for item in items { item[Item.flag] = true }
                    try items.first?.managedObjectContext?.save()
                    return seen
                }
                for await _ in reports { break }
                defer { gate.signal() }
                let changes = try await other.perform { context in
                    let items = try context.fetch(request)
                    context.delete(items[3])
                    items[4][Item.text] = "changed"
                    let changes = RemoteChanges(updated: [items[4].objectID], deleted: [items[3].objectID])
                    try context.save()
                    return changes
                }
                if savesElsewhere { try await background.perform { $0.mergeChanges(fromRemoteContextSave: changes) } }
                gate.signal()
                try expectEqual(try await found, ["0.0", "1.0", "2.0", "changed", "5.0", "6.0", "7.0"])
            }
        }
        ConformanceCase("A context waits for a fetch without blocking its actor", in: .queries) { environment in
            let stack = try build(environment)
            let context = stack.context()
            Item(context: context)[Item.double] = -1
            let found = try await context.fetchAsynchronously(ObjectFetchRequest<Item>(Item.double < 2, sort: [Item.double.ascending]))
            try expectEqual(found.map { $0[Item.double] }, [-1, 0, 1])
        }
        ConformanceCase("A cancelled fetch ends with an error, and leaves its context whole", in: .queries) { environment in
            let stack = try build(environment)
            let background = BackgroundContext(stack.coordinator)
            let (reports, report) = AsyncStream.makeStream(of: Void.self)
            let gate = DispatchSemaphore(value: 0)
            let task = Task {
                // The fetch waits at its first report until it is cancelled.
                let progress: @Sendable (FetchProgress) -> Void = { _ in
                    report.yield()
                    gate.wait()
                    gate.signal()
                }
                return try await background.fetch(ObjectFetchRequest<Item>(), progress: progress) { $0.count }
            }
            for await _ in reports { break }
            task.cancel()
            defer { gate.signal() }
            do {
                let count = try await task.value
                try expect(false, "\(count) objects came")
            } catch is CancellationError {}
            try expectEqual(try await background.fetch(ObjectFetchRequest<Item>()) { $0.count }, 1200)
        }
        ConformanceCase("An asynchronous fetch that cannot be is an error", in: .queries) { environment in
            let background = BackgroundContext(try build(environment).coordinator)
            do {
                _ = try await background.fetch(ObjectFetchRequest<Item>(key("nothing") == 1)) { $0.count }
                try expect(false, "no error")
            } catch let error as QueryError {
                try expectEqual(error.reason, .unknownKey)
            }
        }
    }
}
