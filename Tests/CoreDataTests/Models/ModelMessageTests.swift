import CoreData
import StrataTestSupport
import Testing

/// A class whose name another file's class has, for `ModelClassTests`.
private class DoublyNamedThing: NSManagedObject {}

/// Each message of a model in code that is refused.
@Suite("Messages of models in code")
struct ModelMessageTests {
    private static let parts: [(String, @Sendable (NSEntityDescription) -> Void)] = [
        ("an entity has no name", { $0.name = nil }),
        ("no store keeps attributes of the type …", { $0.properties = [PeopleModel.attribute("id", .objectIDAttributeType)] }),
        ("an entity has attributes, relationships and fetched properties", { $0.properties = [NSPropertyDescription()] }),
        ("the relationship has no destination entity", { $0.properties = [NSRelationshipDescription()] }),
        ("the fetched property has no request of an entity", { $0.properties = [NSFetchedPropertyDescription()] }),
        ("a uniqueness constraint is over names or descriptions of attributes", { $0.uniquenessConstraints = [[1]] }),
        (
            "an element of the index is over nothing",
            // The index does not hold the attribute.
            { $0.indexes = [PeopleModel.index("byName", over: PeopleModel.attribute("name", .stringAttributeType))] }
        ),
    ]

    @Test("Of an entity or a property", arguments: parts)
    func part(_ message: String, _ change: @Sendable (NSEntityDescription) -> Void) {
        let entity = PeopleModel.entity("Person")
        change(entity)
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let reason = reasonOfError { _ = try NSMappingModel.inferredMappingModel(forSourceModel: model, destinationModel: model) }
        #expect(masked(reason, "…\(message)…") == "…\(message)…")
    }
}
