package import StrataStore

extension StoreDescription.SourceVersion {
    /// - Parameter model: The model that the store was made with, which may have more entities.
    init(of metadata: StoreMetadata, _ model: ManagedObjectModel) throws {
        let names = model.entities.map(\.name).filter { metadata.versionHashes[$0] != nil }
        if names.count == model.entities.count || names.isEmpty {
            self.init(model: model, configuration: nil)
            return
        }
        // The store records its entities, but not the name of its configuration.
        var name = "of the store"
        while model.configurations.contains(name) { name += " itself" }
        let declarations = model.declarations
        let held = try ManagedObjectModel(
            entities: declarations.entities, configurations: declarations.configurations + [EntityConfiguration(name, entities: names)],
            fetchTemplates: declarations.fetchTemplates, versionIdentifiers: model.versionIdentifiers)
        self.init(model: held, configuration: name)
    }
}

extension StoreDescription {
    /// Returns the description for a store at an intermediate version of its model: a version without the configuration
    /// uses one of the same entities, or none.
    package func passing(_ model: ManagedObjectModel, _ metadata: StoreMetadata) -> StoreDescription {
        guard model.entities(inConfiguration: configuration) == nil else { return self }
        var passing = self
        let names = Set(metadata.versionHashes.keys)
        passing.configuration = model.configurations.first { name in
            Set((model.entities(inConfiguration: name) ?? []).map { model.entities[$0].name }) == names
        }
        return passing
    }
}
