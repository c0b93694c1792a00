import StrataEngine
import StrataModel
import StrataStore
import StrataTestModels
import StrataTestSupport
import Testing

/// Links that a file has at one end alone.
@Suite("Links at one end alone") struct OneSidedTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Person") {
                Relationships([
                    "cars": .toMany("Car.owner"), "licence": .toOne("Licence.holder"), "friends": .toMany("Person.friendOf"),
                    "friendOf": .toMany("Person.friends"), "peers": .toMany("Person.peers"), "spouse": .toOne("Person.spouse"),
                    "queue": .ordered("Car.driver"),
                ])
            }
            Entity("Car") { Relationships(["owner": .toOne("Person.cars"), "driver": .toOne("Person.queue")]) }
            Entity("Licence") { Relationship("holder", to: "Person", inverse: "licence") }
        }
    }

    private func load(_ objects: String, _ model: ManagedObjectModel) throws -> TableContents {
        let scratch = try ScratchFile()
        try scratch.put(Document.text(objects))
        let contents = try format.load(scratch.path, model)
        // The same links without problems.
        let saved = try format.saved(contents, model)
        let again = try format.load(saved.path, model)
        #expect(dump(again, model) == dump(contents, model))
        #expect(again.problems == [])
        return contents
    }

    private func object(_ type: String, _ id: Int, _ relationships: (String, String)...) -> String {
        let relations = relationships.map { "<relationship name=\"\($0)\" idrefs=\"\($1)\"/>" }.joined()
        return "<object type=\"\(type)\" id=\"z\(id)\">\(relations)</object>"
    }

    /// Returns the reference of a to-one relationship of an object.
    private func destination(_ key: String, of reference: Int64, _ contents: TableContents, _ model: ManagedObjectModel) -> Int64? {
        let row = contents.rows.values.joined().first { $0.reference == reference }
        guard let row, case .toOne(let slot, _, _)? = model.entities[row.entityIndex].relationship(named: key)?.storage else { return nil }
        return row.integer(slot)
    }

    @Test("A link that the list of a to-many relationship has alone is read at both ends, with a warning") func lists() throws {
        let model = try Self.model()
        let contents = try load(object("PERSON", 1, ("cars", "z2")) + object("CAR", 2), model)
        #expect(destination("owner", of: 2, contents, model) == 1)
        #expect(contents.problems.map(\.message) == ["z1 names z2, which does not name it: the link is read at both ends"])
        #expect(contents.problems.map(\.entity) == ["Person"])
        #expect(contents.problems.map(\.key) == ["cars"])
        #expect(contents.problems.map(\.reference) == [1])
        #expect(contents.problems.map(\.kind) == [.link])
    }

    @Test("Of two owners, the one that the object names has it, and the other's list is read without it, with a warning")
    func owners() throws {
        let model = try Self.model()
        let contents = try load(
            object("PERSON", 1, ("cars", "z2")) + object("CAR", 2, ("owner", "z3")) + object("PERSON", 3, ("cars", "z2")), model)
        #expect(destination("owner", of: 2, contents, model) == 3)
        #expect(contents.problems.map(\.message) == ["z1 names z2, which names z3: the link is left out"])
    }

    @Test("An object that its owner does not list is read at both ends, with a warning") func unlisted() throws {
        let model = try Self.model()
        let contents = try load(
            object("PERSON", 1, ("queue", "z3")) + object("CAR", 2, ("driver", "z1")) + object("CAR", 3, ("driver", "z1")), model)
        #expect(contents.problems.map(\.message) == ["z2 names z1, which does not name it: the link is read at both ends"])
        #expect(contents.problems.map(\.key) == ["driver"])
        let car = try #require(model.entity(named: "Car"))
        guard case .toOne(_, _, let order?) = try #require(car.relationship(named: "driver")).storage else {
            Issue.record("driver is in no slot, or not ordered")
            return
        }
        let cars = try #require(contents.rows[car.root])
        #expect(cars.map { $0.integer(order) } == [2048, 1024])
    }

    @Test("A one-to-one link that one end names is read at both, and one that contradicts another is left out")
    func pairs() throws {
        let model = try Self.model()
        let contents = try load(
            object("PERSON", 1, ("licence", "z2")) + object("LICENCE", 2) + object("PERSON", 3)
                + object("LICENCE", 4, ("holder", "z3")) + object("LICENCE", 5, ("holder", "z3"))
                + object("PERSON", 6, ("spouse", "z7")) + object("PERSON", 7), model)
        #expect(destination("holder", of: 2, contents, model) == 1)
        #expect(destination("licence", of: 3, contents, model) == 4)
        #expect(destination("holder", of: 5, contents, model) == nil)
        #expect(destination("spouse", of: 7, contents, model) == 6)
        #expect(
            contents.problems.map(\.message) == [
                "z1 names z2, which does not name it: the link is read at both ends",
                "z4 names z3, which does not name it: the link is read at both ends",
                "z5 names z3, which names z4: the link is left out",
                "z6 names z7, which does not name it: the link is read at both ends",
            ])
        #expect(contents.problems.allSatisfy { $0.kind == .reference })
    }

    @Test("A many-to-many link that one side lists is read at both, with a warning") func manyToMany() throws {
        let model = try Self.model()
        let contents = try load(
            object("PERSON", 1, ("friends", "z2 z3"), ("peers", "z3")) + object("PERSON", 2, ("friendOf", "z1")) + object("PERSON", 3),
            model)
        #expect(contents.links.values.joined().count == 4)
        #expect(
            contents.problems.map(\.message)
                == Array(repeating: "z1 names z3, which does not name it: the link is read at both ends", count: 2))
        #expect(contents.problems.compactMap(\.key).sorted() == ["friends", "peers"])
    }

    @Test("An owner that the relationship cannot have is refused") func wrongOwners() throws {
        let model = try ManagedObjectModel {
            Entity("Person") { Relationship("cars", to: "Car", inverse: "owner", .toMany) }
            Entity("Driver", parent: "Person")
            Entity("Car") { Relationship("owner", to: "Driver", inverse: "cars") }
        }
        let error = try storeError { _ = try load(object("PERSON", 1, ("cars", "z2")) + object("CAR", 2), model) }
        #expect(error?.code == .corrupt)
        #expect(error?.message == "z2 names z1, which is no Driver")
    }

    @Test("Links that both ends name have no warning") func whole() throws {
        let model = try Self.model()
        let contents = try load(
            object("PERSON", 1, ("cars", "z2"), ("licence", "z3"), ("peers", "z1 z4"), ("queue", "z2"))
                + object("CAR", 2, ("owner", "z1"), ("driver", "z1"))
                + object("LICENCE", 3, ("holder", "z1")) + object("PERSON", 4, ("peers", "z1"), ("spouse", "z4")), model)
        #expect(contents.problems == [])
    }
}
