import StrataCoordinator
import StrataStore
import Synchronization

/// The coordinator of a migration's new objects until the end of the migration, which saves them: it has no objects.
final class NewObjectsCoordinator: Coordinator {
    let model: ManagedObjectModel
    private let storeID: StoreID
    private let storeScopes: ObjectIDScopes
    private let entities: Set<EntityIndex>
    private let references: Mutex<MigrationReferences>

    init(_ model: ManagedObjectModel, storeID: StoreID, entities: Set<EntityIndex>, references: MigrationReferences) {
        self.model = model
        self.storeID = storeID
        self.entities = entities
        self.references = Mutex(references)
        storeScopes = ObjectIDScopes(model: model, storeID: storeID)
    }

    func fetch(_ plan: FetchPlan, affectedStores: [StoreID]?) throws -> CoordinatorAnswer {
        switch plan.result {
        case .rows: .rows(FetchedRows(rows: [], scopes: [storeScopes], storeOfRow: []))
        case .references: .ids([])
        case .count: .count(0)
        case .groups: .groups([])
        case .values: .values([])
        }
    }

    func rows(for ids: [ObjectID]) throws -> [Row?] { ids.map { _ in nil } }
    func destinations(of relationship: RelationshipDescription, from id: ObjectID) throws -> [ObjectID] { [] }

    func storeForNewObjects(of entity: EntityDescription) throws -> StoreID {
        guard entities.contains(entity.index)
        else { throw StoreError(.noStore, .migrate, "the store's configuration has no such entity", entity: entity.name) }
        return storeID
    }

    func obtainReferences(_ requests: [(entity: EntityDescription, storeID: StoreID)]) throws -> [Int64] {
        try references.withLock { references in try requests.map { try references.next(root: $0.entity.root) } }
    }

    func sequenceNumber(for entity: EntityDescription) throws -> Int64 { try references.withLock { try $0.next(root: entity.root) } }

    func scopes(ofStore storeID: StoreID) throws -> ObjectIDScopes { storeScopes }

    func save(_ request: SaveChangesRequest) throws -> SaveOutcome {
        throw StoreError(.unsupported, .save, "the objects of a migration are saved at its end, all at once")
    }

    func withSnapshot<T>(_ body: () throws -> T) throws -> T { try body() }
    func refreshStores(_ storeIDs: [StoreID]?) throws {}
    func objectID(forURI uri: String) -> ObjectID? { nil }

    /// Returns the reference of a new object: its former one, unless another object has it.
    func reference(keeping wanted: Int64?, root: EntityIndex) throws -> Int64 {
        try references.withLock { references in
            if let wanted, references.take(wanted, root: root) { return wanted }
            return try references.next(root: root)
        }
    }

    var lastReferences: [EntityIndex: Int64] { references.withLock(\.last) }
}

struct MigrationReferences {
    /// The greatest reserved reference, by the root of the hierarchy.
    private(set) var last: [EntityIndex: Int64] = [:]
    private var taken: [EntityIndex: Set<Int64>] = [:]
    private let scope: StoreCapabilities.ReferenceScope
    private let roots: [EntityIndex]

    init(_ migration: MappedMigration) {
        let (source, destination) = (migration.mapping.source, migration.mapping.destination)
        scope = migration.scope
        roots = destination.entities.filter { $0.superentity == nil }.map(\.index)
        for root in roots { last[root] = 0 }
        for mapping in migration.mapping.entityMappings {
            guard let target = mapping.destination.flatMap({ destination.entity(named: $0) }),
                let origin = mapping.source.flatMap({ source.entity(named: $0) })
            else { continue }
            last[target.root] = max(last[target.root] ?? 0, migration.lastReferences[origin.root] ?? 0)
        }
        guard scope != .hierarchy else { return }
        let greatest = max(last.values.max() ?? 0, migration.lastReferences.values.max() ?? 0)
        for root in roots { last[root] = greatest }
    }

    /// Returns the root whose counter a hierarchy uses: references are unique in it, or in the whole store.
    private func counterRoot(_ root: EntityIndex) -> EntityIndex { scope == .hierarchy ? root : roots.first ?? root }

    /// Takes a reference of the source; false where another object has it.
    mutating func take(_ reference: Int64, root: EntityIndex) -> Bool {
        reference <= last[root] ?? 0 && taken[counterRoot(root), default: []].insert(reference).inserted
    }

    mutating func next(root: EntityIndex) throws(StoreError) -> Int64 {
        let (next, overflow) = (last[root] ?? 0).addingReportingOverflow(1)
        if overflow { throw StoreError(.tooLarge, .migrate, "the store has no references left") }
        if scope == .hierarchy { last[root] = next } else { for root in roots { last[root] = next } }
        taken[counterRoot(root), default: []].insert(next)
        return next
    }
}
