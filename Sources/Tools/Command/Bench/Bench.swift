import ArgumentParser
import Dispatch
import FoundationEssentials
import Strata
import StrataFiles
import StrataInMemory
import StrataPlatform
import StrataStoreTool

struct Bench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Measures the kinds of store with the objects of a store of your own.",
        discussion: """
            The store is converted to each kind in a temporary folder, which is removed, and read and changed there: it stays as it is. \
            Times are in milliseconds, the medians of several runs; a file that was just written is in the system's cache.

            open: the store is opened, and one object read. count: all entities are counted. read all: all objects with their values. \
            by key: objects one after the other, by a unique attribute where there is one, else by ID. update: one attribute of these objects \
            is set, and saved.
            """)

    @Option(help: "The store.", completion: .file()) var own: String
    @OptionGroup var options: StoreReadingOptions
    @Option(help: "The URL of a PostgreSQL database; a schema strata_bench is made there, and removed.") var server: String?
    @Option(help: "How many objects are read by key and updated.") var objects = 1_000
    @Option(help: "How often each step is run.") var runs = 3
    @Flag(help: "Prints an object of JSON in each line.") var json = false

    func validate() throws {
        if objects < 1 || runs < 1 { throw ArgumentParser.ValidationError("--objects and --runs are at least 1.") }
    }

    func run() throws {
        let source = try options.description(of: own)
        let model = try options.model(of: source)
        let folder = FileManager.default.temporaryDirectory.appending(path: "strata-bench-\(UUID().uuidString)")
        try PosixFileSystem.shared.makeDirectory(folder.path, permissions: 0o700)
        defer { try? PosixFileSystem.shared.removeTree(folder.path) }
        try Interrupts.during {
            try? PosixFileSystem.shared.removeTree(folder.path)
            return "the measurement was interrupted"
        } _: {
            try measure(source, model, in: folder)
        }
    }

    private func measure(_ source: StoreDescription, _ model: ManagedObjectModel, in folder: URL) throws {
        let sample = try OpenStore(source, model: model).read { try BenchSample(of: $0, count: objects) }
        var table = TextTable(["kind"] + BenchStep.allCases.map(\.name) + ["bytes"], numbers: Set(1...BenchStep.allCases.count + 1))
        for kind in BenchKind.allCases {
            if kind == .postgresql, server == nil { continue }
            Console.progress("\(kind.rawValue)")
            let result = try BenchRun(kind, source, model, sample, runs).measure(in: folder, server: server)
            if json { try Console.print(result.json.line) } else { table.add(result.cells) }
        }
        Console.endProgress()
        if json { return }
        try Console.print("\(sample.total) objects of \(own); \(sample.ids.count) of \(sample.entityName) by \(sample.key ?? "ID")\n")
        for line in table.lines { try Console.print(line) }
    }
}

/// What is measured of each kind of store.
enum BenchStep: String, CaseIterable {
    case convert, open, count, readAll, byKey, update

    var name: String {
        switch self {
        case .readAll: "read all"
        case .byKey: "by key"
        default: rawValue
        }
    }
}

/// The kinds of store that are measured.
enum BenchKind: String, CaseIterable {
    case sqlite, lmdb, binary, xml, inMemory, postgresql

    /// Returns the description of a store of the kind.
    func description(in folder: URL, server: String?) -> StoreDescription {
        let path = folder.appending(path: "store.\(rawValue)").path
        let address = server.map { ServerAddress($0, name: "strata_bench") }
        guard let kind = StoreKind(rawValue: rawValue) else { return StoreDescription(.inMemory) }
        return kind.description(at: kind == .postgresql ? address.map { .server($0) } ?? .file(path) : .file(path))
    }
}

/// The objects that are read by key and changed, of the entity that has most.
struct BenchSample: Sendable {
    let total: Int
    let entityName: String
    let ids: [ObjectID]
    /// The attribute that identifies an object; `nil` where the entity has none.
    let key: String?
    /// The values of the key by the index of the object.
    let keys: [Value]
    /// An attribute that has several values among the objects, and may be set; `nil` where the entity has none.
    let changed: String?
    /// The values to set: those of the next object, which the attribute takes.
    let values: [Value]

    init(of context: ManagedObjectContext, count: Int) throws {
        let counts = try context.model.entities.filter { !$0.isAbstract }.map { entity in
            var request = ObjectFetchRequest<ManagedObject>(entityName: entity.name)
            request.includesSubentities = false
            return (entity: entity, count: try context.count(for: request))
        }
        total = counts.reduce(0) { $0 + $1.count }
        guard let largest = counts.max(by: { $0.count < $1.count }), largest.count > 0 else {
            throw CommandFailure(.data, "the store has no objects")
        }
        entityName = largest.entity.name
        var request = ObjectFetchRequest<ManagedObject>(entityName: entityName)
        request.includesSubentities = false
        let all = try context.fetchObjectIDs(request)
        let step = max(1, all.count / count)
        ids = stride(from: 0, to: all.count, by: step).prefix(count).map { all[$0] }
        let unique = largest.entity.uniquenessConstraints.map(\.names)
        let objects = try ids.map { try context.existingObject(with: $0).snapshot() }
        func values(_ name: String) -> [Value] { objects.map { $0.value(forKey: name) ?? .null } }
        key = unique.first { $0.count == 1 && !values($0[0]).contains { $0.isNull } }?.first
        keys = key.map(values) ?? []
        let free = largest.entity.attributes.filter { attribute in
            !attribute.isDerived && !attribute.isTransient && !unique.contains { $0.contains(attribute.name) }
        }
        changed = free.first { attribute in Set(values(attribute.name)).count > 1 }?.name
        self.values =
            changed.map { name in
                let all = values(name)
                return Array(all.dropFirst() + all.prefix(1))
            } ?? []
    }
}
