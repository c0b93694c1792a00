public import StrataModel
public import StrataStore

extension PersistentStoreCoordinator {
    /// Returns the model that a store was made with, of plain managed objects, as the store itself keeps it.
    ///
    /// - Returns: `nil` where the store keeps no model: one that Apple's Core Data wrote.
    /// - Throws: `StoreError` where the store cannot be read; `corrupt` where the model is malformed.
    public static func model(ofStoreAt location: StoreLocation, _ driver: any StoreDriver) throws -> ManagedObjectModel? {
        try driver.metadata(at: location).model()
    }

    /// A coordinator over one store and its own model, for those who do not have the model in their code: tools, and
    /// migrations.
    ///
    /// ```swift
    /// let coordinator = try PersistentStoreCoordinator(openingWithOwnModel: StoreDescription(.sqlite, path: "zoo.sqlite"))
    /// for entity in coordinator.model.entities { print(entity.name) }
    /// ```
    /// - Throws: `StoreError`; `incompatibleModel` where the store keeps no model.
    public convenience init(openingWithOwnModel description: StoreDescription) throws {
        guard let model = try PersistentStoreCoordinator.model(ofStoreAt: description.location, description.driver) else {
            throw StoreError(.incompatibleModel, .open, "the store does not keep the model that it was made with", path: description.path)
        }
        self.init(model: model)
        try addStore(description)
    }
}
