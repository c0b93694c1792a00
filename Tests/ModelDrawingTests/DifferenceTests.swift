import StrataModel
import StrataModelDrawing
import StrataTestModels
import Testing

@Suite("Differences of models") struct DifferenceTests {
    private static func old() throws -> ManagedObjectModel {
        try ManagedObjectModel(versionIdentifiers: ["1"]) {
            Entity("Pet", attributes: ["name": .string, "weight": .double], relationships: ["owner": .toOne("Person.pets")])
            Entity("Person") {
                Attribute("name", .string, default: "nobody").required
                Relationship("pets", to: "Pet", inverse: "owner", .toMany)
            }
            Entity("Toy")
        }
    }

    private static func new() throws -> ManagedObjectModel {
        try ManagedObjectModel(versionIdentifiers: ["2"]) {
            Entity("Animal") {
                Attribute("label", .string).renamed(from: "name")
                Attribute("legs", .integer16, default: 4).required
                Relationship("owner", to: "Person", inverse: "pets")
            }.with { $0.renamingIdentifier = "Pet" }
            Entity("Person") {
                Attribute("name", .string, default: "somebody")
                Relationship("pets", to: "Animal", inverse: "owner", .toMany, deleteRule: .cascade)
            }
        }
    }

    @Test("Entities and properties are listed one by one, with the steps of a migration") func oneByOne() throws {
        #expect(
            ModelDifference(from: try Self.old(), to: try Self.new()).description == """
                ~ Animal: - name Pet, + name Animal, + renamed from Pet
                ~ Animal.label: - name name, + name label, + renamed from name
                + Animal.legs: attribute, integer16, required, default 4
                - Animal.weight: attribute, double, optional
                ~ Person.name: - required, - default "nobody", + optional, + default "somebody"
                ~ Person.pets: - to-many Pet, - delete rule nullify, + to-many Animal, + delete rule cascade
                - Toy
                - version identifier 1
                + version identifier 2

                A migration does this:
                    rename entity Pet to Animal
                    drop Pet.weight (loses data)
                    rename Pet.name to Animal.label
                    add Animal.legs with the default 4
                    drop entity Toy with its objects (loses data)
                """)
    }

    @Test("Equal models have no difference") func equalModels() throws {
        let difference = ModelDifference(from: try Self.old(), to: try Self.old())
        #expect(difference.isEmpty)
        #expect(difference.description == "The models are the same.")
    }

    @Test("A difference of rules changes no object") func rules() throws {
        let before = try ManagedObjectModel { Entity("A") { Attribute("a", .integer16) } }
        let after = try ManagedObjectModel { Entity("A") { Attribute("a", .integer16, validation: [.range(0...9)]) } }
        #expect(
            ModelDifference(from: before, to: after).description == """
                ~ A.a: + range 0...9

                A migration changes no object.
                """)
    }

    @Test("Where no migration can be inferred, the difference is shown all the same, and the reason") func noMigration() throws {
        let before = try ManagedObjectModel { Entity("A") { Attribute("a", .string) } }
        let after = try ManagedObjectModel { Entity("A") { Attribute("a", .integer16) } }
        let difference = ModelDifference(from: before, to: after)
        #expect(difference.changes.map(\.description) == ["~ A.a: - string, + integer16"])
        #expect(difference.plan == nil)
        #expect(difference.obstacle?.reason == .typeChange)
        #expect(difference.description.contains("No migration can be inferred: "))
    }
}
