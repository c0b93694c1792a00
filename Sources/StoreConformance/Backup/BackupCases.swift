import FoundationEssentials
import Strata
import StrataPlatform
import Synchronization

/// Backups of all stores of a coordinator while others save, and what is restored from them.
enum BackupCases {
    static func target(_ environment: ConformanceEnvironment) -> String { environment.directory + "/backup" }

    static func items(_ environment: ConformanceEnvironment) throws -> ConformanceStack {
        try environment.stack(Models.items) { $0.options.externalStorageThreshold = ExternalValueCases.threshold }
    }

    static func add(_ number: Int64, _ context: ManagedObjectContext) throws {
        let item = Item(context: context)
        item[Item.number] = number
        item[Item.text] = "item \(number)"
        item[Item.blob] = ExternalValueCases.bytes(ExternalValueCases.threshold * 2, UInt8(number))
        try context.save()
    }

    /// Returns whether the stores can be copied; expects a refusal where they cannot.
    ///
    /// - Parameter isRequired: Whether a store that keeps anything fails where it cannot be copied.
    static func canBeCopied(_ stack: ConformanceStack, _ environment: ConformanceEnvironment, isRequired: Bool = false) throws -> Bool {
        let stores = try stack.coordinator.stores.indices.map { try stack.store($0) }
        let copied = stores.filter { $0.capabilities.isPersistent && (try? $0.beginCopy()) != nil }
        if copied.count == stores.count { return true }
        if stores.count == 1 {
            let error = try expectStoreError(.unsupported) { try stack.coordinator.backUp(to: target(environment)) }
            let messages = [
                "a store of type \(stores[0].type) cannot be copied while it is used", "a store on a server is not copied to a directory: ",
            ]
            if stores[0].capabilities.isPersistent {
                try expect(messages.contains { error.message.hasPrefix($0) }, "\(error)")
            } else {
                try expectEqual(error.message, "the coordinator has no store that keeps anything")
            }
            try expect(!FileManager.default.fileExists(atPath: target(environment)), "the directory was made")
        }
        try expect(!isRequired || !stores.contains { $0.capabilities.isPersistent }, "the store cannot be backed up")
        return false
    }

    /// Opens the copies of a backup read-only.
    static func copies(
        _ backup: StoreBackup, of stack: ConformanceStack, _ environment: ConformanceEnvironment
    ) throws -> ConformanceStack {
        let descriptions = zip(stack.descriptions, backup.stores).map { description, store in
            var description = description
            description.path = store.path
            description.isReadOnly = true
            return description
        }
        return try environment.stack(stack.container.model, stores: descriptions)
    }

    static func numbers(_ stack: ConformanceStack) throws -> [Int64] {
        try ExternalValueCases.items(stack.context()).map { item in
            let number = try unwrap(item[Item.number])
            try expectEqual(item[Item.text], "item \(number)")
            try expectEqual(item[Item.blob], ExternalValueCases.bytes(ExternalValueCases.threshold * 2, UInt8(number)))
            return number
        }
    }

    /// How many saves of each writer were acknowledged.
    private final class Acknowledged: Sendable {
        let counts: Mutex<[Int]>
        let hasEnded = Atomic(0)
        init(_ writers: Int) { counts = Mutex(Array(repeating: 0, count: writers)) }
    }

    /// The notes of a store by their writers, whose numbers have to be consecutive.
    private static func written(_ stack: ConformanceStack, _ index: Int, writers: Int) throws -> [Int] {
        let store = stack.coordinator.stores[index]
        var request = ObjectFetchRequest<ManagedObject>(entityName: "Note")
        request.affectedStores = [store]
        var found = Array(repeating: Set<Int>(), count: writers)
        for note in try stack.context().fetch(request) {
            let n = try unwrap(note.value(forKey: "n") as? Int)
            found[n / 1000].insert(n % 1000)
        }
        for numbers in found { try expectEqual(numbers, Set(0..<numbers.count), "a save is missing before a later one") }
        return found.map(\.count)
    }

    static var all: [ConformanceCase] { whole + refused + damaged + unchanged }

    @ConformanceCaseList private static var whole: [ConformanceCase] {
        ConformanceCase("A backup has what was saved before it, and restores it", in: .backup, requires: .persistence) { environment in
            let stack = try items(environment)
            for number in 0..<3 { try add(Int64(number), stack.context()) }
            guard try canBeCopied(stack, environment, isRequired: true) else { return }
            var fractions: [Double] = []
            let backup = try stack.coordinator.backUp(to: target(environment)) { fractions.append($0.fractionCompleted) }
            try expectEqual(fractions, fractions.sorted())
            try expectEqual(fractions.last, 1)
            try expectEqual(try StoreBackup(at: target(environment)), backup)
            let context = stack.context()
            for item in try ExternalValueCases.items(context) { context.delete(item) }
            try context.save()
            try add(7, stack.context())
            let copy = try copies(backup, of: stack, environment)
            try expectEqual(try numbers(copy), [0, 1, 2])
            try expectEqual(try copy.store().id, try stack.store().id)
            try copy.close()
            // What opening it left beside it does no harm.
            try stack.coordinator.restore(from: target(environment))
            try expectEqual(try numbers(stack), [0, 1, 2])
            try add(3, stack.context())
            let again = try stack.reopened()
            try expectEqual(try numbers(again), [0, 1, 2, 3])
            try expectEqual(try again.coordinator.verify(again.store()).map(\.description), [])
        }
        ConformanceCase("The next backup replaces the one before", in: .backup, requires: .persistence) { environment in
            let stack = try items(environment)
            guard try canBeCopied(stack, environment) else { return }
            for number in 0..<3 {
                try add(Int64(number), stack.context())
                let backup = try stack.coordinator.backUp(to: target(environment))
                let names = try FileManager.default.contentsOfDirectory(atPath: target(environment)).filter { !$0.hasPrefix(".") }
                try expectEqual(names.sorted(), ["backup-\(backup.id)", "backup.json"])
                let copy = try copies(backup, of: stack, environment)
                try expectEqual(try numbers(copy), Array(0...Int64(number)))
                try copy.close()
            }
        }
        ConformanceCase("A backup restores stores that were lost or damaged", in: .backup, requires: .file) { environment in
            let stack = try items(environment)
            try add(1, stack.context())
            guard try canBeCopied(stack, environment) else { return }
            try stack.coordinator.backUp(to: target(environment))
            try stack.close()
            let path = try unwrap(stack.descriptions[0].path)
            let coordinator = PersistentStoreCoordinator(model: stack.container.model)
            for isDamaged in [true, false] {
                try stack.descriptions[0].driver.destroy(at: stack.descriptions[0].location)
                if isDamaged {
                    let driver = stack.descriptions[0].driver
                    try driver.replace(at: .file(path), withStoreAt: .file(StoreBackup(at: target(environment)).stores[0].path))
                    let half = try Data(contentsOf: URL(filePath: path)).count / 2
                    try unsafe expect(truncate(path, half) == 0, "the file cannot be cut")
                    do { try coordinator.restore(from: target(environment), to: stack.descriptions) } catch let error as StoreError {
                        // Nothing in the half shows any more that it was a store.
                        try expectEqual(error.code, .foreign)
                    }
                }
                try coordinator.restore(from: target(environment), to: stack.descriptions, replacingOtherStores: true)
                let again = try environment.stack(stack.container.model, stores: stack.descriptions)
                try expectEqual(try numbers(again), [1])
                try again.close()
            }
        }
        // Each store was copied at a moment of its own.
        ConformanceCase("A backup under way misses no acknowledged save, and has each over several stores whole", in: .backup) {
            environment in
            let stack = try environment.notes()
            guard try canBeCopied(stack, environment) else { return }
            let (writers, coordinator, acknowledged) = (8, stack.coordinator, Acknowledged(8))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<writers {
                    group.addTask {
                        defer { acknowledged.hasEnded.add(1, ordering: .relaxed) }
                        let context = BackgroundContext(coordinator)
                        for round in 0..<6 {
                            try await context.perform { context in
                                for store in coordinator.stores {
                                    let note = try context.add("Note", "\(writer)")
                                    try note.setValue(writer * 1000 + round, forKey: "n")
                                    try context.assign(note, to: store)
                                }
                                try context.save()
                            }
                            acknowledged.counts.withLock { $0[writer] += 1 }
                        }
                    }
                }
                var rounds = 0
                while rounds < 2 || acknowledged.hasEnded.load(ordering: .relaxed) < writers {
                    rounds += 1
                    let before = acknowledged.counts.withLock { $0 }
                    let backup = try coordinator.backUp(to: target(environment))
                    let copy = try copies(backup, of: stack, environment)
                    let counts = try copy.coordinator.stores.indices.map { try written(copy, $0, writers: writers) }
                    try expectEqual(Set(counts).count, 1, "a save is in some copies only")
                    try expect(zip(counts[0], before).allSatisfy { $0 >= $1 }, "\(counts[0]) saves of \(before)")
                    try copy.close()
                }
                try await group.waitForAll()
            }
            try coordinator.restore(from: target(environment))
            let counts = try stack.coordinator.stores.indices.map { try written(stack, $0, writers: writers) }
            try expectEqual(Set(counts).count, 1)
        }
    }
}
