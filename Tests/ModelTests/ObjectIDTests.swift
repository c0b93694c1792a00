import StrataModel
import StrataTestRandom
import Testing

@Suite("Object IDs")
struct ObjectIDTests {
    private let model: ManagedObjectModel

    init() throws {
        model = try ManagedObjectModel {
            Entity("Animal")
            Entity("Dog", parent: "Animal")
            Entity("Städte %")
        }
    }

    private func id(_ entity: String, _ reference: Int64, _ store: StoreID? = "S") throws -> ObjectID {
        ObjectID(scope: ObjectIDScope(storeID: store, entity: try #require(model.entity(named: entity))), reference: reference)
    }

    @Test("IDs of one row are equal whatever scope they were made with, an ancestor's included")
    func equality() throws {
        #expect(try id("Dog", 1) == id("Dog", 1))
        #expect(try id("Animal", 1) == id("Dog", 1))
        #expect(try Set([id("Animal", 1), id("Dog", 1), id("Dog", 2)]).count == 2)
    }

    @Test("IDs of other rows, hierarchies or stores, and temporary ones, differ")
    func inequality() throws {
        let one = try id("Dog", 1)
        #expect(try one != id("Dog", 2))
        #expect(try one != id("Städte %", 1))
        #expect(try one != id("Dog", 1, "T"))
        #expect(try one != id("Dog", 1, nil))
    }

    @Test("Scopes of a model give the ID of a row its own entity")
    func scopes() throws {
        let scopes = ObjectIDScopes(model: model, storeID: "S")
        var writer = RowWriter()
        writer.begin(try #require(model.entity(named: "Dog")), reference: 9, version: 1)
        let found = scopes.id(of: writer.finish())
        #expect(found.entity.name == "Dog")
        #expect(found.reference == 9)
        #expect(found.storeID == "S")
        #expect(!found.isTemporary)
    }

    @Test("An ID is spelled as Core Data spells it")
    func spelling() throws {
        #expect(try id("Dog", 12, "AB-CD").uriRepresentation == "x-coredata://AB-CD/Dog/p12")
        #expect(try id("Dog", .min + 3, nil).uriRepresentation == "x-coredata:///Dog/t3")
        #expect(try id("Dog", .min + 3, nil).storeID == nil)
    }

    @Test("A URI gives back the parts of the ID that it was made of, whatever the entity's name", arguments: ["Dog", "Städte %"])
    func roundTrip(entity: String) throws {
        let uri = try #require(ObjectURI(try id(entity, .max, "S-1").uriRepresentation))
        #expect(uri.storeID == "S-1")
        #expect(uri.entityName == entity)
        #expect(uri.reference == .max)
    }

    @Test(
        "What is no URI of a saved object gives nothing",
        arguments: [
            "", "x", "x-coredata:", "x-coredata://", "x-coredata:///Dog/p1", "x-coredata://S/Dog", "x-coredata://S/Dog/",
            "x-coredata://S/Dog/p",
            "x-coredata://S//p1", "x-coredata://S/Dog/t1", "x-coredata://S/Dog/p0", "x-coredata://S/Dog/p-1", "x-coredata://S/Dog/p+1",
            "x-coredata://S/Dog/p1/", "x-coredata://S/Dog/p1/x", "x-coredata://S/Dog/p9223372036854775808", "x-coredata://S/Dog/p1 ",
            "x-coredata://S/Dog/p1x", "x-coredata://S/Dog/p٣", "x-coredata://S/D%/p1", "x-coredata://S/D%4/p1", "x-coredata://S/D%zz/p1",
            "x-coredata://S/D%+F/p1", "x-coredata://S/D%FF/p1", "X-COREDATA://S/Dog/p1", "http://S/Dog/p1", "x-coredata://S/Dog/p1\u{301}",
            "x-coredata://\u{301}/Dog/p", "x-coredata://S/Dog/p1\0",
        ]
    )
    func hostile(uri: String) { #expect(ObjectURI(uri) == nil) }

    @Test("A percent sign that hides a slash stays within the entity's name")
    func hiddenSlash() { #expect(ObjectURI("x-coredata://S/a%2Fb/p1")?.entityName == "a/b") }

    @Test("Mutilated URIs never crash, and what parses has a legal reference")
    func mutilated() throws {
        let bytes = Array(try id("Städte %", 77, "5F2A").uriRepresentation.utf8)
        var random = SeededGenerator(seed: 2)
        for _ in 0..<3000 {
            var mutilated = bytes
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                mutilated[Int.random(in: 0..<mutilated.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard let uri = ObjectURI(String(decoding: mutilated, as: UTF8.self)) else { continue }
            #expect(uri.reference > 0)
            #expect(!uri.entityName.isEmpty)
        }
    }
}
