import FoundationEssentials
import StrataModel
import Testing

/// IDs hold their scopes, and through them their entities, without reference counts.
@Suite("Entities of models that are deallocated")
struct ReusedEntityTests {
    private func ids(_ entityName: String, _ storeIDs: [StoreID?]) throws -> [ObjectID] {
        let model = try ManagedObjectModel {
            Entity(entityName) { Attribute("name", .string).required }
            Entity(entityName + " sub", parent: entityName)
        }
        return storeIDs.flatMap { storeID in
            let scopes = ObjectIDScopes(model: model, storeID: storeID)
            return scopes.entityIndices.map { ObjectID(scope: scopes[$0], reference: storeID == nil ? .min + 5 : 5) }
        }
    }

    @Test("An ID outlives its model")
    func outlivingID() throws {
        let old = try ids("Outliving", ["S", nil])
        // Takes memory that the model may have had.
        for number in 0..<50 { _ = try ids("Other \(number)", ["S", nil]) }
        #expect(
            old.map(\.uriRepresentation) == [
                "x-coredata://S/Outliving/p5", "x-coredata://S/Outliving%20sub/p5", "x-coredata:///Outliving/t5",
                "x-coredata:///Outliving%20sub/t5",
            ])
        #expect(old[1].entity.attribute(named: "name")?.isOptional == false)
        #expect(old[1].entity.superentityNames == ["Outliving"])
        #expect(Set(old).count == 2)
    }

    @Test("The scopes of a store outlive its model")
    func outlivingScopes() throws {
        let scopes = try ["S", nil].map { storeID in
            ObjectIDScopes(model: try ManagedObjectModel { for name in ["First", "Second"] { Entity(name) } }, storeID: storeID)
        }
        for number in 0..<50 { _ = try ids("Another \(number)", ["S", nil]) }
        for scopes in scopes {
            #expect(scopes.entityIndices.map { scopes[$0].entity.name } == ["First", "Second"])
            #expect(scopes.entityIndices.map { scopes[$0].entityIndex } == Array(scopes.entityIndices))
        }
    }

    @Test("An ID is two words, and one of an equal model made later has the same scope")
    func sameScope() throws {
        #expect(MemoryLayout<ObjectID>.size == 16)
        #expect(_isPOD(ObjectID.self))
        #expect(_isPOD(ObjectIDScopes.self))
        let (first, second) = (try ids("Again", ["S", "T"]), try ids("Again", ["S", "T"]))
        #expect(first.map(\.scope) == second.map(\.scope))
        #expect(Set(first.map(\.scope)).count == 4)
    }

    @Test("Equal models made one after the other have one set of descriptions")
    func oneSet() throws {
        var entities: Set<ObjectIdentifier> = []
        for number in 0..<200 {
            for id in try ids("Repeated", [StoreID("\(number % 3)")]) { entities.insert(ObjectIdentifier(id.entity)) }
        }
        #expect(entities.count == 2)
    }

    @Test("Equal models that are there at a time have descriptions of their own")
    func twoSets() throws {
        let models = try (0..<2).map { _ in try ManagedObjectModel { Entity("Twice") } }
        let ids = models.map { ObjectIDScopes(model: $0, storeID: "S")[EntityIndex(rawValue: 0)] }
            .map { ObjectID(scope: $0, reference: 1) }
        #expect(models[0].entities[0] !== models[1].entities[0])
        #expect(ids[0].scope != ids[1].scope)
        #expect(ids[0] == ids[1])
    }

    @Test("Descriptions of which no ID can exist are deallocated with their model")
    func deallocation() throws {
        weak var entity: EntityDescription?
        try {
            let model = try ManagedObjectModel { Entity("Deallocated") }
            entity = model.entities.first
            #expect(entity != nil)
        }()
        #expect(entity == nil)
    }

    private final class First {}
    private final class Second {}

    /// Creates a model, and IDs of it; returns the attribute, as the model describes it.
    private func attribute(
        _ attribute: Attribute, _ objectClass: AnyClass? = nil, _ info: [String: String] = [:]
    ) throws -> (AttributeDescription, EntityDescription) {
        let entity = Entity("Varied", class: objectClass) { attribute }.with { $0.userInfo = info }
        let model = try ManagedObjectModel(entities: [entity])
        _ = ObjectIDScopes(model: model, storeID: "S")
        return (try #require(model.entities[0].attribute(named: attribute.name)), model.entities[0])
    }

    @Test("Models that differ in what is no part of their version hashes do not share descriptions")
    func differences() throws {
        #expect(try attribute(Attribute("a", .integer64, default: 1)).0.defaultValue == 1)
        #expect(try attribute(Attribute("a", .integer64, default: 2)).0.defaultValue == 2)
        #expect(try attribute(Attribute("a", .integer64, validation: [.range(0...1)])).0.declaration.validation.count == 1)
        #expect(try attribute(Attribute("a", .integer64)).0.declaration.validation.isEmpty)
        #expect(try attribute(Attribute("a", .string), First.self).1.objectClass == First.self)
        #expect(try attribute(Attribute("a", .string), Second.self).1.objectClass == Second.self)
        #expect(try attribute(Attribute("a", .string)).1.objectClass == nil)
        #expect(try attribute(Attribute("a", .string), nil, ["key": "\u{e9}"]).1.userInfo["key"]?.utf8.count == 2)
        #expect(try attribute(Attribute("a", .string), nil, ["key": "e\u{301}"]).1.userInfo["key"]?.utf8.count == 3)
    }

    @Test("Models with transformers of one name share descriptions only where these convert alike")
    func transformers() throws {
        func transformed(_ transformer: ValueTransformer) throws -> (AttributeDescription, EntityDescription) {
            try attribute(Attribute("a", .transformable, transformer: transformer))
        }
        func constant(_ byte: UInt8) -> ValueTransformer {
            ValueTransformer(name: "constant", Int.self) { _ in
                Data([byte])
            } decode: { _ in
                0
            }
        }
        for byte: UInt8 in 1...2 { #expect(try transformed(constant(byte)).0.declaration.transformer?.data(from: 7) == Data([byte])) }
        let one = constant(3)
        #expect(try transformed(one).1 === transformed(one).1)
        #expect(try transformed(.codable([Int].self)).1 === transformed(.codable([Int].self)).1)
        #expect(try transformed(.codable([Int].self)).1 !== transformed(.codable([Int8].self)).1)
        #expect(try transformed(.named("constant")).1 === transformed(.named("constant")).1)
        #expect(try transformed(.named("constant")).1 !== transformed(one).1)
    }
}
