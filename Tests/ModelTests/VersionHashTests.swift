import StrataModel
import StrataTestModels
import Testing

@Suite("Version hashes")
struct VersionHashTests {
    private static let base = Entity("Item") {
        Attributes(["a": .string, "b": .integer16])
        Relationship("r", to: "Other", inverse: "items")
    }

    private func hashes(_ item: Entity, _ other: (inout Entity) -> Void = { _ in }) throws -> [String: [UInt8]] {
        let destination = Entity("Other") { Relationship("items", to: "Item", inverse: "r", .toMany) }.with(other)
        return try ManagedObjectModel(entities: [item, destination, Entity("Super")]).entityVersionHashesByName
    }

    @Test("A hash has 32 bytes and is the same for the same declaration, whatever the order of its parts")
    func stable() throws {
        let reversed = VersionHashTests.base.with { $0.attributes.reverse() }
        #expect(try hashes(VersionHashTests.base)["Item"]?.count == 32)
        #expect(try hashes(VersionHashTests.base) == hashes(reversed))
    }

    @Test("What matters to stored data changes the hash")
    func changes() throws {
        let changes: [(String, @Sendable (inout Entity) -> Void)] = [
            ("an attribute's type", { $0.attributes[1].type = .integer32 }),
            ("an attribute's optionality", { $0.attributes[0].isOptional = false }),
            ("an attribute's transience", { $0.attributes[0].isTransient = true }),
            ("an attribute's name", { $0.attributes[0].name = "z" }),
            ("an attribute's modifier", { $0.attributes[0].versionHashModifier = "2" }),
            ("a new attribute", { $0.attributes.append(Attribute("c", .date)) }),
            ("preservation on deletion", { $0.attributes[0].preservesValueInHistoryOnDeletion = true }),
            ("abstractness", { $0.isAbstract = true }),
            ("the parent", { $0.parent = "Super" }),
            ("a constraint", { $0.uniquenessConstraints.append(Unique("a")) }),
            ("the modifier", { $0.versionHashModifier = "2" }),
            ("a relationship's optionality", { $0.relationships[0].isOptional = false }),
            ("a relationship's count", { $0.relationships[0].minCount = 1 }),
            ("a relationship's modifier", { $0.relationships[0].versionHashModifier = "2" }),
            ("a new relationship", { $0.relationships.append(Relationship("s", to: "Other")) }),
        ]
        var seen: [[UInt8]?: String] = [try hashes(VersionHashTests.base)["Item"]: "the base"]
        for (what, change) in changes {
            let hash = try hashes(VersionHashTests.base.with { change(&$0) })["Item"]
            #expect(seen.updateValue(what, forKey: hash) == nil, "\(what)")
        }
    }

    @Test("The order of a relationship changes the hash")
    func ordered() throws {
        let ordered = try hashes(VersionHashTests.base) { $0.relationships[0].cardinality = .ordered }
        #expect(try ordered["Other"] != hashes(VersionHashTests.base)["Other"])
        #expect(try ordered["Item"] == hashes(VersionHashTests.base)["Item"])
    }

    @Test("What does not matter to stored data leaves the hash")
    func unchanged() throws {
        let changes: [@Sendable (inout Entity) -> Void] = [
            { $0.attributes[0].defaultValue = "x" },
            { $0.attributes[0].validation = [.length(1...3)] },
            { $0.attributes[0].userInfo = ["k": "v"] },
            { $0.attributes[0].renamingIdentifier = "old" },
            { $0.relationships[0].deleteRule = .cascade },
            { $0.indexes = [FetchIndex("i", on: "a")] },
            { $0.fetchedProperties = [FetchedProperty("f", to: "Other")] },
            { $0.userInfo = ["k": "v"] },
            { $0.objectClass = Widget.self },
        ]
        let base = try hashes(VersionHashTests.base)["Item"]
        for change in changes { #expect(try hashes(VersionHashTests.base.with { change(&$0) })["Item"] == base) }
    }

    @Test("A change of the parent changes the hashes of its children, and of no one else")
    func inherited() throws {
        func model(_ type: AttributeType) throws -> [String: [UInt8]] {
            try ManagedObjectModel {
                Entity("Parent") { Attribute("a", type) }
                Entity("Child", parent: "Parent")
                Entity("Other")
            }.entityVersionHashesByName
        }
        let (before, after) = (try model(.string), try model(.date))
        #expect(before["Child"] != after["Child"])
        #expect(before["Parent"] != after["Parent"])
        #expect(before["Other"] == after["Other"])
    }

    private final class Widget {}
}
