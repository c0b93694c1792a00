import StrataModel
import Testing

@Suite("Bytes of version hashes")
struct VersionHashBytesTests {
    @Test("The second implementation has the digest of FIPS 180-4")
    func reference() {
        #expect(ReferenceHash.sha256(Array("abc".utf8)) == SHA2.digest256(Array("abc".utf8)))
        let long = [UInt8](repeating: 7, count: 200)
        #expect(ReferenceHash.sha256(long) == SHA2.digest256(long))
    }

    @Test(
        "An attribute of every type has the hash of Core Data",
        arguments: [
            (AttributeType.integer16, 100), (.integer32, 200), (.integer64, 300), (.decimal, 400), (.double, 500), (.float, 600),
            (.string, 700), (.boolean, 800), (.date, 900), (.binary, 1000), (.uuid, 1100), (.uri, 1200), (.transformable, 1800),
        ] as [(AttributeType, UInt16)])
    func types(_ type: AttributeType, _ number: UInt16) throws {
        let model = try ManagedObjectModel { Entity("E") { Attribute("a", type) } }
        #expect(model.entity(named: "E")?.versionHash == ReferenceHash.entity("E", [ReferenceHash.attribute("a", number)]))
    }

    @Test("Options of attributes are in their hashes, and in no other order")
    func attributes() {
        let data = Attribute("data", .binary).externalStorage
        #expect(VersionHash.of(data) == ReferenceHash.attribute("data", 1000, external: true))
        #expect(VersionHash.of(data.preservedOnDeletion) == ReferenceHash.attribute("data", 1000, external: true, preserved: true))
        let name = Attribute("name", .string).required.preservedOnDeletion.with { $0.versionHashModifier = "né" }
        #expect(VersionHash.of(name) == ReferenceHash.attribute("name", 700, optional: false, modifier: "né", preserved: true))
    }

    @Test("A derived attribute has the hash of its expression's description, a composite one that of its elements")
    func computed() {
        func text(_ text: String) -> [UInt8] { ReferenceHash.sha256(Array(text.utf8)) }
        #expect(VersionHash.of(Attribute("count", .integer16).derived("pages.@count")) == text("count:(pages)"))
        #expect(VersionHash.of(Attribute("title", .string).derived("book.title")) == text("book.title"))
        let composite = Attribute("colors") {
            Attribute("z", .string)
            Attribute("a", .integer16).required
            Attribute("t", .string).transient
        }
        let elements = ReferenceHash.attribute("a", 100, optional: false) + ReferenceHash.attribute("z", 700)
        #expect(VersionHash.of(composite) == ReferenceHash.sha256(elements))
        #expect(VersionHash.of(composite.required) == ReferenceHash.sha256(elements))
    }

    @Test("Relationships have their destination, inverse, counts and order in their hashes")
    func relationships() {
        let owner = Relationship("owner", to: "Person", inverse: "pets").required
        #expect(
            VersionHash.of(owner, in: "Pet")
                == ReferenceHash.relationship("owner", to: "Person", inverse: "pets", most: 1, optional: false))
        let pets = Relationship("pets", to: "Pet", inverse: "owner", .ordered, minCount: 2, maxCount: 9).with {
            $0.versionHashModifier = "2"
        }
        #expect(
            VersionHash.of(pets, in: "Person")
                == ReferenceHash.relationship("pets", to: "Pet", inverse: "owner", most: 9, least: 2, modifier: "2", ordered: true))
        // Core Data's models may have a to-one relationship as ordered.
        #expect(
            VersionHash.of(owner.with { $0.hasIgnoredOrder = true }, in: "Pet")
                == ReferenceHash.relationship("owner", to: "Person", inverse: "pets", most: 1, optional: false, ordered: true))
        let friends = Relationship("friends", to: "Person", inverse: "friends", .toMany)
        #expect(VersionHash.of(friends, in: "Person") == ReferenceHash.relationship("friends", to: "Person", most: 0))
        #expect(
            VersionHash.of(friends, in: "Child") == ReferenceHash.relationship("friends", to: "Person", inverse: "friends", most: 0))
    }

    @Test("An entity has its ancestors, all persistent properties and its constraints in its hash")
    func entities() throws {
        let model = try ManagedObjectModel {
            Entity("Base") {
                Attribute("b", .string)
                Attribute("ä", .date)
                Attribute("unsaved", .string).transient
            }.with { $0.isAbstract = true }
            Entity("Leaf", parent: "Base") {
                Attribute("Z", .boolean)
                Attribute("c", .string)
                Relationship("base", to: "Base")
                FetchedProperty("others", to: "Base")
                Unique("c", "Z")
                Unique("b")
            }.with { $0.versionHashModifier = "m" }
        }
        let (b, umlaut) = (ReferenceHash.attribute("b", 700), ReferenceHash.attribute("ä", 900))
        let base = ReferenceHash.entity("Base", abstract: true, [b, umlaut])
        #expect(model.entity(named: "Base")?.versionHash == base)
        let leaf = ReferenceHash.entity(
            "Leaf", parent: base,
            [
                ReferenceHash.attribute("Z", 800), b, ReferenceHash.relationship("base", to: "Base", most: 1),
                ReferenceHash.attribute("c", 700), umlaut,
            ], modifier: "m", constraints: "bc.Z")
        #expect(model.entity(named: "Leaf")?.versionHash == leaf)
        let hashes = ["Leaf": leaf, "Base": base]
        #expect(model.entityVersionHashesByName == hashes)
        #expect(VersionHash.checksum(of: hashes) == ReferenceHash.sha256(base + leaf))
        #expect(VersionHash.digest(of: hashes) == SHA2.digest512(Array("Base".utf8) + base + Array("Leaf".utf8) + leaf))
    }

    @Test("What decides the layout of rows, and is in no version hash, has a hash of its own")
    func layout() throws {
        func model(_ attribute: Attribute) throws -> ManagedObjectModel {
            try ManagedObjectModel {
                Entity("Plain") { Attribute("a", .string) }
                Entity("Base") { attribute }
                Entity("Leaf", parent: "Base") { Relationship("buddy", to: "Leaf") }
            }
        }
        func hashes(_ model: ManagedObjectModel) -> [String: [UInt8]] { model.layoutHashes(of: model.entities.typedIndices()) }
        let element = Attribute("x", .string)
        let (colors, palette) = (try model(Attribute("colors") { element }), try model(Attribute("palette") { element }))
        #expect(colors.entityVersionHashesByName == palette.entityVersionHashesByName)
        #expect(hashes(colors).keys.sorted() == ["Base", "Leaf"])
        #expect(hashes(colors)["Base"] != hashes(palette)["Base"])
        let (count, number) = (Attribute("count", .integer16).derived("a"), Attribute("number", .integer32).derived("a"))
        #expect(try model(count).entityVersionHashesByName == model(number).entityVersionHashesByName)
        #expect(try hashes(model(count))["Base"] != hashes(model(number))["Base"])
        #expect(try hashes(model(element)).isEmpty)
    }
}
