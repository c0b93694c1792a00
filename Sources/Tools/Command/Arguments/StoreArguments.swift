import ArgumentParser
import Strata
import StrataStoreTool

/// A store on the command line, and the model that it is opened with.
struct StoreArguments: ParsableArguments {
    @Argument(help: "The store: a path, or the URL of a PostgreSQL database.", completion: .file()) var store: String
    @OptionGroup var options: StoreReadingOptions

    /// Returns the store, to be read alone.
    func description() throws -> StoreDescription { try options.description(of: store) }

    /// Returns the model of the described store, or the one of `--model`.
    func model(of description: StoreDescription) throws -> ManagedObjectModel { try options.model(of: description) }

    /// Opens the store.
    ///
    /// - Parameter isReadOnly: Whether nothing is written to it; an interrupted save stays so then.
    func open(isReadOnly: Bool = true) throws -> OpenStore {
        var description = try description()
        description.isReadOnly = isReadOnly
        description.shouldMigrateStoreAutomatically = false
        return try OpenStore(description, model: model(of: description))
    }
}

/// How a store is opened, beside its path.
struct StoreReadingOptions: ParsableArguments {
    @Option(help: "The kind of the store, where its file does not show it.") var kind: StoreKind?
    @Option(help: "The schema of a store in a PostgreSQL database.") var schema: String?
    @Option(help: "The model: an .xcdatamodeld, .xcdatamodel, .momd or .mom, or another store; by default the one that the store keeps.")
    var model: String?
    @Option(name: .customLong("model-version"), help: "The version of the model; by default the current one.")
    var modelVersion: String?

    /// Returns the description of a store, to be read alone.
    func description(of store: String) throws -> StoreDescription {
        try StoreDescription(readingStoreAt: store, kind: kind, schema: schema)
    }

    /// Returns the model to open a store with.
    func model(of description: StoreDescription) throws -> ManagedObjectModel {
        if let model { return try ModelSource(model, version: modelVersion).model() }
        return try ModelSource.kept(by: description)
    }
}
