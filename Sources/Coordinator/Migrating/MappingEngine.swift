package import StrataModel
package import StrataStore

/// The execution of mappings that cannot be inferred; the graph implements it, as policies work with objects.
package protocol MappingEngine: Sendable {
    /// Checks the mapping, before anything is begun; throws `MappingError`.
    func check(_ mapping: MappingModel) throws

    /// Returns the store's new content: all rows and links, the rows of each hierarchy by reference, and the greatest
    /// reserved reference by the root of the hierarchy in the destination.
    ///
    /// Called with the store's write lock held, on the migrating thread.
    func contents(_ migration: MappedMigration) throws -> (changes: ChangeSet, lastReferences: [EntityIndex: Int64])
}

/// A migration by a mapping that cannot be inferred.
package struct MappedMigration {
    package let mapping: MappingModel
    package let source: PersistentStoreCoordinator
    package let storeID: StoreID
    /// The entities that the store holds before.
    package let sourceEntities: Set<EntityIndex>
    /// The entities that the store holds afterwards.
    package let entities: Set<EntityIndex>
    /// The greatest reserved reference, by the root of the hierarchy in the source.
    package let lastReferences: [EntityIndex: Int64]
    package let scope: StoreCapabilities.ReferenceScope
    package let report: MigrationReport
}
