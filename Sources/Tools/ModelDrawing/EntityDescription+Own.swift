import StrataModel

extension EntityDescription {
    var ownAttributes: [AttributeDescription] { attributes.filter { $0.declaringEntity == index } }
    /// The entity's own relationships, without hidden ones.
    var ownRelationships: [RelationshipDescription] { relationships.filter { $0.declaringEntity == index } }

    func ownFetchedProperties(in model: ManagedObjectModel) -> [FetchedProperty] {
        let inherited = Set(superentity.map { model.entities[$0].fetchedProperties.map(\.name) } ?? [])
        return fetchedProperties.filter { !inherited.contains($0.name) }
    }
}

extension AttributeDescription {
    /// The abbreviated type, with a question mark if it is optional.
    var shortType: String { "\(type)" + (isOptional ? "?" : "") }
}
