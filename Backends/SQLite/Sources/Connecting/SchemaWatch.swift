import StrataModel
import StrataSQL
import StrataStore

/// Notices that somebody else changed the tables of an open store, as a migration does.
struct SchemaWatch {
    private let model: ManagedObjectModel
    private let description: StoreDescription
    private var version: Int64?

    init(_ model: ManagedObjectModel, _ description: StoreDescription) {
        self.model = model
        self.description = description
    }

    /// Looks, within a transaction of the connection that writes.
    ///
    /// - Throws: `StoreError` with `incompatibleModel` and recovery `reopen` where the store is at another version of the model.
    mutating func look(_ writer: Connection) throws {
        guard let found = try writer.integer("PRAGMA schema_version", .save), found != version else { return }
        if !description.options.ignoresModelVersion {
            let metadata = try MetadataTable.read(writer)
            guard metadata.isCompatible(with: model, configuration: description.configuration) else {
                throw StoreError(
                    .incompatibleModel, .save, "the store was migrated to another version of its model; open it again",
                    path: writer.path, recovery: .reopen)
            }
        }
        try writer.trustTriggers()
        version = found
    }
}
