import StrataModel
import StrataStore

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
