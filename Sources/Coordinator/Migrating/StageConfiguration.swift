package import StrataModel
package import StrataStore

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
