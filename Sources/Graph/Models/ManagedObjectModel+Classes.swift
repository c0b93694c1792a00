public import StrataModel

extension ManagedObjectModel {
    /// The model of some classes, of their superclasses, and of all classes that their relationships reference.
    ///
    /// ```swift
    /// let model = try ManagedObjectModel(for: Person.self)
    /// ```
    /// Subclasses are named, as nothing references them. A relationship that does not say its inverse has the one that
    /// leads back, where there is exactly one that can.
    ///
    /// - Parameters:
    ///   - types: The classes.
    ///   - configurations: Configurations beside those that the classes name.
    ///   - versionIdentifiers: Texts with which an application names the model's version.
    /// - Throws: `ModelError` that names the entity and the property where the declarations are inconsistent.
    public convenience init(
        for types: any PersistentModel.Type..., configurations: [EntityConfiguration] = [], versionIdentifiers: [String] = []
    ) throws(ModelError) {
        try self.init(classes: types, configurations: configurations, versionIdentifiers: versionIdentifiers)
    }

    /// Creates the model of some classes; otherwise as from a list of arguments.
    ///
    /// - Throws: `ModelError` that names the entity and the property where the declarations are inconsistent, or the
    ///   class that declares none.
    public convenience init(
        classes: [ManagedObject.Type], configurations: [EntityConfiguration] = [], versionIdentifiers: [String] = []
    ) throws(ModelError) {
        var assembly = try ModelAssembly(classes)
        assembly.configurations += configurations
        try self.init(entities: try assembly.entities(), configurations: assembly.configurations, versionIdentifiers: versionIdentifiers)
    }
}
