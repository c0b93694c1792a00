import StrataModel
import StrataStore

/// The model that a store was made with, and the configuration of it that the store holds.
struct HeldEntities {
    let model: ManagedObjectModel
    let configuration: String?

    init(of metadata: StoreMetadata, _ model: ManagedObjectModel) throws {
        let names = model.entities.map(\.name).filter { metadata.versionHashes[$0] != nil }
        if names.count == model.entities.count || names.isEmpty {
            self.model = model
            configuration = nil
            return
        }
        // The store tells which entities it holds, not what that configuration was called.
        var name = "of the store"
        while model.configurations.contains(name) { name += " itself" }
        let declarations = model.declarations
        self.model = try ManagedObjectModel(
            entities: declarations.entities, configurations: declarations.configurations + [EntityConfiguration(name, entities: names)],
            fetchTemplates: declarations.fetchTemplates, versionIdentifiers: model.versionIdentifiers)
        configuration = name
    }
}
