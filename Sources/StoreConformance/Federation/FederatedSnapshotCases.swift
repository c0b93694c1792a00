import Strata
import Synchronization

/// Reading several stores while others save in them.
enum FederatedSnapshotCases {
    private static let count = 12
    private static let sum = count * (count - 1) / 2

    /// Signals to the readers that all writers are finished.
    private final class End: Sendable {
        let hasCome = Atomic(false)
    }

    private static func numbers(_ request: ObjectFetchRequest<ManagedObject>, _ context: ManagedObjectContext) throws -> [Int] {
        try context.fetchDictionaries(request.fetching("n")).compactMap { $0["n"].flatMap { Int(value: $0) } }
    }

    /// The sum of all numbers, read in every way that reads all stores at once.
    private static func sums(_ context: ManagedObjectContext, _ ids: [ObjectID]) throws -> [String: Int] {
        let request = ObjectFetchRequest<ManagedObject>(entityName: "Note", sort: [QuerySort("n")])
        func grouped() throws -> Int {
            let groups = try context.fetchDictionaries(
                ObjectFetchRequest<ManagedObject>(entityName: "Note").grouped(computing: [.sum("n")]))
            return groups[0]["sum_n"].flatMap { Int(value: $0) } ?? -1
        }
        func total(_ objects: [ManagedObject]) throws -> Int { try objects.reduce(0) { $0 + (try $1.value(forKey: "n") as? Int ?? -1) } }
        var sums: [String: Int] = [:]
        sums["groups"] = try grouped()
        sums["dictionaries"] = try numbers(request, context).reduce(0, +)
        context.reset()
        sums["objects"] = try total(context.fetch(request))
        context.reset()
        sums["objects by ID"] = try total(context.existingObjects(with: ids))
        context.reset()
        try context.withSnapshot {
            sums["groups of a snapshot"] = try grouped()
            // Two questions with one answer.
            let all = try numbers(request, context)
            var halves: [Int] = []
            for predicate in [key("n") < 5, key("n") >= 5] {
                halves += try numbers(ObjectFetchRequest(entityName: "Note", predicate, sort: [QuerySort("n")]), context)
            }
            sums["dictionaries of a snapshot"] = all == halves ? all.reduce(0, +) : -1
        }
        return sums
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("Whoever reads several stores sees a save over them whole, or not at all", in: .federation) { environment in
            // Each store was read as it was at a moment of its own.
            let stack = try environment.notes()
            let ids = try stack.deal(count).all("Note", sort: [QuerySort("n")]).map(\.objectID)
            let (writer, readers) = (BackgroundContext(stack.coordinator), (0..<2).map { _ in BackgroundContext(stack.coordinator) })
            let end = End()
            try await withThrowingTaskGroup(of: [String].self) { group in
                group.addTask {
                    defer { end.hasCome.store(true, ordering: .relaxed) }
                    try await writer.perform { context in
                        let notes = try context.existingObjects(with: ids)
                        for round in 0..<40 {
                            // Neighbours are in different stores.
                            for (index, change) in [(round, 7), (round + 1, -7)] {
                                let note = notes[index % count]
                                try note.setValue((note.value(forKey: "n") as? Int ?? 0) + change, forKey: "n")
                            }
                            try context.save()
                        }
                    }
                    return []
                }
                for reader in readers {
                    group.addTask {
                        try await reader.perform { context in
                            var torn: Set<String> = []
                            while !end.hasCome.load(ordering: .relaxed) {
                                for (way, found) in try sums(context, ids) where found != sum { torn.insert(way) }
                            }
                            return torn.sorted()
                        }
                    }
                }
                for try await torn in group { try expectEqual(torn, [], "did not see whole saves") }
            }
        }
    }
}
