import StrataTestModels
import Testing

@testable import StrataModel

@Suite("Declaring a model")
struct ModelBuilderTests {
    private final class Widget {}

    @Test("The builder takes conditions, loops and lists of parts")
    func builder() throws {
        let flag = true
        let names = ["a", "b"]
        let model = try ManagedObjectModel(versionIdentifiers: ["v1"]) {
            Entity("Item") {
                for name in names { Attribute(name, .string) }
                if flag { Attribute("c", .integer32) } else { Attribute("never", .integer32) }
                if !flag { Attribute("nor", .integer32) }
                [Attribute("d", .date), Attribute("e", .date)]
            }
            for name in ["X", "Y"] { Entity(name) }
            EntityConfiguration("Some", "X", "Item")
        }
        #expect(model.entities.map(\.name) == ["Item", "X", "Y"])
        #expect(model.entity(named: "Item")?.attributes.map(\.name) == ["a", "b", "c", "d", "e"])
        #expect(model.versionIdentifiers == ["v1"])
        #expect(model.configurations == ["Some"])
    }

    @Test("A configuration answers its entities by index, nil answers all, an unknown one nothing")
    func configurations() throws {
        let model = try ManagedObjectModel {
            Entity("B")
            Entity("A")
            Entity("C")
            EntityConfiguration("Outer", "C", "A", "C")
            EntityConfiguration("Empty")
        }
        #expect(model.entities(inConfiguration: "Outer") == [0, 2])
        #expect(model.entities(inConfiguration: "Empty") == [])
        #expect(model.entities(inConfiguration: nil) == [0, 1, 2])
        #expect(model.entities(inConfiguration: "Other") == nil)
    }

    @Test("What is preserved on deletion is kept with the model, and of a model that preserves nothing nothing is said")
    func preservedAttributes() throws {
        func model(_ b: Attribute) throws -> ManagedObjectModel {
            try ManagedObjectModel {
                Entity("Parent") { b }
                Entity("Child", parent: "Parent") {
                    Attribute("a", .string).preservedOnDeletion
                    Attribute("c", .string).transient.preservedOnDeletion
                }
            }
        }
        let preserving = try model(Attribute("b", .string).preservedOnDeletion)
        let again = try ManagedObjectModel(encoded: preserving.encoded())
        for model in [preserving, again] {
            #expect(model.entity(named: "Parent")?.preservedAttributes.map(\.name) == ["b"])
            #expect(model.entity(named: "Child")?.preservedAttributes.map(\.name) == ["a", "b"])
        }
        let plain = try ManagedObjectModel { Entity("Parent") { Attribute("b", .string) } }.encoded()
        #expect(!String(decoding: plain, as: UTF8.self).contains("preserves"))
        #expect(try ManagedObjectModel(encoded: plain).entities[0].preservedAttributes.isEmpty)
    }

    @Test("An attribute is optional and persistent unless said otherwise, and its modifiers change copies")
    func attributeModifiers() {
        let plain = Attribute("a", .string)
        #expect(plain.isOptional)
        #expect(!plain.isTransient)
        #expect(!plain.allowsExternalStorage)
        let changed = plain.required.transient.externalStorage.renamed(from: "old").userInfo(["k": "1"]).userInfo(["k": "2", "l": "3"])
        #expect(!changed.isOptional)
        #expect(changed.isTransient)
        #expect(changed.allowsExternalStorage)
        #expect(changed.renamingIdentifier == "old")
        #expect(changed.userInfo == ["k": "2", "l": "3"])
        #expect(plain.isOptional)
        #expect(plain.renamingIdentifier == nil)
    }

    @Test("A relationship's greatest count follows its cardinality")
    func relationshipCounts() {
        #expect(Relationship("r", to: "E").maxCount == 1)
        #expect(Relationship("r", to: "E", .toMany).maxCount == 0)
        #expect(Relationship("r", to: "E", .ordered, maxCount: 4).maxCount == 4)
    }

    @Test("Default values are converted to the attribute's type")
    func defaults() throws {
        let model = try ManagedObjectModel {
            Entity("Item") {
                Attribute("d", .double, default: 3)
                Attribute("flag", .boolean, default: 1)
                Attribute("none", .string)
            }
        }
        let item = try #require(model.entity(named: "Item"))
        #expect(item.attribute(named: "d")?.defaultValue == .double(3))
        #expect(item.attribute(named: "flag")?.defaultValue == .bool(true))
        #expect(item.attribute(named: "none")?.defaultValue == .null)
    }

    @Test("A sub-entity inherits properties, constraints and the class")
    func inheritance() throws {
        let model = try ManagedObjectModel {
            Entity("Child", parent: "Parent") { Attribute("own", .string) }
            Entity("Parent", class: Widget.self) {
                Attribute("name", .string)
                Unique("name")
                FetchIndex("byName", on: "name")
            }
        }
        let child = try #require(model.entity(named: "Child"))
        let parent = try #require(model.entity(named: "Parent"))
        #expect(child.attributes.map(\.name) == ["name", "own"])
        #expect(child.objectClass == Widget.self)
        #expect(child.uniquenessConstraints.map(\.names) == [["name"]])
        #expect(child.uniquenessConstraints.first?.declaringEntity == parent.index)
        #expect(child.indexes.isEmpty)
        #expect(parent.indexes.map(\.name) == ["byName"])
        #expect(child.isKind(of: parent))
        #expect(!parent.isKind(of: child))
        #expect(child.isKind(of: child))
        #expect(child.attribute(named: "name")?.index == parent.attribute(named: "name")?.index)
    }

    @Test("A property is found by name as what it is, and as nothing else")
    func lookUp() throws {
        let model = try ManagedObjectModel {
            Entity("Item", attributes: ["a": .string], relationships: ["r": .toOne("Item")])
        }
        let item = try #require(model.entity(named: "Item"))
        #expect(item.attribute(named: "a") != nil)
        #expect(item.relationship(named: "a") == nil)
        #expect(item.relationship(named: "r") != nil)
        #expect(item.attribute(named: "r") == nil)
        #expect(item.property(named: "x") == nil)
        #expect(model.entity(named: "item") == nil)
    }
}
