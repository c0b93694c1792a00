import Strata
import StrataTestModels

/// Owners whose deletion deletes items over every kind of relationship.
enum CascadeModel {
    static let model = ModelResult.declared {
        Entity("Owner") {
            Attribute("name", .string)
            Relationship("items", to: "Item", inverse: "owner", .toMany, deleteRule: .cascade)
            Relationship("steps", to: "Item", inverse: "stepOf", .ordered, deleteRule: .cascade)
            Relationship("extras", to: "Item", .toMany, deleteRule: .cascade)
            Relationship("links", to: "Item", inverse: "linkedBy", .toMany, deleteRule: .cascade)
            Relationship("ranked", to: "Item", inverse: "rankedBy", .ordered, deleteRule: .cascade)
            Relationship("star", to: "Item", inverse: "starOf", deleteRule: .cascade)
            Relationship("tags", to: "Item", inverse: "taggedBy", .toMany)
        }
        Entity("Item") {
            Attribute("name", .string)
            Relationships([
                "owner": .toOne("Owner.items"), "stepOf": .toOne("Owner.steps"), "linkedBy": .toMany("Owner.links"),
                "rankedBy": .toMany("Owner.ranked"), "starOf": .toOne("Owner.star"), "taggedBy": .toOne("Owner.tags"),
                "reference": .toOne("Owner"),
            ])
        }
    }
}
