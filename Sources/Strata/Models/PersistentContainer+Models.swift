public import StrataCoordinator
public import StrataGraph
import StrataModel
public import StrataStore

extension PersistentContainer {
    /// Opens the stores of some classes, of their superclasses, and of all classes that their relationships reference.
    ///
    /// ```swift
    /// let container = try PersistentContainer(for: Person.self, stores: [StoreDescription(.sqlite, path: "people.sqlite")])
    /// ```
    /// - Parameters:
    ///   - types: The classes.
    ///   - name: A name by which people distinguish containers.
    ///   - stores: The stores; those made with another version of the model are migrated by default.
    ///   - migrationPlan: The versions that older stores are migrated through first.
    ///   - instrumentation: The logger and the observers of the stores' work, migrations included; none by default.
    /// - Throws: `ModelError` where the declarations are inconsistent; `StoreError` of the first store that cannot be
    ///   opened.
    public convenience init(
        for types: any PersistentModel.Type..., name: String = "Strata", stores: [StoreDescription],
        migrationPlan: (any SchemaMigrationPlan.Type)? = nil, instrumentation: StoreInstrumentation = StoreInstrumentation()
    ) throws {
        var stores = stores
        if let migrationPlan { stores = try stores.map { store in try store.knowing(migrationPlan) } }
        try self.init(
            name: name, model: try ManagedObjectModel(classes: types), stores: stores, stages: migrationPlan?.stages ?? [],
            instrumentation: instrumentation)
    }
}
