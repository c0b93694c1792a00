package import StrataModel
package import StrataStore

/// Carries out mappings that say more than could be inferred; the graph's rooms have it, as policies work with objects.
package protocol MappingEngine: Sendable {
    /// Looks whether the mapping means something, before anything is begun.
    ///
    /// - Throws: `MappingError`.
    func check(_ mapping: MappingModel) throws

    /// Makes what the store holds afterwards.
    ///
    /// Called with the store's turn to write held, on the thread that migrates.
    func contents(_ migration: MappedMigration) throws -> MappedContents
}

/// A migration by a mapping that says more than could be inferred.
package struct MappedMigration {
    package let mapping: MappingModel
    /// A coordinator that has the store alone.
    package let source: PersistentStoreCoordinator
    package let storeID: StoreID
    /// The entities that the store holds.
    package let sourceEntities: Set<EntityIndex>
    /// Those that it holds afterwards.
    package let entities: Set<EntityIndex>
    /// The greatest reference that was given out, by the root of the tree in the source.
    package let lastReferences: [EntityIndex: Int64]
    /// Which rows a reference is unique among.
    package let scope: StoreCapabilities.ReferenceScope
    package let report: MigrationReport
}

/// What a store holds after a migration.
package struct MappedContents: Sendable {
    /// All rows and links: rows of each tree by reference.
    package let changes: ChangeSet
    /// The greatest reference that counts as given out, by the root of the tree in the destination.
    package let lastReferences: [EntityIndex: Int64]

    package init(changes: ChangeSet, lastReferences: [EntityIndex: Int64]) {
        self.changes = changes
        self.lastReferences = lastReferences
    }
}
