import FoundationEssentials
package import Strata
import StrataFiles

/// Two stores that several processes save to together: each process has a counter of its own, and adds a batch with each save.
package enum SharedFederation {
    private static let parts: [Part] = [.a, .b]

    /// SQLite and LMDB: stores that several processes may have open.
    package static func descriptions(in directory: String) -> [StoreDescription] {
        Array(CrashMode.trio.descriptions(in: directory).prefix(parts.count))
    }

    /// Saves once in the name of a process.
    package static func save(_ name: Int, _ count: Int, _ context: ManagedObjectContext) throws {
        for part in parts {
            let tag = try tag(name, part, context) ?? insert(part.tagEntity, Tag.self, context)
            tag[Tag.name] = "\(name)"
            tag[Tag.generation] = count
            let batch = try insert(part.batchEntity, Batch.self, context)
            batch[Batch.generation] = count * 10 + name
            batch[Batch.stamp] = count
        }
        try context.save()
    }

    /// How often a process has saved.
    ///
    /// - Throws: ``Violation`` where a save is in one store and not in the other, or one is missing.
    package static func count(_ name: Int, _ context: ManagedObjectContext) throws -> Int {
        let counts = try parts.map { part in
            let count = try tag(name, part, context)?[Tag.generation] ?? 0
            let batches = try context.fetch(ObjectFetchRequest<Batch>(entityName: part.batchEntity)).compactMap { $0[Batch.generation] }
            let own = batches.filter { $0 % 10 == name }.map { $0 / 10 }.sorted()
            guard own == Array(1..<(count + 1)) else { throw Violation("process \(name) in \(part): \(count) saves, but batches \(own)") }
            return count
        }
        guard Set(counts).count == 1 else { throw Violation("process \(name): a save is in one store only: \(counts)") }
        return counts[0]
    }

    /// Saves in the name of a process until it is killed.
    static func run(_ directory: String, _ name: Int) throws {
        let container = try PersistentContainer(model: CrashModel.model.get(), stores: descriptions(in: directory))
        var count = try count(name, ManagedObjectContext(container.coordinator))
        Pipe.write("open \(count)")
        while true {
            count += 1
            try save(name, count, ManagedObjectContext(container.coordinator))
            Pipe.write("saved \(count)")
        }
    }

    private static func tag(_ name: Int, _ part: Part, _ context: ManagedObjectContext) throws -> Tag? {
        try context.fetch(ObjectFetchRequest<Tag>(entityName: part.tagEntity, key("name") == .string("\(name)"))).first
    }

    private static func insert<Object: ManagedObject>(
        _ entity: String, _ type: Object.Type, _ context: ManagedObjectContext
    ) throws -> Object {
        guard let object = try context.insert(entity) as? Object else { throw Violation("\(entity) is no \(type)") }
        return object
    }
}
