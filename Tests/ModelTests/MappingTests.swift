import StrataModel
import StrataTestModels
import Testing

@Suite("Mappings between versions of a model")
struct MappingTests {
    private func model(@ModelBuilder _ parts: () -> [any ModelElement]) throws -> ManagedObjectModel {
        try ManagedObjectModel(versionIdentifiers: [], parts)
    }

    private func plan(_ old: ManagedObjectModel, _ new: ManagedObjectModel) throws -> [String] {
        try MappingModel.inferred(from: old, to: new).plan.steps.map(\.description)
    }

    @Test("A plan names what is added, dropped, renamed, converted, moved and required, and what loses data")
    func steps() throws {
        let old = try model {
            Entity("Person") {
                Attributes(["name": .string, "age": .integer16, "note": .string])
                Relationships(["pets": .toMany("Pet.owner"), "boss": .toOne("Person")])
            }
            Entity("Pet", attributes: ["name": .string], relationships: ["owner": .toOne("Person.pets")])
            Entity("Bill")
        }
        let new = try model {
            Entity("Being", isAbstract: true) { Attribute("name", .string) }
            Entity("Human", parent: "Being") {
                Attribute("years", .integer64).renamed(from: "age")
                Attribute("email", .string)
                Attribute("rank", .integer16, default: 1).required
                Relationships(["pets": .toOne("Pet.owner"), "boss": .toOne("Human.secretary"), "secretary": .toOne("Human.boss")])
                Unique("email")
            }.with { $0.renamingIdentifier = "Person" }
            Entity("Pet", parent: "Being") { Relationship("owner", to: "Human", inverse: "pets").required }
        }
        let found = try plan(old, new)
        #expect(
            found == [
                "add entity Being",
                "rename entity Person to Human",
                "move entity Human from the top to Being",
                "drop Person.note (loses data)",
                "let one object at most lead to each by Human.boss (loses data)",
                "add Human.email",
                "convert Human.pets from to-many to to-one (loses data)",
                "add Human.rank with the default 1",
                "add Human.secretary",
                "rename Person.age to Human.years",
                "convert Human.years from integer16 to integer64",
                "require that Human.email is unique",
                "move entity Pet from the top to Being",
                "require a destination of Pet.owner",
                "drop entity Bill with its objects (loses data)",
            ])
    }

    @Test("A property that moves within the hierarchy is no step, nor is an inverse equal to a dropped one")
    func silence() throws {
        let up = try model {
            Entity("Base") { Attributes(["low": .string, "high": .integer16]) }
            Entity("Left", parent: "Base") { Relationship("back", to: "Right") }
            Entity("Right", parent: "Base")
        }
        let withBack = try model {
            Entity("Base") { Attribute("low", .string) }
            Entity("Left", parent: "Base", attributes: ["high": .integer16], relationships: ["back": .toOne("Right.others")])
            Entity("Right", parent: "Base", attributes: ["high": .integer16], relationships: ["others": .toMany("Left.back")])
        }
        let steps = try MappingModel.inferred(from: withBack, to: up).plan.steps
        #expect(steps.allSatisfy { !$0.losesData }, "\(steps)")
        #expect(steps.map(\.description).contains("drop Right.others"))
    }

    @Test("An equal model asks for nothing")
    func nothing() throws {
        let old = try model { Entity("Person") { Attribute("name", .string).renamed(from: "title") } }
        let mapping = try MappingModel.inferred(from: old, to: old)
        #expect(mapping.plan.isEmpty)
        #expect(mapping.entityMappings.map(\.kind) == [.copy])
    }

    @Test("Two that were renamed from the same are refused by name")
    func ambiguity() throws {
        let old = try model { Entity("Person") { Attribute("name", .string) } }
        let attributes = try model {
            Entity("Person") {
                Attribute("first", .string).renamed(from: "name")
                Attribute("last", .string).renamed(from: "name")
            }
        }
        let error = try #require(throws: MappingError.self) { try MappingModel.inferred(from: old, to: attributes) }
        #expect([error.entity, error.property, "\(error.reason)"] == ["Person", "last", "ambiguousRenaming"])
        let entities = try model {
            Entity("A").with { $0.renamingIdentifier = "Person" }
            Entity("B").with { $0.renamingIdentifier = "Person" }
        }
        #expect(throws: MappingError.self) { try MappingModel.inferred(from: old, to: entities) }
    }

    @Test(
        "A type changes where the new one has every value of the old one",
        arguments: AttributeType.allCases.filter { $0 != .undefined && $0 != .composite })
    func types(_ type: AttributeType) throws {
        let wider: [AttributeType: Set<AttributeType>] = [
            .integer16: [.integer32, .integer64, .float, .double, .decimal], .integer32: [.integer64, .double, .decimal],
            .integer64: [.decimal], .float: [.double], .boolean: [.integer16, .integer32, .integer64], .uri: [.string], .uuid: [.string],
        ]
        let old = try model { Entity("Thing") { Attribute("value", type) } }
        for other in AttributeType.allCases where other != .undefined && other != .composite {
            let new = try model { Entity("Thing") { Attribute("value", other) } }
            let isPossible = (try? MappingModel.inferred(from: old, to: new)) != nil
            #expect(isPossible == (other == type || wider[type]?.contains(other) == true), "\(other)")
        }
    }

    @Test("An attribute that takes a relationship's name has none of its links")
    func kinds() throws {
        let old = try model { Entity("Thing") { Relationship("next", to: "Thing") } }
        let new = try model { Entity("Thing") { Attribute("next", .string) } }
        #expect(try plan(old, new) == ["drop Thing.next (loses data)", "add Thing.next"])
    }
}
