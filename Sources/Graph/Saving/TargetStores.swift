import StrataCoordinator
import StrataModel
import StrataStore

/// The stores of objects, during one save.
final class TargetStores {
    private let context: ManagedObjectContext
    /// The store of new objects of the entity that was looked up last.
    @safe @exclusivity(unchecked) private var last: (entity: EntityIndex, storeID: StoreID)?
    /// The store of new objects of each entity, by its index, once looked up; empty before a second entity is.
    @safe @exclusivity(unchecked) private var storeOfEntity: [StoreID?] = []

    init(_ context: ManagedObjectContext) { self.context = context }

    /// The store of all new objects, whatever their entity; `nil` where there are several, or none for some.
    private lazy var ofAllNewObjects: StoreID? = {
        if context.tracker.hasAssignedStores || context.tracker.hasForgotten { return nil }
        var only: StoreID?
        for entity in context.model.entities where !entity.isAbstract {
            guard let storeID = try? context.source.storeForNewObjects(of: entity), only ?? storeID == storeID else { return nil }
            only = storeID
        }
        return only
    }()

    /// Returns whether all new objects, whatever their entity, are saved to a store.
    func areAllNew(in storeID: StoreID) -> Bool { ofAllNewObjects == storeID }

    /// Returns whether an object is saved to the same store as the other new ones of its entity.
    func isStoredWithItsEntity(_ object: ManagedObject) -> Bool {
        object.isNew && object.objectID.isTemporary && !context.tracker.hasAssignedStores
    }

    /// Returns the ID of the store that an object is in, or will be saved to; throws `StoreError` with `noStore`.
    func storeID(of object: ManagedObject) throws -> StoreID {
        guard isStoredWithItsEntity(object) else { return try context.targetStoreID(of: object) }
        let entity = object.entityIndex
        if let last {
            if last.entity == entity { return last.storeID }
            if storeOfEntity.isEmpty { storeOfEntity = Array(repeating: nil, count: context.model.entities.count) }
            storeOfEntity[last.entity] = last.storeID
        }
        let storeID = try (storeOfEntity.isEmpty ? nil : storeOfEntity[entity]) ?? context.targetStoreID(of: object)
        last = (entity, storeID)
        return storeID
    }
}
