package import StrataModel
package import StrataStore

extension StoreDescription {
    /// What describes a store that is opened with a version of its model which it only passes through: a version that does not have the
    /// configuration yet, or any more, has the store by the one of the same entities, or else as a whole.
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
