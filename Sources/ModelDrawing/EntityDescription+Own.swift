import StrataModel

extension EntityDescription {
    /// The attributes that the entity declares itself.
    var ownAttributes: [AttributeDescription] { attributes.filter { $0.declaringEntity == index } }
    /// The relationships that the entity declares itself, without hidden ones.
    var ownRelationships: [RelationshipDescription] { relationships.filter { $0.declaringEntity == index } }

    /// The fetched properties that the entity declares itself.
    func ownFetchedProperties(in model: ManagedObjectModel) -> [FetchedProperty] {
        let inherited = Set(superentity.map { model.entities[$0].fetchedProperties.map(\.name) } ?? [])
        return fetchedProperties.filter { !inherited.contains($0.name) }
    }
}

extension AttributeDescription {
    /// The type in a few letters, with a question mark where there may be no value.
    var shortType: String { "\(type)" + (isOptional ? "?" : "") }
}
