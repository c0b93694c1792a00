import Strata
import StrataTestModels

extension Models {
    /// A node with every shape of relationship to itself, and to leaves.
    static let shapes = ModelResult.declared {
        Entity("Node") {
            Attribute("name", .string)
            Relationships([
                "twin": .toOne("Node.twin"), "next": .toOne("Node.previous"), "previous": .toOne("Node.next"),
                "parent": .toOne("Node.children"), "children": .ordered("Node.parent"), "peers": .toMany("Node.peers"),
                "ranked": .ordered("Node.ranked"), "likes": .toMany("Node.likedBy"), "likedBy": .toMany("Node.likes"),
                "bookmark": .toOne("Leaf"), "basket": .toMany("Leaf"), "queue": .ordered("Leaf"),
                "partner": .toOne("Leaf.partner"), "leaves": .toMany("Leaf.node"), "playlist": .ordered("Leaf.playedBy"),
                "shelf": .ordered("Leaf.shelves"), "tags": .toMany("Leaf.tagged"),
            ])
        }
        Entity("Leaf") {
            Attribute("name", .string)
            Relationships([
                "partner": .toOne("Node.partner"), "node": .toOne("Node.leaves"), "playedBy": .toMany("Node.playlist"),
                "shelves": .ordered("Node.shelf"), "tagged": .toMany("Node.tags"),
            ])
        }
    }
}
