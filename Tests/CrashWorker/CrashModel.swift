import FoundationEssentials
package import Strata
import StrataTestModels

/// The three parts of the graph.
///
/// Each has entities of its own, so that each can live in a store of its own.
package enum Part: String, CaseIterable, Sendable {
    case a = "A", b = "B", c = "C"

    package var batchEntity: String { "Batch\(rawValue)" }
    package var itemEntity: String { "Item\(rawValue)" }
    package var tagEntity: String { "Tag\(rawValue)" }
}

/// What one save adds to a part: ordered items, linked to the batch of the save before.
final class Batch: ManagedObject {
    static let generation = Key<Int>("generation")
    static let stamp = Key<Int>("stamp")
    static let items = ToManyOrdered<Item>("items")
    static let previous = ToOne<Batch>("previous")
    static let next = ToOne<Batch>("next")
}

final class Item: ManagedObject {
    static let number = Key<Int>("number")
    static let text = Key<String>("text")
    static let weight = Key<Double>("weight")
    static let touched = Key<Int>("touched")
    static let payload = Key<Data>("payload")
    static let batch = ToOne<Batch>("batch")
    static let tags = ToManyOrdered<Tag>("tags")
}

/// Made by the first save and changed by every later one.
final class Tag: ManagedObject {
    static let name = Key<String>("name")
    static let generation = Key<Int>("generation")
    static let items = ToMany<Item>("items")
}

package enum CrashModel {
    package static let model = Result { try make() }

    private static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: Part.allCases.flatMap(entities),
            configurations: Part.allCases.map { EntityConfiguration($0.rawValue, entities: [$0.batchEntity, $0.itemEntity, $0.tagEntity]) }
        )
    }

    private static func entities(_ part: Part) -> [Entity] {
        [
            Entity(part.batchEntity, class: Batch.self) {
                Attribute("generation", .integer64).required
                Attribute("stamp", .integer64).required
                Relationship("items", to: part.itemEntity, inverse: "batch", .ordered, deleteRule: .cascade)
                Relationship("previous", to: part.batchEntity, inverse: "next")
                Relationship("next", to: part.batchEntity, inverse: "previous")
                Unique("generation")
            },
            Entity(part.itemEntity, class: Item.self) {
                Attribute("number", .integer64).required
                Attribute("text", .string).required
                Attributes(["weight": .double, "touched": .integer64])
                Attribute("payload", .binary).externalStorage
                Relationship("batch", to: part.batchEntity, inverse: "items").required
                Relationship("tags", to: part.tagEntity, inverse: "items", .ordered)
                FetchIndex("byNumber", on: "number")
            },
            Entity(part.tagEntity, class: Tag.self) {
                Attribute("name", .string).required
                Attribute("generation", .integer64).required
                Relationship("items", to: part.itemEntity, inverse: "tags", .toMany)
                Unique("name")
            },
        ]
    }
}
