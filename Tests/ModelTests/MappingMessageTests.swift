import StrataModel
import StrataTestModels
import Testing

/// Each message of a mapping that does not fit the models, or cannot be inferred.
@Suite("Messages of mappings between models")
struct MappingMessageTests {
    private let old: ManagedObjectModel
    private let new: ManagedObjectModel

    init() throws {
        old = try ManagedObjectModel {
            Entity("Person", attributes: ["name": .string, "age": .string], relationships: ["boss": .toOne("Person")])
        }
        new = try ManagedObjectModel {
            Entity("Person") { Attributes(["name": .string, "years": .integer16, "boss": .string]) }
        }
    }

    private func message(@EntityMappingBuilder _ mappings: () -> [EntityMapping]) -> String? {
        do throws(MappingError) {
            _ = try MappingModel(from: old, to: new, infersRest: false, mappings)
            return nil
        } catch { return error.description }
    }

    private func message(of property: PropertyMapping) -> String? {
        message { EntityMapping(from: "Person", to: "Person") { property } }
    }

    @Test("Of a name that a model does not have, or that two have")
    func names() {
        #expect(
            message { EntityMapping("M", from: "Dog", to: "Person") }
                == "there is no mapping for Dog: the source has no such entity (mapping M)")
        #expect(
            message { EntityMapping("M", from: "Person", to: "Dog") }
                == "there is no mapping for Dog: the destination has no such entity (mapping M)")
        let twice = message {
            EntityMapping("M", from: "Person", to: "Person")
            EntityMapping("M", from: "Person", to: "Person")
        }
        #expect(twice == "there is no mapping for Person: two mappings have the name M")
        #expect(
            message(of: PropertyMapping("shoe", origin: .defaultValue))
                == "there is no mapping for Person.shoe: the destination has no such property (mapping PersonToPerson)")
        #expect(
            message(of: PropertyMapping("name", origin: .property("shoe")))
                == "there is no mapping for Person.name: the source's entity Person has no property shoe (mapping PersonToPerson)")
        let mappedTwice = message {
            EntityMapping(from: "Person", to: "Person") {
                PropertyMapping("name", origin: .defaultValue)
                PropertyMapping("name", origin: .defaultValue)
            }
        }
        #expect(mappedTwice == "there is no mapping for Person.name: it is mapped twice (mapping PersonToPerson)")
    }

    @Test("Of a property of another type or kind")
    func types() {
        #expect(
            message(of: PropertyMapping("years", origin: .property("age")))
                == "there is no mapping for Person.years: the type changes from string to integer16")
        #expect(
            message(of: PropertyMapping("boss", origin: .property("boss")))
                == "there is no mapping for Person.boss: boss of Person is of another kind of property")
    }

    @Test("Of two properties that were renamed from one")
    func renaming() throws {
        let ambiguous = try ManagedObjectModel {
            Entity("Person") {
                Attribute("first", .string).renamed(from: "name")
                Attribute("last", .string).renamed(from: "name")
            }
        }
        let error = #expect(throws: MappingError.self) { try MappingModel.inferred(from: old, to: ambiguous) }
        #expect(error?.description == "there is no mapping for Person.last: first was renamed from name too")
    }
}
