import Foundation
package import StrataModel

/// Models that tests of atomic stores share.
package enum AtomicModels {
    /// One entity with an attribute of every type.
    package static let values = Result {
        try ManagedObjectModel {
            Entity("Thing") {
                Attribute("i16", .integer16)
                Attribute("i32", .integer32)
                Attribute("i64", .integer64)
                Attribute("flag", .boolean)
                Attribute("double", .double)
                Attribute("float", .float)
                Attribute("decimal", .decimal)
                Attribute("date", .date)
                Attribute("text", .string)
                Attribute("bytes", .binary).externalStorage
                Attribute("uuid", .uuid)
                Attribute("link", .uri)
                Attribute("packed", .transformable, transformer: .codable([Int].self))
                Attribute("passing", .string).transient
            }
        }
    }

    /// Every shape of relationship.
    package static let shapes = Result { try ManagedObjectModel(entities: shapesDeclarations()) }

    /// The entities of ``shapes``.
    package static func shapesDeclarations() throws -> [Entity] {
        @ModelBuilder func parts() -> [any ModelElement] {
            Entity("Person") {
                Attribute("name", .string)
                Relationship("pets", to: "Pet", inverse: "owner", .toMany)
                Relationship("chores", to: "Chore", inverse: "person", .ordered)
                Relationship("passport", to: "Passport", inverse: "holder")
                Relationship("friends", to: "Person", inverse: "friends", .toMany)
                Relationship("idols", to: "Person", inverse: "fans", .ordered)
                Relationship("fans", to: "Person", inverse: "idols", .ordered)
                Relationship("clubs", to: "Club", inverse: "members", .toMany)
                Relationship("notes", to: "Note", .toMany)
                Relationship("steps", to: "Note", .ordered)
                Relationship("boss", to: "Person")
            }
            Entity("Pet", isAbstract: true) { Relationship("owner", to: "Person", inverse: "pets") }
            Entity("Dog", parent: "Pet") { Attribute("barks", .boolean) }
            Entity("Cat", parent: "Pet")
            Entity("Child", parent: "Person") { Relationship("favourite", to: "Pet") }
            Entity("Chore") { Relationship("person", to: "Person", inverse: "chores") }
            Entity("Passport") { Relationship("holder", to: "Person", inverse: "passport") }
            Entity("Club") { Relationship("members", to: "Person", inverse: "clubs", .ordered, minCount: 1) }
            Entity("Note")
        }
        return parts().compactMap { $0 as? Entity }
    }
}
