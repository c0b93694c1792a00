public import Strata
import StrataGraph
import StrataInMemory
public import StrataModel
import StrataStore

extension PersistentContainer {
    /// Opens an empty store in memory for some classes, or one with the objects of a file.
    ///
    /// ```swift
    /// let container = try PersistentContainer(inMemory: Shelf.self, fixtures: .file("library.json"))
    /// ```
    /// - Parameters:
    ///   - types: The classes; those that they reference belong to the model, too.
    ///   - fixtures: The objects that the store begins with.
    /// - Throws: `ModelError` where the declarations are inconsistent; ``FixtureError`` where the fixtures do not fit the model;
    ///   `ValidationError` where they break its rules.
    public convenience init(inMemory types: any PersistentModel.Type..., fixtures: Fixtures? = nil) throws {
        try self.init(inMemory: try ManagedObjectModel(classes: types), fixtures: fixtures)
    }

    /// Opens an empty store in memory for a model, or one with the objects of a file.
    ///
    /// - Throws: ``FixtureError`` where the fixtures do not fit the model; `ValidationError` where they break its rules.
    public convenience init(inMemory model: ManagedObjectModel, fixtures: Fixtures? = nil) throws {
        try self.init(name: "test", model: model, stores: [StoreDescription(.inMemory)])
        guard let fixtures else { return }
        let context = newContext()
        try fixtures.insert(into: context)
        try context.save()
    }
}
