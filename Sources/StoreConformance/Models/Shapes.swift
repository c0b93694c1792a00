import Strata

extension Models {
    /// A node with every shape of relationship to itself, and to leaves.
    static let shapes: ModelResult = Result {
        try ManagedObjectModel {
            Entity("Node") {
                Attribute("name", .string)
                Relationship("twin", to: "Node", inverse: "twin")
                Relationship("next", to: "Node", inverse: "previous")
                Relationship("previous", to: "Node", inverse: "next")
                Relationship("parent", to: "Node", inverse: "children")
                Relationship("children", to: "Node", inverse: "parent", .ordered)
                Relationship("peers", to: "Node", inverse: "peers", .toMany)
                Relationship("ranked", to: "Node", inverse: "ranked", .ordered)
                Relationship("likes", to: "Node", inverse: "likedBy", .toMany)
                Relationship("likedBy", to: "Node", inverse: "likes", .toMany)
                Relationship("bookmark", to: "Leaf")
                Relationship("basket", to: "Leaf", .toMany)
                Relationship("queue", to: "Leaf", .ordered)
                Relationship("partner", to: "Leaf", inverse: "partner")
                Relationship("leaves", to: "Leaf", inverse: "node", .toMany)
                Relationship("playlist", to: "Leaf", inverse: "playedBy", .ordered)
                Relationship("shelf", to: "Leaf", inverse: "shelves", .ordered)
                Relationship("tags", to: "Leaf", inverse: "tagged", .toMany)
            }
            Entity("Leaf") {
                Attribute("name", .string)
                Relationship("partner", to: "Node", inverse: "partner")
                Relationship("node", to: "Node", inverse: "leaves")
                Relationship("playedBy", to: "Node", inverse: "playlist", .toMany)
                Relationship("shelves", to: "Node", inverse: "shelf", .ordered)
                Relationship("tagged", to: "Node", inverse: "tags", .toMany)
            }
        }
    }
}
