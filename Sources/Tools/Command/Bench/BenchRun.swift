import FoundationEssentials
import Strata
import StrataStoreTool

/// The measurement of one kind of store.
struct BenchRun {
    /// The median of each step in milliseconds, and the size of the files; steps that a kind does not have are missing.
    struct Result {
        let kind: BenchKind
        let milliseconds: [BenchStep: Double]
        let byteCount: Int64?

        /// The row of a table.
        var cells: [String] {
            [kind.rawValue] + BenchStep.allCases.map { milliseconds[$0].map(Result.text) ?? "" } + [byteCount.map(String.init) ?? ""]
        }

        /// The result as JSON.
        var json: JSON {
            .object([
                "kind": .string(kind.rawValue), "byteCount": byteCount.map { .int($0) } ?? .null,
                "milliseconds": .object(Dictionary(uniqueKeysWithValues: milliseconds.map { ($0.key.rawValue, .double($0.value)) })),
            ])
        }

        /// Three significant digits, and at most two behind the point.
        private static func text(_ value: Double) -> String {
            let digits = value >= 100 ? 0 : value >= 10 ? 1 : 2
            let number = String(Int((value * [1, 10, 100][digits]).rounded()))
            let padded = String(repeating: "0", count: max(0, digits + 1 - number.count)) + number
            return digits == 0 ? padded : "\(padded.dropLast(digits)).\(padded.suffix(digits))"
        }
    }

    private let kind: BenchKind
    private let source: StoreDescription
    private let model: ManagedObjectModel
    private let sample: BenchSample
    private let runs: Int

    init(_ kind: BenchKind, _ source: StoreDescription, _ model: ManagedObjectModel, _ sample: BenchSample, _ runs: Int) {
        (self.kind, self.source, self.model, self.sample, self.runs) = (kind, source, model, sample, runs)
    }

    /// Converts the store, and measures the new one.
    func measure(in folder: URL, server: String?) throws -> Result {
        let target = kind.description(in: folder, server: server)
        var times: [BenchStep: [Double]] = [:]
        func time<T>(_ step: BenchStep, _ body: () throws -> T) rethrows -> T {
            let start = ContinuousClock.now
            defer { times[step, default: []].append((ContinuousClock.now - start) / .milliseconds(1)) }
            return try body()
        }
        if kind == .postgresql, (try? target.driver.metadata(at: target.location)) != nil {
            throw CommandFailure(.exists, "there is something at \(target.location)")
        }
        let opened = try OpenStore(source, model: model)
        let converted = try time(.convert) { try opened.coordinator.migrateStore(opened.store, to: target) }
        let isKept = kind != .inMemory
        if isKept { try opened.coordinator.remove(converted) }
        defer { if kind == .postgresql { try? target.driver.destroy(at: target.location) } }
        for run in 0..<runs {
            let coordinator =
                try isKept
                ? time(.open) {
                    let coordinator = try OpenStore(target, model: model).coordinator
                    try BackgroundContext(coordinator, name: "bench").performAndWait { _ = try object(sample.ids[0], coordinator, $0) }
                    return coordinator
                } : opened.coordinator
            // Each context begins without objects.
            func inContext(_ body: (ManagedObjectContext) throws -> Void) throws {
                try BackgroundContext(coordinator, name: "bench").performAndWait(body)
            }
            try inContext { context in try time(.count) { for entity in roots { _ = try context.count(for: all(entity)) } } }
            try inContext { context in try time(.readAll) { for entity in roots { try readAll(entity, context) } } }
            try inContext { context in try time(.byKey) { try readByKey(coordinator, context) } }
            if sample.changed != nil {
                try inContext { context in
                    let objects = try sample.ids.map { try object($0, coordinator, context) }
                    try time(.update) { try update(objects, run, context) }
                }
            }
            if isKept { for store in coordinator.stores { try coordinator.remove(store) } }
        }
        return Result(
            kind: kind, milliseconds: times.mapValues { $0.sorted()[$0.count / 2] }, byteCount: target.path.map(FileSize.ofStore(at:)))
    }

    /// The entities that have no super-entity: requests find their sub-entities' objects, too.
    private var roots: [EntityDescription] { model.entities.filter { $0.superentity == nil } }

    private func all(_ entity: EntityDescription) -> ObjectFetchRequest<ManagedObject> {
        ObjectFetchRequest<ManagedObject>(entityName: entity.name)
    }

    private func readAll(_ entity: EntityDescription, _ context: ManagedObjectContext) throws {
        var request = all(entity)
        request.fetchBatchSize = 1_000
        for object in try context.fetchLazily(request) { _ = object.snapshot() }
        if let error = context.lastFaultError { throw error }
    }

    private func object(
        _ id: ObjectID, _ coordinator: PersistentStoreCoordinator, _ context: ManagedObjectContext
    ) throws -> ManagedObject {
        guard let own = coordinator.objectID(forURI: id.uriRepresentation) else {
            throw CommandFailure(.failed, "\(id) is not in the converted store")
        }
        let object = try context.existingObject(with: own)
        _ = object.snapshot()
        return object
    }

    private func readByKey(_ coordinator: PersistentStoreCoordinator, _ context: ManagedObjectContext) throws {
        guard let key = sample.key else {
            for id in sample.ids { _ = try object(id, coordinator, context) }
            return
        }
        for value in sample.keys {
            var request = ObjectFetchRequest<ManagedObject>(entityName: sample.entityName)
            request.predicate = try QueryPredicate(format: "%K == %@", key, value)
            request.limit = 1
            for object in try context.fetch(request) { _ = object.snapshot() }
        }
    }

    /// Sets the attribute of each object to the value of the next one, or in each second run to its own.
    private func update(_ objects: [ManagedObject], _ run: Int, _ context: ManagedObjectContext) throws {
        guard let changed = sample.changed else { return }
        for (index, object) in objects.enumerated() {
            let value = run.isMultiple(of: 2) ? index : (index + objects.count - 1) % objects.count
            try object.setValue(sample.values[value], forKey: changed)
        }
        try context.save()
    }
}
