/// A migration of a store's content between two versions of the model.
///
/// The core creates it, and a transaction executes it, see ``StoreTransaction/migrate(_:)``.
public struct StoreMigration: Sendable {
    /// The correspondence of objects, for a store with a shorter way than ``forEachBatch(of:_:)``.
    ///
    /// `nil` where the objects do not follow from the store's content.
    public let routes: MigrationRoutes?
    /// The model that the store is migrated to.
    public let model: ManagedObjectModel
    /// The configuration of that model whose entities the store holds; `nil` for all entities.
    public let configuration: String?
    /// The metadata after the migration.
    public let metadata: StoreMetadata
    /// The greatest reserved reference after the migration, by the root of the hierarchy in the new model.
    public let lastReferences: [EntityIndex: Int64]
    private let batches: @Sendable (any StoreReader, (ChangeSet) throws -> Void) throws -> Void

    /// Creates a migration; `batches` calls its second argument with the new contents, as ``forEachBatch(of:_:)`` does.
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

    /// Calls `body` with the new content, in batches of rows and links; the rows of each hierarchy come by ascending
    /// reference, and links with the rows or after them.
    ///
    /// It can be repeated from the beginning.
    ///
    /// - Parameters:
    ///   - reader: A reader of the store as it was.
    ///   - body: Takes new rows and links.
    /// - Throws: What `body` and the reader throw; ``StoreError`` with `migration` where an object does not fit the new
    ///   model.
    public func forEachBatch(of reader: any StoreReader, _ body: (ChangeSet) throws -> Void) throws { try batches(reader, body) }

    /// Returns why the migrated store can hold no object of an entity; `nil` where it can.
    public func refusal(of entity: EntityDescription) -> String? {
        StoreMigration.refusal(of: entity, isHeld: model.entities(inConfiguration: configuration)?.contains(entity.index) == true)
    }

    /// Returns why a migrated store can hold no object of an entity; `nil` where it can.
    ///
    /// - Parameters:
    ///   - entity: The entity in the new version of the model.
    ///   - isHeld: Whether the store's configuration has the entity.
    public static func refusal(of entity: EntityDescription, isHeld: Bool) -> String? {
        if !isHeld { return "the store's configuration has no such entity, and there is an object of it" }
        return entity.isAbstract ? "the entity is abstract, and there is an object of it" : nil
    }

    /// Throws for conflicts in the new content.
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
