import Strata
import Synchronization

/// The progress that a migration reports, and how it is cancelled.
enum MigrationProgressCases {
    private static func model(_ type: AttributeType = .integer16) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Thing") {
                Attribute("name", .string)
                Attribute("size", type)
            }
        }
    }

    private struct Stop: Error {}

    /// By inference, and by a mapping of which a part is said.
    private static func mappings() throws -> [MappingModel?] {
        [
            nil,
            try MappingModel(from: try model(), to: try model(.integer64)) {
                EntityMapping(from: "Thing", to: "Thing") { PropertyMapping("size", "$source.size + 1") }
            },
        ]
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A migration tells how far it has come", in: .migration, requires: .persistence) { environment in
            for mapping in try mappings() {
                let stack = try environment.stack(try model())
                let context = stack.context()
                for number in 0..<1200 { try context.add("Thing", "t\(number)", ["size": number]) }
                try context.save()
                try stack.close()
                let told = Mutex<[Double]>([])
                var description = environment.description()
                description.migrationProgress = { progress in told.withLock { $0.append(progress.fractionCompleted) } }
                try PersistentStoreCoordinator.migrateStore(description, to: try model(.integer64), mapping: mapping)
                let fractions = told.withLock(\.self)
                try expectEqual(fractions.first, 0)
                try expectEqual(fractions.last, 1)
                try expectEqual(fractions, fractions.sorted())
                try description.driver.destroy(at: description.location)
            }
        }
        ConformanceCase("A cancelled migration leaves the store as it was", in: .migration, requires: .persistence) { environment in
            for mapping in try mappings() {
                for moment in [0.0, 1.0] {
                    let stack = try environment.stack(try model())
                    let context = stack.context()
                    try context.add("Thing", "a", ["size": 1])
                    try context.save()
                    let contents = try stack.contents()
                    try stack.close()
                    var description = environment.description()
                    description.migrationProgress = { if $0.fractionCompleted >= moment { throw Stop() } }
                    let error = try expectStoreError(.cancelled) {
                        try PersistentStoreCoordinator.migrateStore(description, to: try model(.integer64), mapping: mapping)
                    }
                    try expectEqual(error.cocoaCode, 134120)
                    try expect(error.underlying is Stop, "\(error)")
                    let again = try environment.stack(try model()) { $0.shouldMigrateStoreAutomatically = false }
                    try expectEqual(try again.contents(), contents)
                    try again.close()
                    try description.driver.destroy(at: description.location)
                }
            }
        }
        ConformanceCase("A cancelled task cancels its migration", in: .migration, requires: .persistence) { environment in
            let stack = try environment.stack(try model())
            let context = stack.context()
            try context.add("Thing", "a")
            try context.save()
            try stack.close()
            let description = environment.description()
            let second = try model(.integer64)
            let task = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                try PersistentStoreCoordinator.migrateStore(description, to: second)
            }
            let result = await task.result
            try expectStoreError(.cancelled) { try result.get() }
            try expectEqual(try environment.stack(second).contents(), ["Thing a"])
        }
    }
}
