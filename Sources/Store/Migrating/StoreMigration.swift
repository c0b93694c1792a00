public import StrataModel

/// A change of all that is in a store: from the objects of one version of the model to those of another.
///
/// The core makes it, and a transaction does it, see ``StoreTransaction/migrate(_:)``.
public struct StoreMigration: Sendable {
    /// How the objects change: for a store that has a shorter way than ``forEachBatch(of:_:)``.
    ///
    /// `nil` where the objects come from elsewhere, and what is in the store does not tell what they become.
    public let routes: MigrationRoutes?
    /// The model that the store is migrated to.
    public let model: ManagedObjectModel
    /// The configuration of that model whose entities the store holds; `nil` for all entities.
    public let configuration: String?
    /// The metadata as they are afterwards.
    public let metadata: StoreMetadata
    /// The greatest reference that counts as given out afterwards, by the root of the tree in the model that the store is brought to.
    public let lastReferences: [EntityIndex: Int64]
    private let batches: @Sendable (any StoreReader, (ChangeSet) throws -> Void) throws -> Void

    /// Creates a migration, see the properties of the same names; `batches` calls its second argument with the new
    /// contents, as ``forEachBatch(of:_:)`` does.
    public init(
        routes: MigrationRoutes?, model: ManagedObjectModel, configuration: String?, metadata: StoreMetadata,
        lastReferences: [EntityIndex: Int64], batches: @escaping @Sendable (any StoreReader, (ChangeSet) throws -> Void) throws -> Void
    ) {
        self.routes = routes
        self.model = model
        self.configuration = configuration
        self.metadata = metadata
        self.lastReferences = lastReferences
        self.batches = batches
    }

    /// Calls `body` with all that the store holds afterwards, some new rows and links at a time; the rows of each tree come in ascending
    /// order of their references, and links with the rows or after them.
    ///
    /// It can be done again from the beginning.
    ///
    /// - Parameters:
    ///   - reader: A reader of the store as it was.
    ///   - body: Takes new rows and links.
    /// - Throws: What `body` and the reader throw; ``StoreError`` with `migration` where an object cannot become one of the new model.
    public func forEachBatch(of reader: any StoreReader, _ body: (ChangeSet) throws -> Void) throws { try batches(reader, body) }

    /// Why no object can be one of an entity of the model afterwards; `nil` where it can.
    public func refusal(of entity: EntityDescription) -> String? {
        StoreMigration.refusal(of: entity, isHeld: model.entities(inConfiguration: configuration)?.contains(entity.index) == true)
    }

    /// - Parameter isHeld: Whether the store holds the entity afterwards.
    package static func refusal(of entity: EntityDescription, isHeld: Bool) -> String? {
        if !isHeld { return "the store's configuration has no such entity, and there is an object of it" }
        return entity.isAbstract ? "the entity is abstract, and there is an object of it" : nil
    }

    /// Refuses new contents that contradict each other.
    ///
    /// - Throws: ``StoreError`` with `constraint` that names the first entity and its attributes.
    public func requireNone(_ conflicts: [StoreConflict], path: String?) throws(StoreError) {
        guard let first = conflicts.first else { return }
        var message = "two objects have one reference"
        var key: String?
        if case .constraint(let names, let other) = first.reason {
            message = "duplicate key: p\(first.reference) and p\(other) have equal values of \(names.joined(separator: ", "))"
            key = names.first
        }
        let entity = model.entities.typedIndices().contains(first.entity) ? model.entities[first.entity].name : nil
        throw StoreError(.constraint, .migrate, message, path: path, entity: entity, key: key, conflicts: conflicts)
    }
}
