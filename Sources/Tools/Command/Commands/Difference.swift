import ArgumentParser
import Strata
import StrataModelDrawing
import StrataStoreTool

struct Difference: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract:
            "Shows what differs between two models, or with --data between the objects of two stores; exits with 1 where anything does.",
        discussion: """
            Objects are compared by their IDs, which copies and conversions keep, or by --by: attributes that identify an object of an entity.

              strata diff Shop.xcdatamodeld shop.sqlite
              strata diff --data shop.sqlite backup.lmdb
              strata diff --data URL URL --from-schema shop --to-schema shop_copy
              strata diff --data a.sqlite b.sqlite --by Customer.number --by Order.number
            """)

    @Argument(help: "A model file or a store.", completion: .file()) var old: String
    @Argument(help: "A model file or a store.", completion: .file()) var new: String
    @Option(name: .customLong("from-version"), help: "The version of the first model.") var oldVersion: String?
    @Option(name: .customLong("to-version"), help: "The version of the second model.") var newVersion: String?
    @Option(name: .customLong("from-schema"), help: "The schema of the first store in a PostgreSQL database.") var oldSchema: String?
    @Option(name: .customLong("to-schema"), help: "The schema of the second store in a PostgreSQL database.") var newSchema: String?
    @Flag(help: "Compares objects.") var data = false
    @Option(help: ArgumentHelp("An attribute that identifies the objects of an entity.", valueName: "entity.attribute")) var by: [String] =
        []
    @Flag(help: "Prints JSON.") var json = false

    func run() throws {
        let differs = data ? try compareObjects() : try compareModels()
        if differs { throw ExitCode(ExitStatus.difference.rawValue) }
    }

    private func compareModels() throws -> Bool {
        let before = try ModelSource(old, version: oldVersion, schema: oldSchema).model()
        let after = try ModelSource(new, version: newVersion, schema: newSchema).model()
        let difference = ModelDifference(from: before, to: after)
        guard json else {
            try Console.print(difference.description)
            return !difference.isEmpty
        }
        for change in difference.json { try Console.print(change.line) }
        return !difference.isEmpty
    }

    private func compareObjects() throws -> Bool {
        let stores = try [(old, oldSchema), (new, newSchema)].map { store, schema in
            let description = try StoreDescription(readingStoreAt: store, schema: schema)
            return try OpenStore(description, model: ModelSource.kept(by: description))
        }
        var keys: [String: [String]] = [:]
        for name in by {
            let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
            guard parts.count == 2, stores.allSatisfy({ $0.model.entity(named: parts[0])?.attribute(named: parts[1]) != nil }) else {
                throw CommandFailure(.usage, "\(name) is no attribute of an entity of both stores")
            }
            keys[parts[0], default: []].append(parts[1])
        }
        var differs = false
        try StoreDifference(stores[0], stores[1], keys: keys).forEach { difference in
            differs = true
            try Console.print(json ? difference.json.line : difference.description)
        }
        if !differs, !json { try Console.print("The objects are the same.") }
        return differs
    }
}

extension ModelDifference {
    /// The changes as JSON.
    var json: [JSON] {
        changes.map { change in
            .object([
                "entity": JSON(change.entity), "property": JSON(change.property), "removed": .array(change.removed.map { .string($0) }),
                "added": .array(change.added.map { .string($0) }),
            ])
        }
    }
}
