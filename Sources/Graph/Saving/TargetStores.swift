import StrataCoordinator
import StrataModel
import StrataStore

/// The stores of objects, during one save.
final class TargetStores {
    private let context: ManagedObjectContext
    /// The store of new objects of each entity, by its index, once looked up.
    @safe @exclusivity(unchecked) private var storeOfEntity: [StoreID?]

    init(_ context: ManagedObjectContext) {
        self.context = context
        storeOfEntity = Array(repeating: nil, count: context.model.entities.count)
    }

    /// The store of all new objects, whatever their entity; `nil` where there are several, or none for some.
    private(set) lazy var ofAllNewObjects: StoreID? = {
        if context.tracker.hasAssignedStores || context.tracker.hasForgotten { return nil }
        var only: StoreID?
        for entity in context.model.entities where !entity.isAbstract {
            guard let storeID = try? context.source.storeForNewObjects(of: entity), only ?? storeID == storeID else { return nil }
            only = storeID
        }
        return only
    }()

    /// Returns whether an object is saved to the same store as the other new ones of its entity.
    func isStoredWithItsEntity(_ object: ManagedObject) -> Bool {
        object.isNew && object.objectID.isTemporary && !context.tracker.hasAssignedStores
    }

    /// Returns the ID of the store that an object is in, or will be saved to; throws `StoreError` with `noStore`.
    func storeID(of object: ManagedObject) throws -> StoreID {
        guard isStoredWithItsEntity(object) else { return try context.targetStoreID(of: object) }
        if let known = storeOfEntity[object.entityIndex] { return known }
        let storeID = try context.targetStoreID(of: object)
        storeOfEntity[object.entityIndex] = storeID
        return storeID
    }
}
