import StrataModel
import StrataTestModels
import Testing

@Suite("Numbers, layouts and link tables")
struct LayoutTests {
    private let model: ManagedObjectModel

    init() throws {
        model = try ManagedObjectModel {
            Entity("Person") {
                Attribute("name", .string)
                Attribute("note", .string).transient
                Attribute("Age", .integer16)
                Relationships([
                    "pets": .ordered("Animal.owner"), "friends": .toMany("Person.friends"), "follows": .ordered("Person.followers"),
                    "followers": .toMany("Person.follows"),
                ])
                Relationship("scratch", to: "Person").with { $0.isTransient = true }
                FetchIndex("byAge", on: .init("Age", ascending: false), "name")
            }
            Entity("Animal", isAbstract: true) {
                Attribute("legs", .integer16)
                Relationship("owner", to: "Person", inverse: "pets")
                FetchIndex("byOwner", on: "owner")
            }
            Entity("dog", parent: "Animal") { Attribute("trick", .string) }
            Entity("Cat", parent: "Animal") { Attribute("lives", .integer32) }
            Entity("Kitten", parent: "Cat") { Attribute("age", .double) }
            Entity("Album") {
                Relationships(["shows": .toMany("Animal"), "cover": .toOne("Animal"), "tags": .toMany("Tag.albums")])
            }
            Entity("Tag") { Relationship("albums", to: "Album", inverse: "tags", .toMany) }
        }
    }

    private func entity(_ name: String) throws -> EntityDescription { try #require(model.entity(named: name)) }

    // MARK: - Numbers

    @Test("Entities are numbered in pre-order, siblings by name without regard to case")
    func preOrder() {
        #expect(model.entities.map(\.name) == ["Album", "Animal", "Cat", "Kitten", "dog", "Person", "Tag"])
        #expect(model.entities.map(\.index) == Array(0..<7))
    }

    @Test("The order of the declarations does not matter, and names that differ in case alone have a fixed order")
    func orderOfDeclarations() throws {
        let names = ["b", "B", "a", "C"]
        let forward = try ManagedObjectModel(entities: names.map { Entity($0) })
        let backward = try ManagedObjectModel(entities: names.reversed().map { Entity($0) })
        #expect(forward.entities.map(\.name) == ["a", "B", "b", "C"])
        #expect(backward.entities.map(\.name) == forward.entities.map(\.name))
    }

    @Test("An entity knows its hierarchy, its root, its parent and its children")
    func hierarchies() throws {
        let animal = try entity("Animal")
        #expect(animal.hierarchy == 1..<5)
        #expect(animal.subentities == [2, 4])
        #expect(animal.superentity == nil)
        #expect(animal.isAbstract)
        let kitten = try entity("Kitten")
        #expect(kitten.hierarchy == 3..<4)
        #expect(kitten.superentity == 2)
        #expect(kitten.root == 1)
        #expect(kitten.rootName == "Animal")
        #expect(try entity("Cat").hierarchy == 2..<4)
    }

    @Test("Own properties follow inherited ones, by the bytes of their names")
    func propertyOrder() throws {
        #expect(
            try entity("Person").properties.map(\.name)
                == ["Age", "followers", "follows", "friends", "name", "note", "pets", "scratch"]
        )
        let kitten = try entity("Kitten")
        #expect(kitten.properties.map(\.name) == ["Album.shows", "legs", "owner", "lives", "age"])
        #expect(kitten.properties.map(\.index) == Array(0..<5))
    }

    // MARK: - Layouts

    @Test("A parent's slots are a prefix of its children's")
    func prefix() {
        for entity in model.entities {
            guard let parent = entity.superentity.map({ model.entities[$0] }) else { continue }
            #expect(Array(entity.layout.slots.prefix(parent.layout.slots.count)) == parent.layout.slots)
            #expect(Array(entity.properties.prefix(parent.properties.count)).map(\.name) == parent.properties.map(\.name))
        }
    }

    @Test("A to-one relationship has a reference, an entity where there is a choice, and an order where the inverse is ordered")
    func toOneSlots() throws {
        let owner = try #require(try entity("Animal").relationship(named: "owner"))
        guard case .toOne(let reference, nil, let order?) = owner.storage else {
            Issue.record("\(owner.storage)")
            return
        }
        let slots = try entity("Animal").layout.slots
        #expect(slots[reference] == SlotDescription(kind: .reference, property: owner.index))
        #expect(slots[order] == SlotDescription(kind: .order, property: owner.index))

        let cover = try #require(try entity("Album").relationship(named: "cover"))
        guard case .toOne(let coverReference, let coverEntity?, nil) = cover.storage else {
            Issue.record("\(cover.storage)")
            return
        }
        #expect(try entity("Album").layout.slots[coverReference].kind == .reference)
        #expect(try entity("Album").layout.slots[coverEntity].kind == .entity)
    }

    @Test("Transient properties and to-many relationships have no slot")
    func slotless() throws {
        let person = try entity("Person")
        #expect(person.layout.slots.map(\.kind) == [.integer, .string])
        #expect(person.attribute(named: "note")?.slot == nil)
        #expect(person.relationship(named: "scratch").map { $0.storage == .none } == true)
        #expect(person.propertySlots[try #require(person.property(named: "note")).index].slot == nil)
        #expect(person.propertySlots[try #require(person.property(named: "name")).index].slot == 1)
    }

    @Test("A to-many relationship without inverse gets a hidden one, which is no relationship of the entity")
    func hiddenInverse() throws {
        let shows = try #require(try entity("Album").relationship(named: "shows"))
        let hidden = try #require(model.inverse(of: shows))
        #expect(hidden.isHidden)
        #expect(!hidden.isToMany)
        #expect(shows.storage == .inverse(property: hidden.index))
        #expect(model.destination(of: hidden).name == "Album")
        #expect(model.inverse(of: hidden)?.name == "shows")
        let animal = try entity("Animal")
        #expect(!animal.relationships.contains { $0.isHidden })
        #expect(animal.properties.contains { $0.relationship?.isHidden == true })
        #expect(model.inverse(of: try #require(try entity("Album").relationship(named: "cover"))) == nil)
    }

    @Test("A to-many relationship whose inverse is to-one is kept by the inverse")
    func storedByInverse() throws {
        let owner = try #require(try entity("Animal").relationship(named: "owner"))
        #expect(try entity("Person").relationship(named: "pets")?.storage == .inverse(property: owner.index))
    }

    @Test("The fixed part of a row grows by a bitmap word with every 64 slots")
    func fixedSize() {
        func size(_ slots: Int) -> Int {
            RowLayout(slots: Array(repeating: SlotDescription(kind: .integer, property: 0), count: slots)).fixedSize
        }
        #expect([0, 1, 64, 65, 128, 129].map(size) == [24, 40, 24 + 65 * 8, 24 + 67 * 8, 24 + 130 * 8, 24 + 132 * 8])
        #expect(RowLayout.offset(ofSlot: 63) + 8 == RowLayout.offset(ofBitmapOfSlot: 64))
        #expect(RowLayout.offset(ofSlot: 64) == RowLayout.offset(ofBitmapOfSlot: 64) + 8)
    }

    @Test("An index names slots, kinds and directions")
    func indexes() throws {
        let byAge = try #require(try entity("Person").indexes.first)
        #expect(byAge.elements.map(\.slot) == [0, 1])
        #expect(byAge.elements.map(\.kind) == [.integer, .string])
        #expect(byAge.elements.map(\.isAscending) == [false, true])
        #expect(try entity("Animal").indexes.first?.elements.map(\.kind) == [.reference])
    }

    // MARK: - Link tables

    @Test("Each pair of many-to-many relationships has one table, its first end at the lesser entity or name")
    func linkTables() throws {
        #expect(model.linkTables.count == 3)
        #expect(model.linkTables.map(\.index) == [0, 1, 2])
        let tags = try #require(try entity("Album").relationship(named: "tags"))
        guard case .links(let table, .first) = tags.storage else {
            Issue.record("\(tags.storage)")
            return
        }
        #expect(try entity("Tag").relationship(named: "albums")?.storage == .links(table: table, side: .second))
        #expect(model.linkTables[table].first.entity == 0)
        #expect(model.linkTables[table].second.entity == 6)
        #expect(!model.linkTables[table].isReflexive)
    }

    @Test("Within one entity the relationship with the lesser name is the first end, and each end knows whether it is ordered")
    func linksWithinOneEntity() throws {
        let person = try entity("Person")
        guard case .links(let table, .first)? = person.relationship(named: "followers")?.storage else {
            Issue.record("followers is not first")
            return
        }
        #expect(person.relationship(named: "follows")?.storage == .links(table: table, side: .second))
        #expect(!model.linkTables[table].first.isOrdered)
        #expect(model.linkTables[table].second.isOrdered)
        #expect(model.linkTables[table].end(.second) == model.linkTables[table].second)
    }

    @Test("A relationship that is its own inverse has a reflexive table")
    func reflexive() throws {
        let friends = try #require(try entity("Person").relationship(named: "friends"))
        guard case .links(let table, .first) = friends.storage else {
            Issue.record("\(friends.storage)")
            return
        }
        #expect(model.linkTables[table].isReflexive)
        #expect(model.inverse(of: friends)?.name == "friends")
    }

    @Test("The entities that are meant by one are its own alone, or with all of its descendants")
    func meantEntities() throws {
        for entity in model.entities {
            #expect(entity.entities(includingSubentities: true) == entity.hierarchy)
            #expect(Array(entity.entities(includingSubentities: false)) == [entity.index])
        }
    }

    @Test("A slot survives being packed, and one that does not fit is not packed")
    func packedPlaces() throws {
        for slot in model.entities.flatMap(\.propertySlots) {
            #expect(try PropertySlot(packed: #require(slot.packed)) == slot)
        }
        let widest = try #require(PropertySlot(packed: 0x3FFE << 18))
        #expect(widest.property == 0x3FFE)
        #expect(widest.slot == nil)
        #expect(widest.packed == 0x3FFE << 18)
        #expect(PropertySlot(packed: 0x3FFF << 18)?.packed == nil)
        #expect(PropertySlot(packed: 0x3FFF << 4)?.packed == nil)
        #expect(PropertySlot(packed: 0xF) == nil)
    }
}
