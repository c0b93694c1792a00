import Foundation
package import StrataModel
import StrataTestModels

/// Models that tests of atomic stores share.
package enum AtomicModels {
    /// One entity with an attribute of every type.
    package static let values = Result.declared {
        Entity("Thing") {
            Attributes([
                "i16": .integer16, "i32": .integer32, "i64": .integer64, "flag": .boolean, "double": .double, "float": .float,
                "decimal": .decimal, "date": .date, "text": .string,
            ])
            Attribute("bytes", .binary).externalStorage
            Attributes(["uuid": .uuid, "link": .uri])
            Attribute("packed", .transformable, transformer: .codable([Int].self))
            Attribute("passing", .string).transient
        }
    }

    /// Every shape of relationship.
    package static let shapes = Result { try ManagedObjectModel(entities: shapesDeclarations()) }

    /// The entities of ``shapes``.
    package static func shapesDeclarations() throws -> [Entity] {
        @ModelBuilder func parts() -> [any ModelElement] {
            Entity("Person") {
                Attribute("name", .string)
                Relationships([
                    "pets": .toMany("Pet.owner"), "chores": .ordered("Chore.person"), "passport": .toOne("Passport.holder"),
                    "friends": .toMany("Person.friends"), "idols": .ordered("Person.fans"), "fans": .ordered("Person.idols"),
                    "clubs": .toMany("Club.members"), "notes": .toMany("Note"), "steps": .ordered("Note"), "boss": .toOne("Person"),
                ])
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
